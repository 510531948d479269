"""Cluster merging ([000] section 4).

1. The seed is the cluster with the lowest NCP (ties: fewer records, then lower number).
2. Its partner: "r" the cluster with the lowest NCP of the union; "t" the nearest one by items whose union keeps the bound; "rt"
   the first one that keeps the bound by the sum of its places in the two orders.
3. They merge under the lower number; merging ends when the seed finds no partner within the bound.

Ties between partners: lower NCP of the union, then lower number. In the order by items, equal proximities follow the NCP order.
Where Rum is a measure of sizes, the seed is the smallest cluster (ties: lower NCP) and unions are compared by size, then NCP.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from typing import Literal, NamedTuple

import numpy as np

from anonset.algorithms.rt.kernels.places import least_places
from anonset.algorithms.rt.proximity import Proximity
from anonset.algorithms.rt.rum import QuasiMeasure
from anonset.kernels.groups import Quasi, States, absorb, costs_of_states, least_union, states_of_groups, union_costs
from anonset.model.arrays import Mask, Reals, Rows

By = Literal["r", "t", "rt"]
Rejoin = Callable[[Sequence["Merging"]], "Merging"]


class ClusterMerge(NamedTuple):
    """Cluster `partner` went into cluster `seed`; the union bears the lower number of both, `name`."""

    seed: int
    partner: int
    name: int
    records: int
    lost: float  # NCP summed over all records, after the merge


@dataclass(slots=True)
class Merging:
    """Clusters that may merge with each other; sizes[c] is 0 where cluster c went into another."""

    quasi: Quasi
    proximity: Proximity | None
    names: Rows
    members: list[Rows]
    states: States
    sizes: Rows
    losses: Reals  # NCP of a record of each cluster
    _known: "Known" = field(default_factory=lambda: Known(), init=False)

    @classmethod
    def of(cls, quasi: Quasi, clusters: Sequence[Rows], names: Rows, proximity: Proximity | None) -> "Merging":
        """The given clusters, not merged yet."""
        group = np.full(len(quasi.values), -1, np.int64)
        for c, rows in enumerate(clusters):
            group[rows] = c
        states = states_of_groups(quasi, group, len(clusters))
        sizes = np.array([len(rows) for rows in clusters], np.int64)
        return cls(quasi, proximity, names, list(clusters), states, sizes, costs_of_states(quasi, states))

    def copy(self) -> "Merging":
        """The same clusters, to be merged in another way."""
        states = States(self.states.low.copy(), self.states.high.copy(), self.states.bits.copy())
        proximity = None if self.proximity is None else self.proximity.copy()
        members = list(self.members)
        return Merging(self.quasi, proximity, self.names, members, states, self.sizes.copy(), self.losses.copy())

    @property
    def alive(self) -> Rows:
        """The clusters that are left."""
        if self._known.alive is None:
            self._known.alive = np.flatnonzero(self.sizes)
        return self._known.alive

    @property
    def lost(self) -> float:
        """NCP summed over all records."""
        if self._known.lost is None:
            self._known.lost = float((self.sizes * self.losses).sum())
        return self._known.lost

    def seed(self, *, by_size: bool = False) -> "Seed":
        """The cluster with the lowest NCP; ties: fewer records, then lower number. By size it is the other way round."""
        if by_size not in self._known.seeds:
            alive = self.alive
            first, second = (self.sizes, self.losses) if by_size else (self.losses, self.sizes)
            values = first[alive]
            lowest = alive[values == values.min()]
            a = int(lowest[second[lowest].argmin()])
            self._known.seeds[by_size] = Seed(float(first[a]), float(second[a]), int(self.names[a]), a)
        return self._known.seeds[by_size]

    def merge(self, a: int, b: int) -> int:
        """Merge two clusters under the lower number, which is returned."""
        a, b = min(a, b), max(a, b)
        absorb(self.quasi, self.states, a, self.states, b)
        self.losses[a] = union_costs(self.quasi, _one(self.states, a), self.states, a)[0]
        self.members[a] = np.concatenate([self.members[a], self.members[b]])
        self.sizes[a] += self.sizes[b]
        self.sizes[b] = 0
        self._known = Known()
        if self.proximity is not None:
            self.proximity.merge(a, b)
        return a

    def compact(self) -> None:
        """Forget the clusters that were merged away, once they are the greater part."""
        if 2 * len(self.alive) >= len(self.sizes):
            return
        kept = self.sizes > 0
        self.names, self.sizes, self.losses = self.names[kept], self.sizes[kept], self.losses[kept]
        self.members = [rows for rows, here in zip(self.members, kept, strict=True) if here]
        self.states = States(self.states.low[kept], self.states.high[kept], self.states.bits[kept])
        self._known = Known()
        if self.proximity is not None:
            self.proximity.keep(kept)


class Seed(NamedTuple):
    """What the seeds of parts are compared by, and where the cluster is in its part."""

    first: float
    second: float
    name: int
    at: int


@dataclass(slots=True)
class Known:
    """What was found out about the clusters since one of them changed: of many parts a merge changes one."""

    alive: Rows | None = None
    lost: float | None = None
    seeds: dict[bool, Seed] = field(default_factory=dict)


def merges(
    parts: Sequence[Merging], by: By, rum: QuasiMeasure, bound: float = np.inf, rejoin: Rejoin | None = None
) -> Iterator[ClusterMerge]:
    """Merge clusters in place, step by step, while the measure of all records stays within the bound.

    Clusters merge only inside their part; the seed is the best of all parts, and a part down to one cluster has none. Once all
    parts are, `rejoin` makes one of them, and merging goes on.
    """
    queue = _Queue(parts, rum)
    while queue.seeds or (len(queue.parts) > 1 and rejoin is not None):
        if not queue.seeds and rejoin is not None:
            queue = _Queue([rejoin(queue.parts)], rum)
        seed, p = queue.seeds[0]
        part, a = queue.parts[p], seed.at
        b = _partner(by, rum, queue.now, part, a, bound)
        if b is None:
            return
        first, second = int(part.names[a]), int(part.names[b])
        c = part.merge(a, b)
        yield ClusterMerge(first, second, min(first, second), int(part.sizes[c]), queue.lost_now(p))
        part.compact()
        queue.changed(p)


class _Queue:
    """Parts in the order of their seeds; a merge changes one of them, and what it takes does not grow with their number."""

    def __init__(self, parts: Sequence[Merging], rum: QuasiMeasure) -> None:
        self.parts, self._rum = parts, rum
        self._losses = np.array([part.lost for part in parts])
        self.seeds = [(part.seed(by_size=rum.by_size), p) for p, part in enumerate(parts) if len(part.alive) > 1]
        heapify(self.seeds)

    def changed(self, p: int) -> None:
        """Look again at the part that was first, number p."""
        part = self.parts[p]
        self.lost_now(p)
        if len(part.alive) > 1:
            heapreplace(self.seeds, (part.seed(by_size=self._rum.by_size), p))
        else:
            heappop(self.seeds)

    def lost_now(self, p: int) -> float:
        """NCP summed over all records, after part p changed."""
        self._losses[p] = self.parts[p].lost
        return self._lost

    @property
    def _lost(self) -> float:
        return float(self._losses.cumsum()[-1])

    @property
    def now(self) -> float:
        """The measure of the clusters of all parts."""
        return self._rum.now(self._lost, self.parts)


def _partner(by: By, rum: QuasiMeasure, now: float, part: Merging, a: int, bound: float) -> int | None:
    """The cluster to merge cluster a of a part with, or None where no merge keeps the bound."""
    if by == "r" and not rum.by_size:
        b, union = least_union(part.quasi, part.states, part.sizes, a)
        return b if rum.allowed(now, part, a, np.array([b]), np.array([union]), bound)[0] else None
    others = part.alive[part.alive != a]
    unions = union_costs(part.quasi, part.states, part.states, a)[others]
    allowed = rum.allowed(now, part, a, others, unions, bound)
    place = _place(by, rum.costs(part, others, unions), part, a, others, allowed)
    return None if place is None else int(others[place])


def _place(by: By, unions: Reals, part: Merging, a: int, others: Rows, allowed: Mask) -> int | None:
    """The place among others of the cluster to merge with, or None where no merge keeps the bound."""
    if by == "r":
        best = int(unions.argmin())
        return best if allowed[best] else None
    if not allowed.any():
        return None
    assert part.proximity is not None
    nearness = part.proximity.of(a, others)
    if by == "t":
        nearest = np.flatnonzero(allowed & (nearness == nearness[allowed].min()))
        return int(nearest[unions[nearest].argmin()])
    return least_places(unions, nearness, allowed)


def _one(states: States, a: int) -> States:
    return States(states.low[a : a + 1], states.high[a : a + 1], states.bits[a : a + 1])
