import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.nonreciprocal._kernels.voting import vote
from oracles import nonreciprocal as oracle
from strategies import transactions


@given(transactions(), st.data())
def test_votes_agree_with_counting(t, data):
    d = len(t.domain)
    groups = data.draw(st.lists(st.sets(st.integers(0, len(t) - 1), min_size=1).map(sorted), min_size=1, max_size=4))
    common = np.array(data.draw(st.lists(st.booleans(), min_size=d, max_size=d)), np.bool_)
    starts = np.concatenate([[0], np.cumsum([len(g) for g in groups])]).astype(np.int64)
    members = np.array([r for g in groups for r in g], np.int32)

    base_offsets, base, distance_offsets, distance, threshold = vote(t.offsets, t.items, starts, members, common)

    sets = [set(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in range(len(t))]
    for g, group in enumerate(groups):
        got = (
            base[base_offsets[g] : base_offsets[g + 1]].tolist(),
            distance[distance_offsets[g] : distance_offsets[g + 1]].tolist(),
            threshold[g],
        )
        base_set, doubt, most = oracle.vote([sets[r] for r in group], d, common)
        assert got == (sorted(base_set), sorted(doubt), most)
