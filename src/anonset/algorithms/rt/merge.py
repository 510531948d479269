"""The algorithms of [000]: rmerge-r, -t, -rt and tmerge-r, -t, -rt (section 4), r-first and t-first (section 3).

Framework Rum-bound (rmerge), where the quasi values may lose delta and the items are to lose as little as possible:
1. and 2. Form clusters of at least k records by quasi values. 3. Refuse the request where their Rum exceeds delta.
4. Merge clusters while Rum <= delta (`cluster_merge`). 5. and 6. Generalize the items of each cluster. 7. Return the clusters.

Framework Tum-bound (tmerge), where the items may lose delta and the quasi values are to lose as little as possible:
1. and 2. Form clusters of at least k records by quasi values. 3. Return them where the UL of their items is within delta.
4. to 6. Merge clusters and generalize their items until UL <= delta. 7. Refuse the request where that is never so.
8. Return the clusters.

The letters say how the partner of a merge is chosen: by quasi values (r), items (t) or both (rt). Without a delta, both
frameworks look at several points of the trade-off and return the one at its knee. r-first forms clusters by quasi values and
merges none; t-first forms groups by items.

[000] G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos: Anonymizing Data with Relational and Transaction
Attributes. ECML PKDD, 2013.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, ClassVar, Literal

import numpy as np

from anonset.algorithms.rt.base import (
    ClusterBasedRtAlgorithm,
    InitialClusters,
    RtAlgorithm,
    checked_inputs,
    prepare,
    protectable_clusters,
    published_sizes,
    release_clusters,
)
from anonset.algorithms.rt.cluster_merge import (
    TITLES,
    TOLERANCE,
    Btd,
    By,
    ClusterMerge,
    ClusterParts,
    Proximity,
    QuasiMeasure,
    Rum,
    Solution,
    UnionLoss,
    merges,
)
from anonset.algorithms.rt.item_step import ItemOutcome, Items, join
from anonset.algorithms.rt.refinement import ROUNDS, Lowering, Polish, Splitting, refine
from anonset.algorithms.rt.trace import merged_rows, moved_rows, traded_rows
from anonset.errors import InfeasibleError, ParameterError
from anonset.kernels.gray import gray_order
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.parameters import Bounds
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Release

Bound = Annotated[float | None, Bounds(0.0, 1e18), "bound on rum (rmerge) or UL (tmerge); auto: the knee of the trade-off"]
RumBy = Annotated[Rum, "what delta bounds: NCP (at most 1), discernibility (sum of squared group sizes) or C_avg (times k)"]
Near = Annotated[Literal["btd", "ul"], "how alike items are: by bit-vector distance, or by the true loss of the union (slow)"]
Refine = Annotated[bool, "afterwards move records and lower items again while no loss rises"]
Compared = Annotated[int, Bounds(2, 100_000), "clusters compared with each other; more are split at medians first"]
GroupSize = Annotated[int, Bounds(1, 1_000_000_000), "records with similar items that form a group, about"]

TRADE_OFF_POINTS = 12  # bounds tried, or merged states looked at, to find the knee of a trade-off
MERGES_AT_ONCE = 16  # merges whose items are generalized in one go, however many threads there are


@dataclass(frozen=True, slots=True)
class MergeAlgorithm(ClusterBasedRtAlgorithm):
    """An algorithm that merges clusters under a bound; `by` says how it chooses the partner of a merge."""

    delta: Bound = None
    proximity: Near = "btd"
    refine: Refine = False
    compare: Compared = 4096
    by: ClassVar[By]

    def __post_init__(self) -> None:
        ClusterBasedRtAlgorithm.__post_init__(self)
        if self.delta is not None and self.delta > 1 and getattr(self, "rum", "ncp") == "ncp":
            raise ParameterError(f"delta must be a number from 0 to 1; got {self.delta!r}")

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data in clusters that keep the bound."""
        start = prepare(self, data, progress)  # steps 1 and 2
        end = 0.6 if self.refine else 1.0
        solutions = self.solutions(data, start, part_of(progress, 0.2, end))
        best = solutions[0]
        trace = traded_rows(solutions) if self.delta is None else ()
        trace += merged_rows(best.steps, len(data))
        outcomes = best.outcomes
        if self.refine:
            polish, rounds = _polish(self, data, start.items), self._refinement_rounds
            to = part_of(progress, end, 1.0)
            outcomes, moves = refine(start.quasi, start.items, outcomes, self.k, polish, to, rounds=rounds)
            trace += moved_rows(moves)
        return release_clusters(self, data, start.quasi, start.items, outcomes, start.trace + trace, progress)

    @abstractmethod
    def solutions(self, data: Dataset, start: InitialClusters, progress: Progress) -> list[Solution]:
        """The solution at the given bound; those at several points of the trade-off, best first, where there is none."""

    def cluster_parts(self, data: Dataset, start: InitialClusters) -> ClusterParts:
        """The initial clusters, ready to be merged."""

        def near(part: list[Rows]) -> Proximity:
            return UnionLoss(start.items.mean_losses, part) if self.proximity == "ul" else Btd(data.linkable, part)

        clusters = [outcome.rows for outcome in start.outcomes.values()]
        names = np.array(list(start.outcomes), np.int64)
        return ClusterParts(start.quasi, None if self.by == "r" else near, clusters, names, self.compare)

    @property
    def _refinement_rounds(self) -> int:
        return ROUNDS


@dataclass(frozen=True, slots=True)
class RumBound(MergeAlgorithm):
    """Framework Rum-bound: the loss of quasi values is bounded."""

    rum: RumBy = "ncp"

    def solutions(self, data: Dataset, start: InitialClusters, progress: Progress) -> list[Solution]:
        """The solution at Rum <= delta; those at several bounds, best first, where delta is None."""
        measure = QuasiMeasure(self.rum, len(data), self.k)
        least = self._published_measure(data, start, measure, [])
        if self.delta is not None and least > self.delta + TOLERANCE:  # step 3
            raise InfeasibleError(_unreachable(TITLES[self.rum], self.delta, least))
        if start.is_exact:
            return [_nothing_merged(start)]
        parts = self.cluster_parts(data, start)
        if self.delta is not None:
            return [self._merge_within(data, start, parts, measure, self.delta, progress, again=False)]
        bounds = (np.geomspace if measure.by_size else np.linspace)(least, measure.worst, TRADE_OFF_POINTS)
        found = []
        for p, bound in enumerate(bounds.tolist()):
            own = part_of(progress, p / TRADE_OFF_POINTS, (p + 1) / TRADE_OFF_POINTS)
            found.append(self._merge_within(data, start, parts, measure, bound, own, again=True))
        return _knee_first(found)

    def _merge_within(
        self,
        data: Dataset,
        start: InitialClusters,
        parts: ClusterParts,
        measure: QuasiMeasure,
        bound: float,
        progress: Progress,
        *,
        again: bool,
    ) -> Solution:
        """Steps 4 to 7: the clusters merged while the measure is within the bound."""
        steps: list[ClusterMerge] = []
        for step in merges(parts.fresh(again=again), self.by, measure, bound + TOLERANCE, rejoin=parts.joined):  # step 4
            steps.append(step)
            progress(min(0.9, len(steps) / len(start.outcomes)))
        steps = steps[: self._steps_within(data, start, measure, steps, bound)]
        members: dict[int, list[ItemOutcome]] = {name: [outcome] for name, outcome in start.outcomes.items()}
        for step in steps:
            members[step.name] = members.pop(step.seed) + members.pop(step.partner)
        outcomes = {name: only[0] for name, only in members.items() if len(only) == 1}
        merged = {name: join(several) for name, several in members.items() if len(several) > 1}
        together = start.items.outcomes([apart.rows for apart in merged.values()])  # steps 5 and 6
        for (name, apart), union in zip(merged.items(), together, strict=True):
            outcomes[name] = _better(union, apart)
        ncp = steps[-1].lost / start.n if steps else start.ncp
        return Solution(outcomes, steps, ncp, sum(outcome.lost for outcome in outcomes.values()) / max(1, start.n))

    def _steps_within(
        self, data: Dataset, start: InitialClusters, measure: QuasiMeasure, steps: Sequence[ClusterMerge], bound: float
    ) -> int:
        """How many of the merges keep the bound in what is published: all, unless merged clusters publish the same values."""
        if not measure.by_size or self._published_measure(data, start, measure, steps) <= bound + TOLERANCE:
            return len(steps)
        fits, too_many = 0, len(steps)  # without a merge the bound is kept: step 3
        while too_many - fits > 1:
            middle = (fits + too_many) // 2
            if self._published_measure(data, start, measure, steps[:middle]) <= bound + TOLERANCE:
                fits = middle
            else:
                too_many = middle
        return fits

    def _published_measure(
        self, data: Dataset, start: InitialClusters, measure: QuasiMeasure, steps: Sequence[ClusterMerge]
    ) -> float:
        """The measure of what would be published after some merges: clusters that publish the same values are one group."""
        if not measure.by_size:
            return steps[-1].lost / start.n if steps else start.ncp
        rows = {name: [outcome.rows] for name, outcome in start.outcomes.items()}
        for step in steps:
            rows[step.name] = rows.pop(step.seed) + rows.pop(step.partner)
        clusters = [np.concatenate(parts) for parts in rows.values()]
        return measure.of_sizes(published_sizes(data, clusters, self.recoding))

    @property
    def _refinement_rounds(self) -> int:
        return ROUNDS if self.rum == "ncp" else 0  # moving records keeps NCP within its bound, not the sizes of groups


@dataclass(frozen=True, slots=True)
class TumBound(MergeAlgorithm):
    """Framework Tum-bound: the loss of items is bounded."""

    def solutions(self, data: Dataset, start: InitialClusters, progress: Progress) -> list[Solution]:
        """The first solution with UL <= delta while clusters merge; several, best first, where delta is None."""
        unmerged = _nothing_merged(start)
        if self.delta is not None and unmerged.ul <= self.delta + TOLERANCE:  # step 3
            return [unmerged]
        seen, lowest = [unmerged], unmerged.ul
        every = max(1, len(start.outcomes) // TRADE_OFF_POINTS)
        for now in self._merged_states(data, start, progress) if not start.is_exact else ():
            lowest = min(lowest, now.ul)
            if self.delta is not None and now.ul <= self.delta + TOLERANCE:
                return [now]  # step 8
            if self.delta is None and (len(now.steps) % every == 0 or len(now.outcomes) == 1):
                seen.append(Solution(dict(now.outcomes), list(now.steps), now.ncp, now.ul))
        if self.delta is not None:  # step 7
            raise InfeasibleError(_unreachable("UL", self.delta, lowest))
        return _knee_first(seen)

    def _merged_states(self, data: Dataset, start: InitialClusters, progress: Progress) -> Iterator[Solution]:
        """Steps 4 to 6: the clusters after each merge without a bound, in one dictionary that the next merge changes.

        Merges do not depend on items, so the items of several unions are generalized in one go.
        """
        outcomes, lost = dict(start.outcomes), start.ul * start.n
        rows = {name: outcome.rows for name, outcome in outcomes.items()}
        steps: list[ClusterMerge] = []
        parts = self.cluster_parts(data, start)
        merging = merges(parts.fresh(), self.by, QuasiMeasure("ncp", start.n, 1), rejoin=parts.joined)
        while next_steps := list(islice(merging, MERGES_AT_ONCE)):
            unions = []
            for step in next_steps:
                rows[step.name] = np.concatenate([rows.pop(step.seed), rows.pop(step.partner)])
                unions.append(rows[step.name])
            for step, together in zip(next_steps, start.items.outcomes(unions), strict=True):
                apart = join([outcomes.pop(step.seed), outcomes.pop(step.partner)])
                outcomes[step.name] = _better(together, apart)
                lost += outcomes[step.name].lost - apart.lost
                steps.append(step)
                yield Solution(outcomes, steps, step.lost / start.n, lost / start.n)
            progress(min(0.9, len(steps) / len(start.outcomes)))


@dataclass(frozen=True, slots=True)
class RmergeR(RumBound):
    """NCP, or another Rum, <= delta; each seed merges with the cluster of the most similar quasi values."""

    by: ClassVar[By] = "r"
    name: ClassVar[str] = "rmerge-r"
    title: ClassVar[str] = "Bounded loss of quasi values, merged by quasi values"
    paper: ClassVar[str] = "[000] section 4, RmergeR"


@dataclass(frozen=True, slots=True)
class RmergeT(RumBound):
    """NCP, or another Rum, <= delta; each seed merges with the cluster of the most similar items that keeps the bound."""

    by: ClassVar[By] = "t"
    name: ClassVar[str] = "rmerge-t"
    title: ClassVar[str] = "Bounded loss of quasi values, merged by items"
    paper: ClassVar[str] = "[000] section 4, RmergeT"


@dataclass(frozen=True, slots=True)
class RmergeRT(RumBound):
    """NCP, or another Rum, <= delta; each seed merges with the cluster that is near in both orders and keeps the bound."""

    by: ClassVar[By] = "rt"
    name: ClassVar[str] = "rmerge-rt"
    title: ClassVar[str] = "Bounded loss of quasi values, merged by quasi values and items"
    paper: ClassVar[str] = "[000] section 4, RmergeRT"


@dataclass(frozen=True, slots=True)
class TmergeR(TumBound):
    """Merge clusters of similar quasi values until UL <= delta."""

    by: ClassVar[By] = "r"
    name: ClassVar[str] = "tmerge-r"
    title: ClassVar[str] = "Bounded loss of items, merged by quasi values"
    paper: ClassVar[str] = "[000] section 4, TmergeR"


@dataclass(frozen=True, slots=True)
class TmergeT(TumBound):
    """Merge clusters of similar items until UL <= delta."""

    by: ClassVar[By] = "t"
    name: ClassVar[str] = "tmerge-t"
    title: ClassVar[str] = "Bounded loss of items, merged by items"
    paper: ClassVar[str] = "[000] section 4, TmergeT (printed there as a second TmergeR)"


@dataclass(frozen=True, slots=True)
class TmergeRT(TumBound):
    """Merge clusters that are near in both orders until UL <= delta."""

    by: ClassVar[By] = "rt"
    name: ClassVar[str] = "tmerge-rt"
    title: ClassVar[str] = "Bounded loss of items, merged by quasi values and items"
    paper: ClassVar[str] = "[000] section 4, TmergeRT"


@dataclass(frozen=True, slots=True)
class RFirst(ClusterBasedRtAlgorithm):
    """Clusters by quasi values alone; then the items of each are generalized."""

    name: ClassVar[str] = "r-first"
    comparator: ClassVar[bool] = True
    title: ClassVar[str] = "Quasi values first, items after"
    paper: ClassVar[str] = "[000] section 3, Rfirst"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data in the smallest clusters of similar quasi values."""
        start = prepare(self, data, progress)
        return release_clusters(self, data, start.quasi, start.items, start.outcomes, start.trace, progress)


@dataclass(frozen=True, slots=True)
class TFirst(RtAlgorithm):
    """Groups by items alone, neighbours in the Gray order; then the quasi values of each are generalized."""

    partition: GroupSize = 10_000
    name: ClassVar[str] = "t-first"
    title: ClassVar[str] = "Items first, quasi values after"
    paper: ClassVar[str] = "[000] section 3, Tfirst"
    randomized: ClassVar[bool] = False
    comparator: ClassVar[bool] = True

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data in large groups of similar items."""
        quasi, items = checked_inputs(self, data)
        progress(0.0)
        groups = gray_groups(data.linkable, max(self.k, self.partition))
        start = protectable_clusters(quasi, items, groups, len(data))
        progress(0.9)
        return release_clusters(self, data, quasi, items, start.outcomes, start.trace, progress)


def gray_groups(t: Transactions, size: int) -> list[Rows]:
    """Runs of equal length in the Gray order, none shorter than `size` unless there are fewer records."""
    order = gray_order(t.offsets, t.items)
    return [np.sort(part) for part in np.array_split(order, max(1, len(t) // size))]


def _nothing_merged(start: InitialClusters) -> Solution:
    return Solution(start.outcomes, [], start.ncp, start.ul)


def _better(together: ItemOutcome | None, apart: ItemOutcome) -> ItemOutcome:
    """The items of a union generalized together, or, where that loses more, as the parts of the union had them."""
    return together if together is not None and together.lost <= apart.lost else apart


def _unreachable(measure: str, delta: float, lowest: float) -> str:
    at_least = np.ceil(lowest * 1e6) / 1e6
    return f"delta={delta:g} cannot be reached: the lowest {measure} found is {at_least:.6f}"


def _knee_first(found: list[Solution]) -> list[Solution]:
    best = chord_knee([(solution.ncp, solution.ul) for solution in found])
    return [found[best], *found[:best], *found[best + 1 :]]


def chord_knee(points: Sequence[tuple[float, float]]) -> int:
    """The place of the point furthest below the straight line between the ends, on axes scaled to 0..1; ties: the first."""
    xy = np.array(points, np.float64)
    low, span = xy.min(axis=0), np.ptp(xy, axis=0)
    scaled = (xy - low) / np.where(span > 0, span, 1.0)
    return int(np.round(scaled.sum(axis=1), 12).argmin())


def _polish(algorithm: MergeAlgorithm, data: Dataset, items: Items) -> Polish:
    """What refinement does to the items of a cluster: nothing where they have no hierarchy."""
    tree = data.item_hierarchy
    if tree is None:
        return lambda outcome: outcome
    splitting = Splitting(data, tree, algorithm.k, algorithm.m)
    lowering = Lowering(data, tree, items.labels, algorithm.k, algorithm.m, algorithm.l)
    return lambda outcome: lowering.lower(items, splitting.split(items, outcome))
