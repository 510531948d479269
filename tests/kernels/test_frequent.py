"""Frequent itemsets, against counting every set."""

from hypothesis import given
from hypothesis import strategies as st

from anonset.measure._kernels.frequent import frequent_itemsets
from oracles import itemsets as oracle
from strategies import transactions


def mined(t, least, longest, most):
    offsets, items, supports, complete = frequent_itemsets(t.offsets, t.items, len(t.domain), least, longest, most)
    sets = [tuple(t.domain[i] for i in items[offsets[s] : offsets[s + 1]]) for s in range(len(supports))]
    return sets, supports.tolist(), complete


@given(transactions(), st.integers(1, 4), st.integers(1, 4))
def test_frequent_itemsets_agree_with_the_oracle(t, least, longest):
    sets, supports, complete = mined(t, least, longest, 1000)

    assert complete
    assert len(set(sets)) == len(sets)
    expected = {s: n for s, n in oracle.supports(t.records(), longest).items() if n >= least}
    assert dict(zip(sets, supports, strict=True)) == expected


@given(transactions(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 6))
def test_no_more_sets_than_asked_for_and_it_is_said(t, least, longest, most):
    expected = {s: n for s, n in oracle.supports(t.records(), longest).items() if n >= least}

    sets, supports, complete = mined(t, least, longest, most)

    assert complete == (len(expected) <= most)
    assert len(sets) == min(most, len(expected))
    assert all(expected[s] == n for s, n in zip(sets, supports, strict=True))
