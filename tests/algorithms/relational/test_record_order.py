"""Ties are broken by what records hold, never by where they stand in the input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.base import record_order
from anonset.testing.checks import record_order_says_nothing
from strategies import relational_datasets, rt_datasets

WAYS = [
    ("mondrian", {"splits": "relaxed"}),
    ("mondrian", {"splits": "relaxed", "recoding": "sets"}),
    ("mondrian", {"l": 2, "sensitive": "s"}),
    ("peel", {"choices": 1}),
    ("incognito", {"suppression": 0.3}),
]


@pytest.mark.parametrize(("name", "values"), WAYS, ids=str)
@given(data=relational_datasets(min_records=3, sensitive=True))
def test_the_order_of_the_input_plays_no_part(name, values, data):
    record_order_says_nothing(make(name, {"k": 2} | values), data)


@given(rt_datasets(), st.randoms())
def test_records_are_ordered_by_what_they_hold(data, chance):
    shuffled = np.array(chance.sample(range(len(data)), len(data)), np.int64)
    other = data.take(shuffled)

    one, two = contents(data.take(record_order(data))), contents(other.take(record_order(other)))

    assert one == two
    assert sorted(record_order(data)) == list(range(len(data)))


def contents(data):
    return [
        (*(int(column.codes[r]) for column in data.columns), record) for r, record in enumerate(data.transactions.records())
    ]
