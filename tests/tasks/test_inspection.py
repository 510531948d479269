"""A release beside its original."""

import pytest

import anonset
from anonset.errors import InputError
from anonset.tasks.inspection import fitting, holders, pairs


@pytest.fixture
def made(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,items\n30,a b\n31,a\n40,a b\n41,b\n")
    data = anonset.read(path, quasi=["age"], items=["items"])
    return data, anonset.anonymize(data, "rmerge-r", k=2, m=1, delta=0.1, items="pcta", seed=1)


def test_rows_of_the_input_come_with_what_was_published_of_them(made):
    data, release = made

    found = pairs(data, release, [3, 0])

    assert [pair.before["age"] for pair in found] == ["41", "30"]
    assert found[0].before["items"] == ["b"]
    assert found[0].after["age"] == "[40:41]"
    assert found[1].after["age"] == "[30:31]"


def test_somebody_who_knows_an_age_finds_more_people_than_before(made):
    found = fitting(*made, {"age": "30"}, [])

    assert (found.before, found.after) == (1, 2)
    assert {row["age"] for row in found.shown} == {"[30:31]"}


def test_items_and_values_that_nobody_can_know_are_refused(made):
    with pytest.raises(InputError, match="1 of the items"):
        fitting(*made, {}, ["zzz"])
    with pytest.raises(InputError, match="a number is expected"):
        fitting(*made, {"age": "old"}, [])


def test_people_who_hold_all_items_of_a_set(made):
    assert holders(made[0], [["a"], ["a", "b"], []]) == [3, 2, 4]
