"""Cluster merging, step 4 of the frameworks of [000] (section 4): RmergeR, RmergeT and RmergeRT in one loop.

1. While clusters merge:
2.   The seed is the cluster with the lowest NCP.
3.   Order the other clusters by the NCP of their union with the seed (`r`), by how alike the items of the union are (`t`), or
     by the sum of the places in both orders (`rt`).
4.   Merge the seed with the first of them whose union keeps the bound (`r`: with the very first, or end).

The Tmerge algorithms are the same loop without a bound: [000] ends it as soon as the items lose little enough, which is known
only to the caller. How alike items are is their Bit-vector Transaction Distance (section 5), or the loss of the union itself.
Too many clusters to compare with each other are cut into parts, and the rest of the parts is joined at the end.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heapreplace
from math import lcm
from typing import Literal, NamedTuple, Protocol

import numpy as np

from anonset import threads
from anonset.algorithms.relational.cluster import median_parts
from anonset.algorithms.rt._kernels.proximity import least_places, marks_of, merge_maxima, mirror, own_maxima, union_maxima
from anonset.algorithms.rt.item_step import ItemOutcome
from anonset.kernels.groups import (
    RANGE,
    TREE,
    Quasi,
    States,
    absorb,
    costs_of_states,
    least_union,
    states_of_groups,
    union_costs,
)
from anonset.model.arrays import Mask, Reals, Rows
from anonset.model.dataset import Transactions
from anonset.model.sets import offsets_of, rows_of

By = Literal["r", "t", "rt"]
Rum = Literal["ncp", "discernibility", "c-avg"]
Rejoin = Callable[[Sequence["MergeState"]], "MergeState"]
Near = Callable[[list[Rows]], "Proximity"]
MeanLosses = Callable[[Sequence[Rows]], Reals]  # the mean UL of the records of each cluster, once its items are generalized

TITLES: dict[Rum, str] = {"ncp": "NCP", "discernibility": "discernibility", "c-avg": "C_avg"}
TOLERANCE = 1e-9
FEW = 100  # clusters that are not worth a second thread


class ClusterMerge(NamedTuple):
    """Cluster `partner` went into cluster `seed`; the union bears the lower number of both, `name`."""

    seed: int
    partner: int
    name: int
    records: int
    lost: float  # NCP summed over all records, after the merge


class Solution(NamedTuple):
    """Clusters by number, the merges that made them, and what they lose: NCP and UL of the mean record."""

    outcomes: dict[int, ItemOutcome]
    steps: list[ClusterMerge]
    ncp: float
    ul: float


def merges(
    parts: Sequence["MergeState"], by: By, rum: "QuasiMeasure", bound: float = np.inf, rejoin: Rejoin | None = None
) -> Iterator[ClusterMerge]:
    """Merge clusters in place, step by step, while the measure of all records stays within the bound.

    Clusters merge only inside their part; the seed is the best of all parts, and a part of one cluster has none. Once all
    parts have one cluster, `rejoin` makes one part of them, and merging goes on.
    """
    queue = _PartQueue(parts, rum)
    while queue.seeds or (len(queue.parts) > 1 and rejoin is not None):  # step 1
        if not queue.seeds and rejoin is not None:
            queue = _PartQueue([rejoin(queue.parts)], rum)
        seed, p = queue.seeds[0]  # step 2
        part, a = queue.parts[p], seed.at
        b = _partner(by, rum, queue.measure, part, a, bound)  # step 3
        if b is None:
            return
        first, second = int(part.names[a]), int(part.names[b])
        c = part.merge(a, b)  # step 4
        yield ClusterMerge(first, second, min(first, second), int(part.sizes[c]), queue.lost_after_change(p))
        part.compact()
        queue.update(p)


def _partner(by: By, rum: "QuasiMeasure", now: float, part: "MergeState", a: int, bound: float) -> int | None:
    """The cluster to merge cluster a of a part with, or None where no merge keeps the bound."""
    if by == "r" and not rum.by_size and part.unit == 0:
        b, union = least_union(part.quasi, part.states, part.sizes, a)
        return b if rum.allowed(now, part, a, np.array([b]), np.array([union]), bound)[0] else None
    others = part.alive[part.alive != a]
    unions = _in_units(union_costs(part.quasi, part.states, part.states, a), part.unit)[others]
    allowed = rum.allowed(now, part, a, others, unions, bound)
    place = _place(by, rum.costs(part, others, unions), part, a, others, allowed)
    return None if place is None else int(others[place])


def _place(by: By, unions: Reals, part: "MergeState", a: int, others: Rows, allowed: Mask) -> int | None:
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


@dataclass(slots=True)
class MergeState:
    """Clusters that may merge with each other; sizes[c] is 0 where cluster c went into another."""

    quasi: Quasi
    proximity: "Proximity | None"
    names: Rows
    members: list[Rows]
    states: States
    sizes: Rows
    losses: Reals  # NCP of a record of each cluster
    unit: int  # NCP of whole units is compared exactly: see `cost_unit`
    _cache: "_Cache" = field(default_factory=lambda: _Cache(), init=False)

    @classmethod
    def of(cls, quasi: Quasi, clusters: Sequence[Rows], names: Rows, proximity: "Proximity | None") -> "MergeState":
        """The given clusters, not merged yet."""
        states, losses = cluster_states(quasi, clusters)
        sizes, unit = np.array([len(rows) for rows in clusters], np.int64), cost_unit(quasi)
        return cls(quasi, proximity, names, list(clusters), states, sizes, _in_units(losses, unit), unit)

    def copy(self) -> "MergeState":
        """A copy, to merge in another order."""
        states = States(self.states.low.copy(), self.states.high.copy(), self.states.bits.copy())
        proximity = None if self.proximity is None else self.proximity.copy()
        members = list(self.members)
        sizes, losses = self.sizes.copy(), self.losses.copy()
        return MergeState(self.quasi, proximity, self.names, members, states, sizes, losses, self.unit)

    @property
    def alive(self) -> Rows:
        """The clusters that are left."""
        if self._cache.alive is None:
            self._cache.alive = np.flatnonzero(self.sizes)
        return self._cache.alive

    @property
    def lost(self) -> float:
        """NCP summed over all records."""
        if self._cache.lost is None:
            self._cache.lost = float((self.sizes * self.losses).sum())
        return self._cache.lost

    def seed(self, *, by_size: bool = False) -> "Seed":
        """The cluster with the lowest NCP; ties: fewer records, then lower number. By size it is the other way round."""
        if by_size not in self._cache.seeds:
            alive = self.alive
            first, second = (self.sizes, self.losses) if by_size else (self.losses, self.sizes)
            values = first[alive]
            lowest = alive[values == values.min()]
            a = int(lowest[second[lowest].argmin()])
            self._cache.seeds[by_size] = Seed(float(first[a]), float(second[a]), int(self.names[a]), a)
        return self._cache.seeds[by_size]

    def merge(self, a: int, b: int) -> int:
        """Merge two clusters under the lower number, which is returned."""
        a, b = min(a, b), max(a, b)
        absorb(self.quasi, self.states, a, self.states, b)
        self.losses[a] = _in_units(union_costs(self.quasi, _one(self.states, a), self.states, a), self.unit)[0]
        self.members[a] = np.concatenate([self.members[a], self.members[b]])
        self.sizes[a] += self.sizes[b]
        self.sizes[b] = 0
        self._cache = _Cache()
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
        self._cache = _Cache()
        if self.proximity is not None:
            self.proximity.keep(kept)


class Seed(NamedTuple):
    """What the seeds of parts are compared by, and where the cluster is in its part."""

    first: float
    second: float
    name: int
    at: int


@dataclass(slots=True)
class _Cache:
    """What was computed since a cluster of the part changed: a merge changes one of many parts."""

    alive: Rows | None = None
    lost: float | None = None
    seeds: dict[bool, Seed] = field(default_factory=dict)


def _one(states: States, a: int) -> States:
    return States(states.low[a : a + 1], states.high[a : a + 1], states.bits[a : a + 1])


LARGEST_UNIT = 1 << 40  # so that a float that is a bit off is nearer to its whole number of units than to the next
LARGEST_DENOMINATOR = 1 << 24  # of one column: larger ones fit any number, as far as floats can tell


def cost_unit(quasi: Quasi) -> int:
    """The u for which every NCP of a group is a whole number of 1/u; 0 where there is none that is small enough.

    Floats of equal NCP differ in the last digit where other columns make it up; in whole units they are equal.
    """
    unit, columns = _denominator(quasi.weight), 1
    ends = np.append(quasi.first[1:], len(quasi.cost))
    for j, kind in enumerate(quasi.kind):
        if kind == RANGE:
            own = _denominator(np.unique(quasi.values[:, j]))
        elif kind == TREE:
            own = _denominator(np.unique(quasi.cost[quasi.first[j] : ends[j]]))
        else:
            own = max(1, int(quasi.size[j]))
        columns = lcm(columns, own)
        if not 0 < unit * columns <= LARGEST_UNIT:
            return 0
    return unit * columns if len(quasi.kind) else 0


def _denominator(values: Reals) -> int:
    """The least common denominator of fractions from 0 on; 0 where it is too large."""
    found = 1
    while found and (off := np.abs(values * found - np.rint(values * found)) > found * 2.0**-50).any():
        larger = lcm(found, Fraction(float(values[off][0])).limit_denominator(LARGEST_DENOMINATOR).denominator)
        found = larger if found < larger <= LARGEST_DENOMINATOR else 0
    return found


def _in_units(costs: Reals, unit: int) -> Reals:
    """NCP as the floats nearest to whole numbers of 1/unit: the same for the same NCP."""
    return np.rint(costs * unit) / unit if unit else costs


def cluster_states(quasi: Quasi, clusters: Sequence[Rows]) -> tuple[States, Reals]:
    """The quasi values that clusters publish, and the NCP of a record of each."""
    part = quasi._replace(values=quasi.values[np.concatenate(clusters)])
    group = np.repeat(np.arange(len(clusters)), [len(rows) for rows in clusters])
    states = states_of_groups(part, group, len(clusters))
    return states, costs_of_states(quasi, states)


class _PartQueue:
    """Parts in the order of their seeds, so that a merge costs the same however many parts there are."""

    def __init__(self, parts: Sequence[MergeState], rum: "QuasiMeasure") -> None:
        self.parts, self._rum = parts, rum
        self._losses = np.array([part.lost for part in parts])
        self.seeds = [(part.seed(by_size=rum.by_size), p) for p, part in enumerate(parts) if len(part.alive) > 1]
        heapify(self.seeds)

    def update(self, p: int) -> None:
        """Put part p, which was first, in its new place."""
        part = self.parts[p]
        self.lost_after_change(p)
        if len(part.alive) > 1:
            heapreplace(self.seeds, (part.seed(by_size=self._rum.by_size), p))
        else:
            heappop(self.seeds)

    def lost_after_change(self, p: int) -> float:
        """NCP summed over all records, after part p changed."""
        self._losses[p] = self.parts[p].lost
        return self._lost

    @property
    def _lost(self) -> float:
        return float(self._losses.cumsum()[-1])

    @property
    def measure(self) -> float:
        """The measure of the clusters of all parts."""
        return self._rum.now(self._lost, self.parts)


class ClusterParts:
    """The initial clusters in parts of at most `most`, to be merged again from the start as often as needed."""

    __slots__ = ("_clusters", "_first", "_most", "_names", "_near", "_quasi")

    def __init__(self, quasi: Quasi, near: Near | None, clusters: list[Rows], names: Rows, most: int) -> None:
        self._quasi, self._near, self._clusters, self._names, self._most = quasi, near, clusters, names, most
        self._first: list[MergeState] | None = None

    def fresh(self, *, again: bool = False) -> list[MergeState]:
        """The clusters, not merged yet; `again` says that there are further calls, so that costly matrices are copied."""
        if again and self._first is None:
            self._first = self._make_parts()
        return self._make_parts() if self._first is None else [part.copy() for part in self._first]

    def joined(self, parts: Sequence[MergeState]) -> MergeState:
        """What is left of several parts, in one."""
        names = np.array([part.names[c] for part in parts for c in part.alive])
        clusters = [part.members[c] for part in parts for c in part.alive]
        order = np.argsort(names)
        rows = [clusters[c] for c in order]
        return self._state(rows, names[order])

    def _make_parts(self) -> list[MergeState]:
        firsts = self._quasi._replace(values=self._quasi.values[[rows[0] for rows in self._clusters]])
        parts = sorted(median_parts(firsts, self._most), key=lambda part: int(part[0]))
        return [self._state([self._clusters[c] for c in part], self._names[part]) for part in parts]

    def _state(self, clusters: list[Rows], names: Rows) -> MergeState:
        return MergeState.of(self._quasi, clusters, names, None if self._near is None else self._near(clusters))


class QuasiMeasure(NamedTuple):
    """A measure of the quasi values of n records in groups of at least k."""

    rum: Rum
    n: int
    k: int

    @property
    def by_size(self) -> bool:
        """Whether only the sizes of groups count."""
        return self.rum != "ncp"

    @property
    def worst(self) -> float:
        """What all records in one group have."""
        return {"ncp": 1.0, "discernibility": float(self.n) ** 2, "c-avg": self.n / self.k}[self.rum]

    def of_sizes(self, sizes: Rows) -> float:
        """The measure of groups of these sizes, where only sizes count."""
        if self.rum == "discernibility":
            return float((sizes.astype(np.float64) ** 2).sum())
        return self.n / (max(1, len(sizes)) * self.k)

    def now(self, lost: float, parts: Sequence["MergeState"]) -> float:
        """The measure of the clusters, each a group of its own; `lost` is their NCP summed over all records."""
        if not self.by_size:
            return lost / self.n
        return self.of_sizes(np.concatenate([part.sizes[part.sizes > 0] for part in parts]))

    def costs(self, part: "MergeState", others: Rows, unions: Reals) -> Reals:
        """What each union of a cluster with another costs, for comparing; unions[p] is the NCP of the union with others[p]."""
        if not self.by_size:
            return unions
        ranks = np.empty(len(others))
        ranks[np.lexsort((unions, part.sizes[others]))] = np.arange(len(others))
        return ranks

    def allowed(self, now: float, part: "MergeState", a: int, others: Rows, unions: Reals, bound: float) -> Mask:
        """Which unions of cluster a with the others keep the bound, given what the measure is now."""
        sizes, losses = part.sizes, part.losses
        if self.rum == "c-avg":
            groups = round(self.n / (now * self.k)) - 1
            return np.full(len(others), groups > 0 and self.n / (groups * self.k) <= bound)
        if self.rum == "discernibility":
            after = now + 2.0 * sizes[a] * sizes[others]
        else:
            growth = unions * (sizes[others] + sizes[a]) - losses[others] * sizes[others]
            after = now + (growth - losses[a] * sizes[a]) / self.n
        return np.asarray(after <= bound)


class Proximity(Protocol):
    """How much the items of two clusters would lose together."""

    def of(self, a: int, others: Rows) -> Reals:
        """The proximity of cluster a to each of the others."""
        ...

    def merge(self, a: int, b: int) -> None:
        """Merge cluster b into cluster a; b is gone."""
        ...

    def keep(self, kept: Mask) -> None:
        """Forget all clusters but the kept ones, which are renumbered in their order."""
        ...

    def copy(self) -> "Proximity":
        """A copy, to merge in another order."""
        ...


class Btd:
    """The BTD of the union ([000] section 5), in a matrix that is updated by maxima: records are read once."""

    __slots__ = ("_union",)

    def __init__(self, t: Transactions, clusters: Sequence[Rows]) -> None:
        members = np.concatenate(clusters)
        starts = offsets_of([len(rows) for rows in clusters])
        t = t.take(members[np.lexsort((-t.lengths[members], rows_of(starts)))])  # in the order of reading
        members, marks = np.arange(len(t)), marks_of(t.offsets, t.items)
        own = own_maxima(t.offsets, t.items, members, starts)
        self._union = np.empty((len(own), len(own)))

        def fill(p: int) -> None:
            union_maxima(t.offsets, t.items, marks, members, starts, own, self._union, (p, parts))

        parts = 4 * threads.THREADS if len(own) > FEW else 1  # several a thread: cores are not equally fast
        threads.parallel_map(fill, range(parts))
        mirror(self._union)

    def of(self, a: int, others: Rows) -> Reals:
        """The BTD of cluster a's union with each of the others."""
        row: Reals = self._union[a, others]
        return row

    def merge(self, a: int, b: int) -> None:
        """Take maxima of the two rows."""
        merge_maxima(self._union, a, b)

    def keep(self, kept: Mask) -> None:
        """Copy the rows and columns of the kept clusters."""
        self._union = np.ascontiguousarray(self._union[np.ix_(kept, kept)])

    def copy(self) -> "Btd":
        """The same matrix, apart."""
        twin = Btd.__new__(Btd)
        twin._union = self._union.copy()
        return twin


class UnionLoss:
    """The UL of the union, after its items are generalized: the paper's baseline, and many times slower."""

    __slots__ = ("_clusters", "_known", "_losses", "_stamps")

    def __init__(self, losses: MeanLosses, clusters: Sequence[Rows]) -> None:
        self._losses = losses
        self._clusters = list(clusters)
        self._stamps = list(range(len(clusters)))  # a merged cluster gets a new one, so known losses lapse
        self._known: dict[tuple[int, int], float] = {}

    def of(self, a: int, others: Rows) -> Reals:
        """The mean UL of cluster a's union with each of the others."""
        pairs = [self._pair(a, int(b)) for b in others]
        new = [(pair, int(b)) for pair, b in zip(pairs, others, strict=True) if pair not in self._known]
        found = self._losses([np.concatenate([self._clusters[a], self._clusters[b]]) for _, b in new])
        self._known.update(zip((pair for pair, _ in new), found.tolist(), strict=True))
        return np.array([self._known[pair] for pair in pairs])

    def merge(self, a: int, b: int) -> None:
        """Join the records and forget the losses that either cluster had in unions."""
        gone = {self._stamps[a], self._stamps[b]}
        self._known = {pair: loss for pair, loss in self._known.items() if gone.isdisjoint(pair)}
        self._clusters[a] = np.concatenate([self._clusters[a], self._clusters[b]])
        self._stamps[a] = max(self._stamps) + 1

    def keep(self, kept: Mask) -> None:
        """Drop what was merged away."""
        self._clusters = [rows for rows, here in zip(self._clusters, kept, strict=True) if here]
        self._stamps = [stamp for stamp, here in zip(self._stamps, kept, strict=True) if here]

    def copy(self) -> "UnionLoss":
        """The same clusters with their known losses."""
        twin = UnionLoss(self._losses, self._clusters)
        twin._stamps, twin._known = list(self._stamps), dict(self._known)
        return twin

    def _pair(self, a: int, b: int) -> tuple[int, int]:
        first, second = self._stamps[a], self._stamps[b]
        return (first, second) if first < second else (second, first)
