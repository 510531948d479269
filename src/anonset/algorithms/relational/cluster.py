"""Clusters of similar records ([000] section 5, Cluster).

1. While k records remain, take a random one, the seed: it forms a cluster with the k - 1 records that cost least with it.
2. Each of the fewer than k remaining records joins the cluster that costs least with it.
3. All records of a cluster publish the same values; clusters with the same values become one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.relational._kernels.clusters import grow_clusters, pair_costs
from anonset.algorithms.relational.base import Relational, constraint_of_records, guarantees_of, strengthen
from anonset.algorithms.relational.encoding import Recoding, encode
from anonset.algorithms.relational.publication import publish_groups
from anonset.kernels.groups import RANGE, SET, Quasi, absorb, states_of_groups, states_of_records, union_costs
from anonset.model.arrays import Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.parameters import Bounds, Seed
from anonset.model.progress import Progress, silent
from anonset.model.release import Release

PartitionAbove = Annotated[int, Bounds(1, 1_000_000_000), "cut more records than this into parts first, at medians: quicker"]


@dataclass(frozen=True, slots=True)
class Cluster(Relational):
    """Groups of k similar records around random seeds; local recoding."""

    seed: Seed = None
    recoding: Recoding = "nodes"
    partition_above: PartitionAbove = 1_000_000
    name: ClassVar[str] = "cluster"
    title: ClassVar[str] = "Clusters of similar records"
    paper: ClassVar[str] = "[000] section 5"
    randomized: ClassVar[bool] = True

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release whose groups are the clusters."""
        guarantees = guarantees_of(self, data)
        constraint = constraint_of_records(data, guarantees)
        q = encode(data, self.recoding, self.weights)
        seeds = np.random.default_rng(self.seed).permutation(len(data))
        groups = cluster_records(q, self.k, seeds, partition_above=self.partition_above, progress=progress)
        groups = strengthen(q, groups, constraint)
        progress(1.0)
        return publish_groups(self, data, groups, guarantees, recoding=self.recoding)  # step 3


def cluster_records(
    q: Quasi, k: int, seeds: Rows, *, partition_above: int, leftovers: bool = True, progress: Progress = silent
) -> Rows:
    """The cluster of each record, numbered as they are formed; the next seed is the first of `seeds` without a cluster.

    With leftovers=False the fewer than k records that remain in each part have no cluster: -1.
    """
    n = len(q.values)
    groups = np.full(n, -1, np.int64)
    formed, done = 0, 0
    for rows in median_parts(q, max(partition_above, 5 * k)):
        progress(done / n)
        within = np.zeros(n, np.bool_)
        within[rows] = True
        first = formed
        formed = _grow(q, rows, seeds[within[seeds]], k, groups, first, _share(progress, done / n, len(rows) / n))
        if leftovers:
            _accommodate(q, rows[groups[rows] < 0], groups, first, formed)
        done += len(rows)
    return groups


def _share(progress: Progress, start: float, share: float) -> Progress:
    return lambda done: progress(min(1.0, start + share * done))


def _grow(q: Quasi, rows: Rows, seeds: Rows, k: int, groups: Rows, formed: int, progress: Progress) -> int:
    """Step 1 on the given records: fill groups[r] in place and return the number of clusters so far."""
    n = len(rows)
    attributes = _dearest_first(q, rows)
    rows = rows[np.lexsort(q.values[rows][:, attributes[::-1]].T)]
    while len(rows) >= k:  # half of the remaining records at a time: the search gets shorter as they get fewer
        formed = grow_clusters(q, attributes, rows, seeds, k, len(rows) // 2, groups, formed)
        rows, seeds = rows[groups[rows] < 0], seeds[groups[seeds] < 0]
        progress(1.0 - len(rows) / n)
    return formed


def _dearest_first(q: Quasi, rows: Rows) -> Rows:
    """The attributes, sorted by the average cost of a pair of records, the highest first."""
    step = max(1, len(rows) // 2000)
    some = rows[::step]
    return np.argsort(-pair_costs(q, some, np.roll(some, len(some) // 2)), kind="stable")


def _accommodate(q: Quasi, rows: Rows, groups: Rows, first: int, formed: int) -> None:
    """Step 2: each record joins the cheapest of the clusters first .. formed - 1."""
    if len(rows) == 0:
        return
    states = states_of_groups(q, np.where(groups >= first, groups - first, -1), formed - first)
    records = states_of_records(q, rows)
    for p, r in enumerate(rows):
        g = int(np.argmin(union_costs(q, states, records, p)))
        absorb(q, states, g, records, p)
        groups[r] = first + g


def median_parts(q: Quasi, limit: int) -> Iterator[Rows]:
    """The rows of parts of at most `limit` records each, and of at least a fifth of that if there are enough.

    A part is cut between two values of an attribute, close to the median. The attribute is the one with the highest loss if the
    whole part published one value, among those with a cut that leaves a fifth of the records on both sides; if none has such a
    cut, records with equal values are separated.
    """
    waiting = [np.arange(len(q.values), dtype=np.int64)]
    while waiting:
        rows = waiting.pop()
        if len(rows) <= limit or len(q.kind) == 0:
            yield np.sort(rows)
        else:
            waiting += reversed(_halves(q, rows))


def _halves(q: Quasi, rows: Rows) -> tuple[Rows, Rows]:
    n = len(rows)
    attributes = np.argsort(-_losses(q, rows), kind="stable")
    for j in attributes:
        values = q.values[rows, j]
        order = np.argsort(values, kind="stable")
        edges = np.flatnonzero(np.diff(values[order])) + 1
        edges = edges[(edges >= n // 5) & (edges <= n - n // 5)]
        if len(edges):
            edge = edges[np.argmin(np.abs(edges - n // 2))]
            return rows[order[:edge]], rows[order[edge:]]
    order = np.argsort(q.values[rows, attributes[0]], kind="stable")
    return rows[order[: n // 2]], rows[order[n // 2 :]]


def _losses(q: Quasi, rows: Rows) -> Reals:
    """The loss of each attribute if all records of the part publish one label."""
    part = Quasi(q.kind, q.weight, q.values[rows], *q[3:])
    state = states_of_groups(part, np.zeros(len(rows), np.int64), 1)
    losses = np.empty(len(q.kind))
    for j, kind in enumerate(q.kind):
        if kind == RANGE:
            losses[j] = min(1.0, state.high[0, j] - state.low[0, j])
        elif kind == SET:
            losses[j] = len(np.unique(part.values[:, j])) / max(1, q.size[j])
        else:
            losses[j] = q.cost[q.first[j] + int(state.low[0, j])]
    return losses * q.weight
