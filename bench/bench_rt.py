"""What the quick steps of the RT algorithms save, against the plain way in the same process. CPU seconds, warm kernels.

Run: python bench/bench_rt.py
"""

import os
import sys
import time
from pathlib import Path

import numpy as np
from numba import njit

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from algorithms.rt.informs import informs
from anonset.algorithms.relational.encoding import encode
from anonset.algorithms.rt._kernels.proximity import marks_of, mirror, own_maxima, pair_distance, union_maxima
from anonset.algorithms.rt.base import form_clusters
from anonset.algorithms.rt.cluster_merge import Btd, MergeState, QuasiMeasure, merges
from anonset.algorithms.rt.item_step import AaStep, AnyStep, Items
from anonset.algorithms.rt.merge import RmergeT
from anonset.algorithms.transactions.aa import Aa

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
K, M = 25, 2


def cpu(job, times=2):
    """The least CPU time of a few runs, and the result."""
    best, result = float("inf"), None
    for _ in range(times):
        before = time.process_time()
        result = job()
        best = min(best, time.process_time() - before)
    return best, result


@njit
def union_maxima_of_all_pairs(offsets, items, members, starts):
    """The same matrix without bounds: every pair of records is looked at."""
    c = len(starts) - 1
    union = np.zeros((c, c))
    for a in range(c):
        for b in range(a + 1):
            for p in range(starts[a], starts[a + 1]):
                for q in range(starts[b], starts[b + 1]):
                    if members[p] != members[q]:
                        union[a, b] = max(union[a, b], pair_distance(offsets, items, members[p], members[q]))
            union[b, a] = union[a, b]
    own = np.diag(union).copy()
    for a in range(c):
        for b in range(c):
            union[a, b] = max(union[a, b], own[a], own[b])
    return union


def flat(t, clusters):
    members = np.concatenate([rows[np.argsort(-t.lengths[rows], kind="stable")] for rows in clusters])
    return members, np.cumsum([0, *map(len, clusters)])


class Forgetful:
    """BTD of unions, computed from the records whenever it is asked for."""

    def __init__(self, t, clusters):
        self.t, self.clusters = t, list(clusters)

    def of(self, a, others):
        found = []
        for b in others:
            union = np.concatenate([self.clusters[a], self.clusters[b]])
            union = union[np.argsort(-self.t.lengths[union], kind="stable")]
            found.append(own_maxima(self.t.offsets, self.t.items, union, np.array([0, len(union)]))[0])
        return np.array(found)

    def merge(self, a, b):
        self.clusters[a] = np.concatenate([self.clusters[a], self.clusters[b]])

    def keep(self, kept):
        self.clusters = [rows for rows, here in zip(self.clusters, kept, strict=True) if here]


def main():
    data = informs(DATA)
    some = data.take(np.sort(np.random.default_rng(0).permutation(len(data))[:5000]))
    values = {"k": K, "seed": 1, "recoding": "nodes", "weights": ""}
    for name, source in (("5,000 records", some), (f"{len(data):,} records", data)):
        t, clusters = source.linkable, form_clusters(source, "cluster", values)
        members, starts = flat(t, clusters)
        own = own_maxima(t.offsets, t.items, members, starts)
        found = np.empty((len(own), len(own)))
        marks = marks_of(t.offsets, t.items)
        quick, _ = cpu(lambda: union_maxima(t.offsets, t.items, marks, members, starts, own, found, (0, 1)))  # noqa: B023
        mirror(found)
        union_maxima_of_all_pairs(t.offsets, t.items, members[:2], np.array([0, 1, 2]))
        plain, expected = cpu(lambda: union_maxima_of_all_pairs(t.offsets, t.items, members, starts), 1)  # noqa: B023
        assert (found == expected).all()
        print(f"BTD of all unions, {name}: {quick:.3f} s, every pair of records {plain:.2f} s, {plain / quick:.0f} times")
    clusters = form_clusters(some, "cluster", values)
    names = np.arange(len(clusters))

    def merged(proximity):
        state = MergeState.of(encode(some), clusters, names, proximity(some.linkable, clusters))
        return [(step.seed, step.partner) for step in merges([state], "t", QuasiMeasure("ncp", len(some), K), 0.65)]

    merged(Btd)
    quick, found = cpu(lambda: merged(Btd))
    plain, expected = cpu(lambda: merged(Forgetful), 1)
    assert found == expected
    print(
        f"merging by items, 5,000 records: {quick:.3f} s, distances from the records {plain:.2f} s, {plain / quick:.0f} times"
    )
    clusters = form_clusters(data, "cluster", values)
    shared, single = Items(AaStep(data, K, M, 1), exact_weight=1.0), AnyStep(data, Aa(k=K, m=M), K, M, 1)
    alone = Items(single, exact_weight=1.0)
    quick, found = cpu(lambda: shared.outcomes(clusters))
    plain, expected = cpu(lambda: alone.outcomes(clusters))
    assert [round(a.lost, 6) for a in found] == [round(b.lost, 6) for b in expected]
    print(f"aa in {len(clusters)} clusters: {quick:.2f} s, as datasets of their own {plain:.2f} s, {plain / quick:.1f} times")
    for delta in (0.35, 0.65, 0.95):
        seconds, _ = cpu(lambda: RmergeT(k=K, delta=delta, seed=1).anonymize(data))  # noqa: B023
        print(f"rmerge-t, {len(data):,} records, delta {delta}: {seconds:.2f} s in all")


if __name__ == "__main__":
    main()
