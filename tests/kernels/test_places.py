"""The cluster that comes first by the sum of its places in two orders."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.rt._kernels.proximity import least_places
from oracles.rt import least_by_places

few = st.integers(0, 4).map(float)
cases = st.integers(0, 30).flatmap(
    lambda n: st.tuples(
        st.lists(few | st.floats(0, 1), min_size=n, max_size=n),
        st.lists(few, min_size=n, max_size=n),
        st.lists(st.booleans(), min_size=n, max_size=n),
    )
)


@given(cases)
def test_the_first_by_both_orders_is_found(case):
    costs, nearness, allowed = case
    found = least_places(np.array(costs), np.array(nearness), np.array(allowed, np.bool_))
    assert found == least_by_places(costs, nearness, allowed)


def test_many_entries_are_not_all_looked_at_and_none_is_overlooked():
    rng = np.random.default_rng(0)
    costs, nearness, allowed = rng.random(3_000), rng.integers(0, 50, 3_000).astype(np.float64), rng.random(3_000) < 0.1
    assert least_places(costs, nearness, allowed) == least_by_places(costs.tolist(), nearness.tolist(), allowed.tolist())
