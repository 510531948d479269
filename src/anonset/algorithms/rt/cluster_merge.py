"""Cluster merging ([000] section 4) in the frameworks Rum-bound and Tum-bound: what a merge costs in quasi values and how alike
the items of two clusters are; clusters in parts where there are too many to compare.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from itertools import islice
from typing import Literal, NamedTuple, Protocol

import numpy as np

from anonset.algorithms.relational.cluster import median_parts
from anonset.algorithms.rt._kernels.proximity import least_places, marks_of, merge_maxima, mirror, own_maxima, union_maxima
from anonset.algorithms.rt.item_step import ItemOutcome, Items, join
from anonset.errors import InfeasibleError
from anonset.kernels.groups import Quasi, States, absorb, costs_of_states, least_union, states_of_groups, union_costs
from anonset.model import threads
from anonset.model.arrays import Mask, Reals, Rows
from anonset.model.dataset import Transactions
from anonset.model.progress import Progress
from anonset.model.sets import offsets_of, rows_of

Rum = Literal["ncp", "discernibility", "c-avg"]
TITLES: dict[Rum, str] = {"ncp": "NCP", "discernibility": "discernibility", "c-avg": "C_avg"}


class MergeableClusters(Protocol):
    """Clusters that may merge with each other, as `merging` has them; sizes[c] is 0 where cluster c is gone."""

    sizes: Rows
    losses: Reals

    @property
    def lost(self) -> float:
        """NCP summed over all records."""
        ...


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

    def now(self, lost: float, parts: Sequence[MergeableClusters]) -> float:
        """The measure of the clusters, each a group of its own; `lost` is their NCP summed over all records."""
        if not self.by_size:
            return lost / self.n
        return self.of_sizes(np.concatenate([part.sizes[part.sizes > 0] for part in parts]))

    def costs(self, part: MergeableClusters, others: Rows, unions: Reals) -> Reals:
        """What the union of a cluster with each of the others costs, for comparing; `unions` is its NCP."""
        if not self.by_size:
            return unions
        ranks = np.empty(len(others))
        ranks[np.lexsort((unions, part.sizes[others]))] = np.arange(len(others))
        return ranks

    def allowed(self, now: float, part: MergeableClusters, a: int, others: Rows, unions: Reals, bound: float) -> Mask:
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


MeanLosses = Callable[[Sequence[Rows]], Reals]  # the mean UL of the records of each cluster, once its items are generalized


FEW = 100  # clusters that are not worth a second thread


class Proximity(Protocol):
    """Knows, for any two clusters, how much their items would lose together."""

    def of(self, a: int, others: Rows) -> Reals:
        """The proximity of cluster a to each of the others."""
        ...

    def merge(self, a: int, b: int) -> None:
        """Let cluster a take in cluster b, which is not asked for again."""
        ...

    def keep(self, kept: Mask) -> None:
        """Forget all clusters but the kept ones, which are renumbered in their order."""
        ...

    def copy(self) -> "Proximity":
        """The same, to be merged in another way."""
        ...


class Btd:
    """The BTD of the union ([000] section 5), in a matrix that is updated by maxima: records are read once."""

    __slots__ = ("_union",)

    def __init__(self, t: Transactions, clusters: Sequence[Rows]) -> None:
        members = np.concatenate(clusters)
        starts = offsets_of([len(rows) for rows in clusters])
        t = t.take(members[np.lexsort((-t.lengths[members], rows_of(starts)))])  # side by side, as they are looked at
        members, marks = np.arange(len(t)), marks_of(t.offsets, t.items)
        own = own_maxima(t.offsets, t.items, members, starts)
        self._union = np.empty((len(own), len(own)))

        def fill(p: int) -> None:
            union_maxima(t.offsets, t.items, marks, members, starts, own, self._union, (p, parts))

        parts = 4 * threads.THREADS if len(own) > FEW else 1  # some for each thread: cores are not equally quick
        threads.side_by_side(fill, range(parts))
        mirror(self._union)

    def of(self, a: int, others: Rows) -> Reals:
        """The BTD of cluster a's union with each of the others."""
        row: Reals = self._union[a, others]
        return row

    def merge(self, a: int, b: int) -> None:
        """Take maxima of the two rows."""
        merge_maxima(self._union, a, b)

    def keep(self, kept: Mask) -> None:
        """Copy the part of the matrix that is still asked for."""
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
        self._stamps = list(range(len(clusters)))  # a merged cluster gets a new one, so what is known of it lapses
        self._known: dict[tuple[int, int], float] = {}

    def of(self, a: int, others: Rows) -> Reals:
        """The mean UL of cluster a's union with each of the others."""
        pairs = [self._pair(a, int(b)) for b in others]
        new = [(pair, int(b)) for pair, b in zip(pairs, others, strict=True) if pair not in self._known]
        found = self._losses([np.concatenate([self._clusters[a], self._clusters[b]]) for _, b in new])
        self._known.update(zip((pair for pair, _ in new), found.tolist(), strict=True))
        return np.array([self._known[pair] for pair in pairs])

    def merge(self, a: int, b: int) -> None:
        """Join the records; what was known of either cluster is of no use any more."""
        gone = {self._stamps[a], self._stamps[b]}
        self._known = {pair: loss for pair, loss in self._known.items() if gone.isdisjoint(pair)}
        self._clusters[a] = np.concatenate([self._clusters[a], self._clusters[b]])
        self._stamps[a] = max(self._stamps) + 1

    def keep(self, kept: Mask) -> None:
        """Drop what was merged away."""
        self._clusters = [rows for rows, here in zip(self._clusters, kept, strict=True) if here]
        self._stamps = [stamp for stamp, here in zip(self._stamps, kept, strict=True) if here]

    def copy(self) -> "UnionLoss":
        """The same clusters, and what is known of them."""
        twin = UnionLoss(self._losses, self._clusters)
        twin._stamps, twin._known = list(self._stamps), dict(self._known)
        return twin

    def _pair(self, a: int, b: int) -> tuple[int, int]:
        first, second = self._stamps[a], self._stamps[b]
        return (first, second) if first < second else (second, first)


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


Near = Callable[[list[Rows]], Proximity]


class ClusterParts:
    """Makes states to merge the same clusters in, again and again, in parts of at most `most` clusters."""

    __slots__ = ("_clusters", "_first", "_most", "_names", "_near", "_quasi")

    def __init__(self, quasi: Quasi, near: Near | None, clusters: list[Rows], names: Rows, most: int) -> None:
        self._quasi, self._near, self._clusters, self._names, self._most = quasi, near, clusters, names, most
        self._first: list[Merging] | None = None

    def fresh(self, *, again: bool = False) -> list[Merging]:
        """The clusters, not merged yet; again: they will be asked for more than once, so what is costly is kept."""
        if again and self._first is None:
            self._first = self._cut()
        return self._cut() if self._first is None else [part.copy() for part in self._first]

    def joined(self, parts: Sequence[Merging]) -> Merging:
        """What is left of several parts, in one."""
        names = np.array([part.names[c] for part in parts for c in part.alive])
        clusters = [part.members[c] for part in parts for c in part.alive]
        order = np.argsort(names)
        rows = [clusters[c] for c in order]
        return self._state(rows, names[order])

    def _cut(self) -> list[Merging]:
        firsts = self._quasi._replace(values=self._quasi.values[[rows[0] for rows in self._clusters]])
        parts = sorted(median_parts(firsts, self._most), key=lambda part: int(part[0]))
        return [self._state([self._clusters[c] for c in part], self._names[part]) for part in parts]

    def _state(self, clusters: list[Rows], names: Rows) -> Merging:
        return Merging.of(self._quasi, clusters, names, None if self._near is None else self._near(clusters))


GRID = 12  # bounds tried, or merged states looked at, to find the knee of a trade-off
TOLERANCE = 1e-9
BATCH = 16  # merges whose items are looked at in one go, however many threads there are


class Solution(NamedTuple):
    """Clusters by number, the merges that made them, and what they lose: NCP and UL of the mean record."""

    outcomes: dict[int, ItemOutcome]
    steps: list[ClusterMerge]
    ncp: float
    ul: float


class Start(NamedTuple):
    """The initial clusters: their outcomes by number, their NCP and UL, and a fresh state to merge them in.

    `group_sizes` tells how many records publish the same quasi values, for clusters that publish each on its own.
    """

    outcomes: dict[int, ItemOutcome]
    ncp: float
    ul: float
    n: int
    parts: Callable[[By], ClusterParts]
    group_sizes: Callable[[Sequence[Rows]], Rows]

    @property
    def solution(self) -> Solution:
        """Nothing merged."""
        return Solution(self.outcomes, [], self.ncp, self.ul)

    @property
    def is_exact(self) -> bool:
        """Whether all items are published as they are, so that no merge can make them better."""
        return not any(outcome.general for outcome in self.outcomes.values())


def rum_bound(start: Start, items: Items, by: By, rum: QuasiMeasure, delta: float | None, progress: Progress) -> list[Solution]:
    """The solution at Rum <= delta; those at several bounds, best first, where delta is None."""
    least = _published(start, rum, [])
    if delta is not None and least > delta + TOLERANCE:
        raise InfeasibleError(_unreachable(TITLES[rum.rum], delta, least))
    if start.is_exact:
        return [start.solution]
    parts = start.parts(by)
    if delta is not None:
        return [_within(start, parts.fresh(), parts.joined, items, by, rum, delta, progress)]
    found = []
    bounds = np.geomspace(least, rum.worst, GRID) if rum.by_size else np.linspace(least, rum.worst, GRID)
    for p, bound in enumerate(bounds):
        fresh = parts.fresh(again=True)
        found.append(_within(start, fresh, parts.joined, items, by, rum, float(bound), _slice(progress, p, GRID)))
    return _knee_first(found)


def tum_bound(start: Start, items: Items, by: By, delta: float | None, progress: Progress) -> list[Solution]:
    """The first solution with UL <= delta on the way of merging; several on the way, best first, where delta is None."""
    if delta is not None and start.ul <= delta + TOLERANCE:
        return [start.solution]
    seen, lowest = [start.solution], start.ul
    every = max(1, len(start.outcomes) // GRID)
    for now in _way(start, items, by, progress) if not start.is_exact else ():
        lowest = min(lowest, now.ul)
        if delta is not None and now.ul <= delta + TOLERANCE:
            return [now]
        if delta is None and (len(now.steps) % every == 0 or len(now.outcomes) == 1):
            seen.append(Solution(dict(now.outcomes), list(now.steps), now.ncp, now.ul))
    if delta is not None:
        raise InfeasibleError(_unreachable("UL", delta, lowest))
    return _knee_first(seen)


def _within(
    start: Start,
    parts: list[Merging],
    rejoin: Rejoin,
    items: Items,
    by: By,
    rum: QuasiMeasure,
    delta: float,
    progress: Progress,
) -> Solution:
    steps: list[ClusterMerge] = []
    for step in merges(parts, by, rum, delta + TOLERANCE, rejoin=rejoin):
        steps.append(step)
        progress(min(0.9, len(steps) / len(start.outcomes)))
    steps = steps[: _kept(start, rum, steps, delta)]
    history: dict[int, list[ItemOutcome]] = {name: [outcome] for name, outcome in start.outcomes.items()}
    for step in steps:
        history[step.name] = history.pop(step.seed) + history.pop(step.partner)
    merged = [name for name, before in history.items() if len(before) > 1]
    before = [join(history[name]) for name in merged]
    found = items.outcomes([outcome.rows for outcome in before])
    outcomes = {name: only[0] for name, only in history.items() if len(only) == 1}
    outcomes |= {name: _better(new, old) for name, new, old in zip(merged, found, before, strict=True)}
    ncp = steps[-1].lost / start.n if steps else start.ncp
    return Solution(outcomes, steps, ncp, sum(outcome.lost for outcome in outcomes.values()) / max(1, start.n))


def _published(start: Start, rum: QuasiMeasure, steps: Sequence[ClusterMerge]) -> float:
    """The measure after some merges, as it is of what would be published: clusters that show the same are one group."""
    if not rum.by_size:
        return steps[-1].lost / start.n if steps else start.ncp
    rows = {name: [outcome.rows] for name, outcome in start.outcomes.items()}
    for step in steps:
        rows[step.name] = rows.pop(step.seed) + rows.pop(step.partner)
    return rum.of_sizes(start.group_sizes([np.concatenate(parts) for parts in rows.values()]))


def _kept(start: Start, rum: QuasiMeasure, steps: Sequence[ClusterMerge], delta: float) -> int:
    """How many of the merges keep the bound in what is published: all, unless merged clusters come to show the same."""
    if not rum.by_size or _published(start, rum, steps) <= delta + TOLERANCE:
        return len(steps)
    fits, too_many = 0, len(steps)  # what no merge publishes was found to be within the bound
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if _published(start, rum, steps[:middle]) <= delta + TOLERANCE:
            fits = middle
        else:
            too_many = middle
    return fits


def _way(start: Start, items: Items, by: By, progress: Progress) -> Iterator[Solution]:
    """Every state on the way of merging without a bound, in the same dictionary: copy what is to be kept.

    Merges do not depend on outcomes, so the item steps of a batch of them run side by side.
    """
    outcomes, lost = dict(start.outcomes), start.ul * start.n
    rows = {name: outcome.rows for name, outcome in outcomes.items()}
    steps: list[ClusterMerge] = []
    parts = start.parts(by)
    merging = merges(parts.fresh(), by, QuasiMeasure("ncp", start.n, 1), rejoin=parts.joined)
    while batch := list(islice(merging, BATCH)):
        unions = []
        for step in batch:
            rows[step.name] = np.concatenate([rows.pop(step.seed), rows.pop(step.partner)])
            unions.append(rows[step.name])
        for step, new in zip(batch, items.outcomes(unions), strict=True):
            old = join([outcomes.pop(step.seed), outcomes.pop(step.partner)])
            outcomes[step.name] = _better(new, old)
            lost += outcomes[step.name].lost - old.lost
            steps.append(step)
            yield Solution(outcomes, steps, step.lost / start.n, lost / start.n)
        progress(min(0.9, len(steps) / len(start.outcomes)))


def _better(new: ItemOutcome | None, old: ItemOutcome) -> ItemOutcome:
    return new if new is not None and new.lost <= old.lost else old


def _knee_first(found: list[Solution]) -> list[Solution]:
    best = chord_knee([(solution.ncp, solution.ul) for solution in found])
    return [found[best], *found[:best], *found[best + 1 :]]


def _slice(progress: Progress, p: int, of: int) -> Progress:
    return lambda done: progress((p + done) / of)


def _unreachable(measure: str, delta: float, lowest: float) -> str:
    at_least = np.ceil(lowest * 1e6) / 1e6
    return f"delta={delta:g} cannot be reached: the lowest {measure} found is {at_least:.6f}"


def chord_knee(points: Sequence[tuple[float, float]]) -> int:
    """The place of the point furthest below the straight line between the ends, on axes scaled to 0..1; ties: the first."""
    xy = np.array(points, np.float64)
    low, span = xy.min(axis=0), np.ptp(xy, axis=0)
    scaled = (xy - low) / np.where(span > 0, span, 1.0)
    return int(np.round(scaled.sum(axis=1), 12).argmin())
