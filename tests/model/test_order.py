import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.model.order import record_order, set_ranks
from anonset.model.transactions import Transactions
from strategies import rt_datasets


@given(st.lists(st.sets(st.integers(0, 60), max_size=14), min_size=1, max_size=12), st.booleans())
def test_ranks_of_sets_are_those_of_a_dictionary(sets, twice):
    rows = [sorted(s) for s in (sets * 2 if twice else sets)]
    t = Transactions.from_records([[str(i) for i in row] for row in rows], tuple(map(str, range(61))))

    found = set_ranks(t.offsets, t.items, 61)

    assert found.tolist() == [sum(other < row for other in rows) for row in rows]


@given(rt_datasets(), st.randoms(use_true_random=False))
def test_the_order_says_nothing_about_the_input(data, pick):
    shuffled = list(range(len(data)))
    pick.shuffle(shuffled)
    other = data.take(np.array(shuffled, np.int64))

    first, second = data.take(record_order(data)), other.take(record_order(other))

    assert list(first.transactions.records()) == list(second.transactions.records())
    for column, same in zip(first.columns, second.columns, strict=True):
        assert column.codes.tolist() == same.codes.tolist()
