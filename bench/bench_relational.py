"""Growth of the relational algorithms, and what cluster's search tree saves. CPU seconds, warm kernels, look-alikes of Adult.

Run: python bench/bench_relational.py [FACTOR ...]. The baseline of `cluster` looks at every record left for each seed.
"""

import sys
import time

import numpy as np
from numba import njit

from anonset.algorithms import make
from anonset.algorithms.relational.cluster import cluster_records
from anonset.algorithms.relational.encoding import encode
from anonset.kernels.groups import RANGE, TREE
from anonset.measure.information_loss import ncp
from anonset.model.dataset import Dataset
from table_relational import adult


@njit(nogil=True)
def scan_clusters(q, seeds, k):
    """The paper's loop as it stands: the k-1 cheapest of all records left, for each seed."""
    n, v = q.values.shape
    cluster = np.full(n, -1, np.int64)
    left = seeds.copy()
    formed = 0
    while len(left) >= k:
        costs = np.zeros(len(left))
        for p in range(len(left)):
            for j in range(v):
                a, b = q.values[left[0], j], q.values[left[p], j]
                if a == b:
                    continue
                if q.kind[j] == RANGE:
                    costs[p] += q.weight[j] * min(abs(a - b), 1.0)
                elif q.kind[j] == TREE:
                    node, leaf = q.first[j] + np.int64(a), q.low[q.first[j] + np.int64(b)]
                    while leaf < q.low[node] or leaf >= q.high[node]:
                        node = q.first[j] + q.parent[node]
                    costs[p] += q.weight[j] * q.cost[node]
                else:
                    costs[p] += q.weight[j] * 2 / q.size[j]
        bound = np.partition(costs, k - 1)[k - 1]
        taken = 0
        for p in range(len(left)):
            if costs[p] < bound:
                cluster[left[p]] = formed
                taken += 1
        for p in range(len(left)):
            if costs[p] == bound and taken < k:
                cluster[left[p]] = formed
                taken += 1
        formed += 1
        left = left[cluster[left] < 0]
    return cluster


def like(data, factor, rng):
    """More records: each a real one, with every value taken from another record one time in four."""
    n = len(data) * factor
    base = rng.integers(len(data), size=n)
    columns = [c.take(np.where(rng.random(n) < 0.25, rng.integers(len(data), size=n), base)) for c in data.columns]
    return Dataset(tuple(columns))


def cpu(job):
    before = time.process_time()
    result = job()
    return time.process_time() - before, result


def against_scan(data, k, recoding):
    q, seeds = encode(data, recoding), np.random.default_rng(1).permutation(len(data))
    few = encode(data.take(np.arange(200)), recoding)
    scan_clusters(few, np.arange(200), k)
    cluster_records(few, k, np.arange(200), partition_above=10**9)
    slow, _ = cpu(lambda: scan_clusters(q, seeds, k))
    quick, _ = cpu(lambda: cluster_records(q, k, seeds, partition_above=10**9))
    print(f"cluster {recoding:6} k={k:<3} scan {slow:7.2f} s  tree {quick:6.2f} s  {slow / quick:6.1f} times", flush=True)


def main(factors):
    data = adult()
    for recoding in ("nodes", "ranges", "sets"):
        for k in (5, 25):
            against_scan(data, k, recoding)
    rng = np.random.default_rng(0)
    runs = [
        ("cluster", {"seed": 1}),
        ("cluster", {"seed": 1, "partition_above": 20_000}),
        ("mondrian", {}),
        ("peel", {}),
        ("incognito", {}),
        ("top-down", {}),
        ("bottom-up", {}),
    ]
    for factor in factors:
        larger = like(data, factor, rng)
        for name, values in runs:
            seconds, release = cpu(lambda: make(name, {"k": 5} | values).anonymize(larger))  # noqa: B023
            title = f"{name} {' '.join(f'{a}={b}' for a, b in values.items() if a != 'seed')}"
            print(f"{len(larger):>9,} records  {title:32} {seconds:7.2f} s  NCP {ncp(larger, release):.4f}", flush=True)


if __name__ == "__main__":
    main([int(factor) for factor in sys.argv[1:]] or [1, 3, 10])
