from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational.encoding import encode
from anonset.kernels.groups import (
    absorb,
    costs_of_states,
    grow_alike,
    least_growth,
    least_union,
    states_of_groups,
    states_of_records,
    union_costs,
    unions_of_many,
)
from oracles import rt as oracle_rt
from oracles.relational import group_cost, members_of
from strategies import relational_datasets, rt_datasets

recodings = st.sampled_from(["nodes", "ranges", "sets"])


@st.composite
def grouped(draw):
    data = draw(relational_datasets())
    groups = np.array(draw(st.lists(st.integers(-1, 3), min_size=len(data), max_size=len(data))), np.int64)
    used, dense = np.unique(np.append(groups, -1), return_inverse=True)
    return data, dense[:-1].astype(np.int64) - 1, len(used) - 1


@given(grouped(), recodings)
def test_costs_of_groups_agree_with_the_oracle(drawn, recoding):
    data, groups, n_groups = drawn
    q = encode(data, recoding)

    found = costs_of_states(q, states_of_groups(q, groups, n_groups))

    np.testing.assert_allclose(found, [group_cost(data, members, recoding) for members in members_of(groups)], atol=1e-12)


@given(grouped(), recodings)
def test_unions_cost_what_the_joined_group_costs(drawn, recoding):
    data, groups, n_groups = drawn
    q = encode(data, recoding)
    states = states_of_groups(q, groups, n_groups)
    members = members_of(groups)

    for b in range(n_groups):
        expected = [group_cost(data, {*members[b], *others}, recoding) for others in members]
        np.testing.assert_allclose(union_costs(q, states, states, b), expected, atol=1e-12)
    for r in range(len(data)):
        record = states_of_records(q, np.array([r]))
        expected = [group_cost(data, {r, *others}, recoding) for others in members]
        np.testing.assert_allclose(union_costs(q, states, record, 0), expected, atol=1e-12)
    records = states_of_records(q, np.arange(len(data)))
    expected = [union_costs(q, states, records, r) for r in range(len(data))]
    np.testing.assert_array_equal(unions_of_many(q, states, records), expected)


@given(grouped(), recodings)
def test_the_least_growth_and_the_least_union_are_those_of_the_first_cheapest(drawn, recoding):
    data, groups, n_groups = drawn
    q = encode(data, recoding)
    states, sizes = states_of_groups(q, groups, n_groups), np.bincount(groups[groups >= 0], minlength=n_groups)
    losses = costs_of_states(q, states)
    sizes[1:2] = 0  # gone into another

    for a in range(2, n_groups):
        others = [g for g in range(n_groups) if g != a and sizes[g]]
        unions = union_costs(q, states, states, a)[others]
        growth = unions * (sizes[others] + sizes[a]) - losses[others] * sizes[others]
        assert least_growth(q, states, sizes, losses, a) == others[int(growth.argmin())]
        assert least_union(q, states, sizes, a) == (others[int(unions.argmin())], unions.min())


@given(grouped(), recodings)
def test_absorbed_groups_equal_the_joined_group(drawn, recoding):
    data, groups, n_groups = drawn
    q = encode(data, recoding)
    states = states_of_groups(q, groups, n_groups)

    for b in range(1, n_groups):
        absorb(q, states, 0, states, b)

    if n_groups:
        everyone = np.flatnonzero(groups >= 0)
        np.testing.assert_allclose(costs_of_states(q, states)[0], group_cost(data, everyone, recoding), atol=1e-12)


@given(
    rt_datasets(min_records=1),
    recodings,
    st.integers(1, 3),
    st.sampled_from([0.0, 0.5, 1.5]),
    st.sampled_from([0.0, 1.0, 32.0]),
)
def test_alike_records_grow_together_as_the_oracle_has_them(data, recoding, k, unlike, price):
    q, t = encode(data, recoding), data.transactions
    rows = np.arange(len(data))[::-1].copy()
    taken = t.take(rows)
    records = [set(taken.items[a:b].tolist()) for a, b in pairwise(taken.offsets)]

    found = grow_alike(q, rows, taken.offsets, taken.items, len(t.domain) + 1, k, unlike, price)

    def cost(members):
        return float(costs_of_states(q._replace(values=q.values[rows[members]]), states_of_one(q, rows[members]))[0])

    expected = oracle_rt.grow_alike(records, cost, k, unlike, price)
    assert [sorted(np.flatnonzero(found == c).tolist()) for c in range(found.max() + 1)] == [sorted(m) for m in expected]


def states_of_one(q, rows):
    return states_of_groups(q._replace(values=q.values[rows]), np.zeros(len(rows), np.int64), 1)
