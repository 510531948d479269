"""A release beside its original."""

import pytest

import anonset
from anonset.errors import InputError
from anonset.tasks.inspection import KnownValues, UnknownValue, fitting, holders, known_values, pairs


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


def test_values_and_items_that_do_not_occur_are_named_and_nothing_is_counted(made):
    found = fitting(*made, {"age": "12"}, ["A", "b"])

    assert found.unknown == (UnknownValue("age", "12"), UnknownValue("items", "A", ("a",)))
    assert (found.before, found.after, found.shown) == (0, 0, ())
    assert fitting(*made, {"age": "35"}, []).unknown == ()  # a number between two that occur


def test_a_form_offers_ranges_of_numbers_and_items_by_frequency(made):
    assert known_values(made[0]) == (KnownValues("age", (), 30.0, 41.0), KnownValues("items", ("a", "b")))


def test_values_that_are_no_numbers_and_unknown_items_of_rules_are_refused(made):
    with pytest.raises(InputError, match="1 of the items"):
        holders(made[0], [["zzz"]])
    with pytest.raises(InputError, match="a number is expected"):
        fitting(*made, {"age": "old"}, [])


def test_people_who_hold_all_items_of_a_set(made):
    assert holders(made[0], [["a"], ["a", "b"], []]) == [3, 2, 4]
