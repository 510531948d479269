import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.errors import InputError
from anonset.model.dataset import Transactions, item_order
from strategies import transactions


@given(st.lists(st.sets(st.sampled_from("abcde")), min_size=1, max_size=8))
def test_records_come_back_as_they_went_in(records):
    t = Transactions.from_records(records)

    assert list(t.records()) == records
    assert t.lengths.tolist() == [len(record) for record in records]
    assert t.supports.tolist() == [sum(name in record for record in records) for name in t.domain]


@given(transactions(), st.data())
def test_taking_records_and_dropping_items(t, draw):
    rows = draw.draw(st.lists(st.integers(0, len(t) - 1), max_size=6))
    dropped = np.array(draw.draw(st.lists(st.booleans(), min_size=len(t.domain), max_size=len(t.domain))), np.bool_)
    records, gone = list(t.records()), {name for name, drop in zip(t.domain, dropped, strict=True) if drop}

    assert list(t.take(np.array(rows, np.int64)).records()) == [records[r] for r in rows]
    assert list(t.without(dropped).records()) == [record - gone for record in records]
    assert t.without(dropped).domain == t.domain


def test_items_are_ordered_as_numbers_where_all_are():
    assert item_order(["10", "9", "1"]) == ("1", "9", "10")
    assert item_order(["10", "9", "a"]) == ("10", "9", "a")


def test_a_domain_has_no_repeats():
    with pytest.raises(InputError, match="must differ"):
        Transactions(np.array([0]), np.zeros(0, np.int32), ("a", "a"))
