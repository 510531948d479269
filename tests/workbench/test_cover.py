"""The texts of report and certificate: a step that changes no choice, refused where it names no field."""

import pytest

from anonset.errors import ParameterError
from anonset.model.cover import COVER_FIELDS, Cover
from anonset.workbench.journal import ChooseRelease, SetCover, SetPromise, sentence, state_after, step_from
from anonset.workbench.releases import check_cover


def test_every_field_but_the_date_is_offered_with_its_choices():
    known = {one.name: one for one in COVER_FIELDS}

    assert set(known) == set(Cover().said)
    assert known["language"].choices == ("en", "de")
    assert (known["title"].choices, known["title"].default) == ((), "")


def test_the_texts_keep_the_chosen_release_and_other_decisions_do_not():
    steps = [ChooseRelease("a"), SetCover({"title": "Visits"})]

    state = state_after(steps)

    assert (state.release, state.cover.texts) == ("a", {"title": "Visits"})
    assert state_after([*steps, SetPromise(k=7)]).release is None
    assert "Visits" not in sentence(steps[1])


def test_unknown_fields_and_choices_are_refused():
    with pytest.raises(ParameterError, match="no such field; they have title, by, language"):
        check_cover("", SetCover({"colour": "red"}))
    with pytest.raises(ParameterError, match="language must be one of en, de"):
        check_cover("", SetCover({"language": "xx"}))
    with pytest.raises(ParameterError):
        step_from({"kind": "set_cover", "texts": {"title": "x" * 3_000}})
