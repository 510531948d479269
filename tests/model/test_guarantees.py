"""A guarantee promises numbers, or it is not made; and it says what it covers."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.errors import ParameterError
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import GUARANTEES, Constraints, KAnonymity, KKm, KmAnonymity, guarantee_data, make_guarantee
from anonset.releases.gates import linkable_parts, uncovered

GOOD = {
    "k": 2,
    "m": 2,
    "l": 2,
    "t": 0.5,
    "c": 2.0,
    "population": 100,
    "records": 1,
    "suppression": 0.1,
    "share": 0.1,
    "column": "diagnosis",
    "kind": "entropy",
    "sensitive": ("a",),
    "itemsets": (("a", "b"), ("c",)),
    "groups": (("a", "b"),),
}
NO_NUMBER = [float("nan"), float("inf"), float("-inf"), "2", "nan", None, True, False, -1, -0.5, (2,)]
NO_COUNT = [*NO_NUMBER, 0, 2.0, 2.5]
NO_SHARE = [*NO_NUMBER, 1.0000001, 50]
NO_SETS = [None, "ab", ("a", "b"), ((1, 2),), 3]
BAD = {
    "k": NO_COUNT,
    "m": NO_COUNT,
    "l": NO_COUNT,
    "population": NO_COUNT,
    "records": [bad for bad in NO_COUNT if bad is not False and bad != 0] + [False],
    "t": NO_SHARE,
    "suppression": NO_SHARE,
    "share": NO_SHARE,
    "c": NO_NUMBER,
    "column": [None, 3, "", ("diagnosis",)],
    "kind": [None, "evenly", 1],
    "itemsets": NO_SETS,
    "groups": NO_SETS,
    "sensitive": [None, "a", (1,), (("a",),)],
}


def values_of(id):
    return {f.name: GOOD[f.name] for f in fields(GUARANTEES[id])}


@pytest.mark.parametrize("id", GUARANTEES)
def test_what_is_no_number_or_no_name_is_refused(id):
    assert guarantee_data(make_guarantee(id, values_of(id))) == {"id": id} | values_of(id)
    for name in values_of(id):
        for bad in BAD[name]:
            with pytest.raises(ParameterError, match=f"{id}: {name} must be"):
                make_guarantee(id, values_of(id) | {name: bad})


@pytest.mark.parametrize("id", GUARANTEES)
def test_a_guarantee_comes_back_from_its_data(id):
    guarantee = make_guarantee(id, values_of(id))
    data = guarantee_data(guarantee)

    assert make_guarantee(data.pop("id"), data) == guarantee


def test_ends_of_ranges_are_numbers_too():
    for share in (0, 0.0, 1, 1.0):
        assert make_guarantee("t-closeness", {"t": share, "column": "x"}).t == share
        assert make_guarantee("utility-constraints", {"groups": (), "suppression": share}).suppression == share


COVERED = {
    "k-anonymity": {"quasi"},
    "km-anonymity": {"items"},
    "complete-k": {"items"},
    "constraints": {"items"},
    "k-km": {"quasi", "items"},
    "k-lm": {"quasi", "items", "sensitive"},
    "utility-constraints": set(),
    "nr-k": {"quasi", "items"},
    "nr-l": {"quasi", "items", "sensitive"},
    "l-diversity": {"sensitive"},
    "partial-items": set(),
    "t-closeness": {"sensitive"},
    "k-map": {"quasi"},
    "km-map": {"items"},
    "kkm-map": {"quasi", "items"},
}


@given(st.sets(st.sampled_from(sorted(GUARANTEES))), st.lists(st.sampled_from("pq"), unique=True), st.sampled_from([None, "i"]))
def test_what_nothing_covers_is_left(ids, quasi, items):
    wanted = ({"quasi"} if quasi else set()) | ({"items"} if items else set())
    covered = set().union(*(COVERED[id] for id in ids))
    at_once = any(wanted <= COVERED[id] for id in ids) or not wanted
    missing = set() if at_once else (wanted - covered or wanted)

    left = uncovered(quasi, items, [make_guarantee(id, values_of(id)) for id in sorted(ids)])

    assert left == tuple(quasi if "quasi" in missing else ()) + ((items,) if items and "items" in missing else ())


def test_constraints_without_itemsets_cover_nothing():
    assert uncovered((), "items", [Constraints(2, ())]) == ("items",)
    assert uncovered((), "items", [Constraints(2, (("a",),))]) == ()


def test_what_a_dataset_offers_to_an_attacker():
    age = Column("age", "quasi", "categorical", np.zeros(2, np.int32), ("old",))
    flu = Column("flu", "sensitive", "categorical", np.zeros(2, np.int32), ("yes",))
    data = Dataset((age, flu), Transactions.from_records(["ab", "b"]), item_column="bought")
    secret = Dataset((age, flu), data.transactions, sensitive_items=np.array([True, True]))

    assert linkable_parts(data) == (("age",), "bought")
    assert linkable_parts(secret) == (("age",), None)
    assert linkable_parts(Dataset((flu,))) == ((), None)
    assert uncovered(*linkable_parts(data), [KmAnonymity(5, 2)]) == ("age",)
    assert uncovered(*linkable_parts(data), [KAnonymity(5)]) == ("bought",)
    assert uncovered(*linkable_parts(data), [KKm(5, 2)]) == ()
