import numpy as np
import pytest

from anonset.model.dataset import Column, Dataset, Transactions
from anonset.tasks.profile import BARS, FEW, column_facts, item_facts, item_spread, shape, spread_of


def column(values, kind="categorical"):
    domain = tuple(dict.fromkeys(value for value in values if value is not None))
    codes = np.array([-1 if value is None else domain.index(value) for value in values], np.int32)
    numbers = np.array([float(value) for value in domain]) if kind == "numeric" else None
    return Column("c", "quasi", kind, codes, domain, numbers)


@pytest.mark.parametrize(("text", "masked"), [("Rome-12", "Aaaa-00"), ("Ärger", "Aaaaa"), ("x" * 40, "a" * 23 + "…")])
def test_examples_are_masked(text, masked):
    assert shape(text) == masked


def test_only_what_several_people_share_is_spelled_out():
    facts = column_facts(column(["Oslo"] * FEW + ["Rome"] * (FEW - 1) + [None]))

    assert facts["commonest"] == [{"value": "Oslo", "share": 0.5}]
    assert (facts["values"], facts["missing"], facts["shapes"]) == (2, 1, ["Aaaa"])


def test_numbers_are_told_by_their_quantiles():
    facts = column_facts(column([str(n) for n in range(101)], "numeric"))

    assert facts["quantiles"] == {"5%": 5.0, "25%": 25.0, "50%": 50.0, "75%": 75.0, "95%": 95.0}


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ([f"name {n}" for n in range(50)], "near-unique"),
        (["x"] * 20, "constant"),
        (["x", "y"] + [None] * 50, "nearly always missing"),
        (["2024-01-31", "2023-12-01"] * 9, "dates as text"),
        (["31.1.2024", "1.12.23"] * 9, "dates as text"),
        (["80,5", "7,25", "60"] * 9, "numbers with a decimal comma"),
        (["3 May 2024", "14 June 2023"] * 9, "dates as text"),
        (["came in with a cough and a fever", "was sent home after two days"] * 9, "free text"),
    ],
)
def test_suspicious_columns_are_named(values, word):
    assert [found.split(":")[0] for found in column_facts(column(values))["suspicions"]] == [word]


def test_ordinary_columns_are_not():
    assert column_facts(column(["Oslo", "Rome", "Bonn"] * 9))["suspicions"] == []


@pytest.mark.parametrize(
    ("values", "kind", "found"),
    [
        (["married", "single", "-"], "categorical", "'-'"),
        (["married", "single", "k.A."], "categorical", "'k.A.'"),
        (["20", "50", "999"], "numeric", "'999'"),
        (["0", "7", "-1"], "numeric", "'-1'"),
        (["97", "98", "99"], "numeric", None),
        (["-3", "2", "-1"], "numeric", None),
        (["999", "1200", "4000"], "numeric", None),
    ],
)
def test_what_may_stand_for_a_missing_value_is_named_where_a_few_share_it(values, kind, found):
    expected = [] if found is None else [f"{found} may stand for a missing value; if so, list it under `missing` in the schema"]

    assert column_facts(column(values * 12, kind))["suspicions"] == expected
    assert column_facts(column(values * 9, kind))["suspicions"] == []


def test_items_are_told_by_number_length_and_frequency():
    data = Dataset(transactions=Transactions.from_records([["a"]] * 12 + [["a", "b"]] * 7 + [[]]))

    facts = item_facts(data)

    assert facts["commonest"] == [{"value": "a", "share": 0.95}]
    assert (facts["items"], facts["rare"], facts["empty"], facts["lengths"]["50%"]) == (2, 1, 1, 1.0)
    assert item_facts(Dataset((column(["x"]),))) is None


def test_a_picture_counts_every_number_in_ranges_of_equal_width():
    bars = spread_of(column([str(n) for n in range(160)], "numeric"))

    assert [n for _, n in bars] == [10] * BARS
    assert bars[0][0] == "0 to 9.9375"


def test_a_picture_of_texts_names_no_value_of_few_people():
    assert spread_of(column(["Oslo"] * (FEW + 1) + ["Bonn"] * FEW + ["Rome"] * (FEW - 1))) == [("Oslo", FEW + 1), ("Bonn", FEW)]


def test_a_picture_of_items_is_ordered_by_frequency():
    t = Transactions.from_records([["a", "b"]] * FEW + [["b"], ["c"]])

    assert item_spread(Dataset((), t)) == [("b", FEW + 1), ("a", FEW)]
