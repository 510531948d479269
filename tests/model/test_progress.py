import pytest

from anonset.model.progress import part_of, silent, unheard


def test_a_part_of_the_work_is_told_as_a_share_of_the_whole():
    heard = []
    listen = part_of(heard.append, 0.5, 0.9)

    for done in (0.0, 0.5, 1.0):
        listen(done)

    assert heard == pytest.approx([0.5, 0.7, 0.9])


def test_nobody_need_listen():
    assert unheard("Reading") is silent
    assert silent(0.5) is None
