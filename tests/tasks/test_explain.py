import pytest

from anonset.data import read
from anonset.errors import InputError
from anonset.tasks import anonymize, explain
from anonset.tasks.explain import ExplainRequest


def test_a_folder_and_a_release_in_memory_tell_the_same(shop, made):
    folder = made(shop, "pcta", k=3).output
    release = anonymize.of_dataset(read(shop.data), "pcta", {"k": 3})

    lines = explain.run(ExplainRequest(folder))

    assert any("had support" in line for line in lines)
    assert explain.of_release(release) == lines


def test_the_way_of_one_record(people, made):
    folder = made(people, "rmerge-r", k=2, delta=0.5, items="pcta", seed=1).output

    assert any("row 1" in line.lower() or "record" in line for line in explain.run(ExplainRequest(folder, row=1)))


def test_without_the_private_half_nothing_is_told(shop, made, tmp_path):
    (made(shop, "pcta", k=2).output / "published").rename(tmp_path / "handed_out")

    with pytest.raises(InputError, match="private"):
        explain.run(ExplainRequest(tmp_path / "handed_out"))
