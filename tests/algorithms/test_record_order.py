import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.base import record_order
from strategies import rt_datasets


@given(rt_datasets(), st.randoms(use_true_random=False))
def test_the_order_says_nothing_about_the_input(data, pick):
    shuffled = list(range(len(data)))
    pick.shuffle(shuffled)
    other = data.take(np.array(shuffled, np.int64))

    first, second = data.take(record_order(data)), other.take(record_order(other))

    assert list(first.transactions.records()) == list(second.transactions.records())
    for column, same in zip(first.columns, second.columns, strict=True):
        assert column.codes.tolist() == same.codes.tolist()
