"""Two releases of one original: what one shows as it is and the other does not."""

import pytest

import anonset
from anonset.tasks import inspection

ROWS = [(20, "a b"), (20, "a b"), (20, "a"), (30, "a"), (30, "a c"), (30, "b c"), (40, "b"), (40, "b")]


@pytest.fixture(scope="module")
def data():
    import polars as pl

    frame = pl.DataFrame({"age": [age for age, _ in ROWS], "items": [items for _, items in ROWS]})
    return anonset.read(frame, quasi=["age"], items="items", item_separator=" ")


@pytest.fixture(scope="module")
def two(data):
    exact = anonset.anonymize(data, "identity", k=1)
    vague = anonset.anonymize(data, "rmerge-rt", k=4, m=1, items="pcta", seed=1)
    return exact, vague


def test_columns_are_counted_by_record(data, two):
    (age,) = inspection.columns(data, *two)

    assert (age.name, age.records, age.a, age.only_b) == ("age", 8, 8, 0)
    assert age.only_a == 8 - age.b


def test_items_that_differ_come_with_the_largest_difference_first(data, two):
    found = inspection.items(data, *two)
    supports = {"a": 5, "b": 5, "c": 2}

    assert found
    assert [k.only_a + k.only_b for k in found] == sorted((k.only_a + k.only_b for k in found), reverse=True)
    assert all(k.records == k.a == supports[k.name] and k.only_a == k.a - k.b for k in found)
    assert inspection.items(data, two[1], two[1]) == []


@pytest.mark.parametrize(("id", "better"), [("ncp", "a"), ("exact-items", "b"), ("risk", "a"), ("unheard-of", None)])
def test_the_better_of_two_values(id, better):
    assert inspection.better(id, 0.1, 0.2) == better
    assert inspection.better(id, 0.1, 0.1) is None
