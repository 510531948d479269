from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.rt._kernels.proximity import marks_of, merge_maxima, mirror, own_maxima, pair_distance, union_maxima
from anonset.algorithms.rt.cluster_merge import Btd
from anonset.model.dataset import Transactions
from oracles.rt import btd, cluster_btd
from strategies import transactions


def test_the_papers_pair():
    t = Transactions.from_records([{"E", "F", "B"}, {"E", "F", "D"}])

    assert pair_distance(t.offsets, t.items, 0, 1) == 4.0


@given(transactions(min_records=2))
def test_distance_agrees_with_sets(t):
    records = list(t.records())
    for r, first in enumerate(records):
        for s, second in enumerate(records):
            assert pair_distance(t.offsets, t.items, r, s) == float(btd(first, second))


@st.composite
def clustered(draw):
    """Transactions, their clusters, and the pairs to merge one after the other."""
    t = draw(transactions(min_records=3))
    group = draw(st.lists(st.integers(0, 3), min_size=len(t), max_size=len(t)))
    clusters = [np.array([r for r, g in enumerate(group) if g == c], np.int64) for c in sorted(set(group))]
    return t, clusters


def matrix(t, clusters):
    records = list(t.records())
    return [[cluster_btd([records[r] for r in {*a.tolist(), *b.tolist()}]) for b in clusters] for a in clusters]


@given(clustered())
def test_matrix_holds_the_btd_of_every_union(case):
    t, clusters = case

    found = [Btd(t, clusters).of(a, np.arange(len(clusters))) for a in range(len(clusters))]

    np.testing.assert_array_equal(found, np.array(matrix(t, clusters), np.float64))


@given(clustered(), st.randoms(use_true_random=False))
def test_merging_by_maxima_equals_computing_anew(case, random):
    t, clusters = case
    near = Btd(t, clusters)
    alive = list(range(len(clusters)))
    while len(alive) > 1:
        a, b = random.sample(alive, 2)
        near.merge(a, b)
        clusters[a] = np.concatenate([clusters[a], clusters[b]])
        alive.remove(b)

        expected = np.array(matrix(t, [clusters[c] for c in alive]), np.float64)
        np.testing.assert_array_equal([near.of(c, np.array(alive)) for c in alive], expected)


@given(transactions(min_records=2))
def test_records_without_a_common_mark_share_nothing(t):
    marks, records = marks_of(t.offsets, t.items).tolist(), list(t.records())
    for r, first in enumerate(records):
        assert marks[r].bit_count() == len({t.domain.index(item) % 64 for item in first})
        assert not any(first & second for s, second in enumerate(records) if marks[r] & marks[s] == 0)


@given(st.integers(0, 100))
def test_a_mirrored_matrix_is_its_own_transpose(n):
    whole = np.add.outer(np.arange(n), np.arange(n)) ** 2.0
    lower = np.tril(whole)
    mirror(lower)
    np.testing.assert_array_equal(lower, whole)


def test_a_cluster_of_one_has_no_pair_and_empty_records_are_alike():
    t = Transactions.from_records([set(), set(), {"a"}])
    starts, members = np.array([0, 2, 3]), np.array([0, 1, 2])

    own = own_maxima(t.offsets, t.items, members, starts)
    union = np.full((len(own), len(own)), np.nan)
    for p in (1, 0):
        union_maxima(t.offsets, t.items, marks_of(t.offsets, t.items), members, starts, own, union, (p, 2))
    mirror(union)

    assert own.tolist() == [0.0, 0.0]
    assert union[0, 1] == float(btd(set(), {"a"})) == float(Fraction(2))
    merge_maxima(union, 0, 1)
    assert union[0, 0] == 2.0
