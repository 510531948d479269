import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.nonreciprocal._kernels.walks import greedy_assignment
from anonset.model.dataset import Transactions
from oracles import nonreciprocal as oracle


@given(st.integers(2, 9), st.integers(1, 4), st.data())
def test_assignments_are_those_of_the_pseudocode(n, l, data):  # noqa: E741 - the papers' letter
    records = data.draw(st.lists(st.sets(st.sampled_from("abcdef")), min_size=n, max_size=n))
    labels = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    t = Transactions.from_records(records, domain=tuple("abcdef"))
    posts, before = np.empty((n, l), np.int32), []
    for done in range(l):
        starts = data.draw(st.permutations(range(n)))

        assigned, steps = greedy_assignment(
            t.offsets, t.items, np.array(labels, np.int32), posts, done, np.array(starts, np.int64)
        )

        wanted = oracle.greedy_assignment(records, labels, before, starts)
        assert (steps < 0) == (wanted is None)
        if wanted is None:
            return
        assert assigned.tolist() == wanted
        assert sorted(wanted) == list(range(n))
        posts[:, done] = assigned
        before.append(wanted)
        assert all(len({labels[a[x]] for a in before}) == len(before) for x in range(n))
