import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational._kernels.clusters import grow_clusters, pair_costs
from anonset.algorithms.relational.encoding import encode
from anonset.model.dataset import Column, Dataset
from oracles.relational import group_cost
from strategies import relational_datasets

recodings = st.sampled_from(["nodes", "ranges", "sets"])


def grow(data, k, seeds, recoding, rest=0):
    q = encode(data, recoding)
    attributes = np.arange(len(q.kind))[::-1].copy()
    cluster = np.full(len(data), -1, np.int64)
    rows = np.lexsort(q.values[:, attributes[::-1]].T)
    formed = grow_clusters(q, attributes, rows, seeds, k, rest, cluster, 0)
    return cluster, formed


@given(relational_datasets(max_records=16), st.integers(1, 5), st.integers(0, 99), recodings)
def test_every_cluster_is_its_seed_and_the_nearest_records(data, k, seed, recoding):
    seeds = np.random.default_rng(seed).permutation(len(data))

    cluster, formed = grow(data, k, seeds, recoding)

    assert formed == len(data) // k
    left = seeds.tolist()
    for c in range(formed):
        members = [r for r in left if cluster[r] == c]
        assert members[0] == left[0]
        assert len(members) == k
        dearest = max(group_cost(data, {left[0], r}, recoding) for r in members)
        others = [r for r in left if cluster[r] != c]
        assert all(group_cost(data, {left[0], r}, recoding) >= dearest - 1e-9 for r in others)
        left = others
    assert all(cluster[r] == -1 for r in left)


def test_growing_stops_when_few_enough_are_left():
    rows = 12
    codes = np.arange(rows, dtype=np.int32)
    numbers = Column("x", "quasi", "numeric", codes, tuple(map(str, range(rows))), codes.astype(np.float64))

    cluster, formed = grow(Dataset((numbers,)), 3, np.arange(rows), "nodes", rest=6)

    assert formed == 2
    assert cluster.tolist() == [0, 0, 0, 1, 1, 1] + [-1] * 6


@given(relational_datasets(min_records=2), recodings)
def test_pair_costs_add_up_to_the_cost_of_pairs(data, recoding):
    a = np.arange(len(data) - 1)

    found = pair_costs(encode(data, recoding), a, a + 1).sum()

    np.testing.assert_allclose(found, sum(group_cost(data, {r, r + 1}, recoding) for r in a), atol=1e-9)
