"""The algorithms of [000]: the six that merge clusters (section 4) and the two lexicographical baselines (section 3)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.rt.cluster_merge import By, QuasiMeasure, Solution, rum_bound, tum_bound
from anonset.algorithms.rt.item_step import Items
from anonset.algorithms.rt.parameters import Clustered, Grouped, Merged, RumBound
from anonset.algorithms.rt.preparation import Preparation, prepare, release, settle_clusters, tools
from anonset.algorithms.rt.refinement import ROUNDS, Lowering, Polish, Splitting, refine
from anonset.algorithms.rt.trace import merged_rows, moved_rows, traded_rows
from anonset.kernels.gray import gray_order
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.parameters import Bounds
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Release

Partition = Annotated[int, Bounds(1, 1_000_000_000), "records with similar items that form a group, about"]


@dataclass(frozen=True, slots=True)
class RFirst(Clustered):
    """Clusters by quasi values alone; then the items of each are generalized."""

    name: ClassVar[str] = "r-first"
    comparator: ClassVar[bool] = True
    title: ClassVar[str] = "Quasi values first, items after"
    paper: ClassVar[str] = "[000] section 3, Rfirst"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data in the smallest clusters of similar quasi values."""
        ground = prepare(self, data, progress)
        return release(self, data, ground, ground.start.outcomes, (), progress)


@dataclass(frozen=True, slots=True)
class TFirst(Grouped):
    """Groups by items alone, neighbours in the Gray order; then the quasi values of each are generalized."""

    partition: Partition = 10_000
    name: ClassVar[str] = "t-first"
    title: ClassVar[str] = "Items first, quasi values after"
    paper: ClassVar[str] = "[000] section 3, Tfirst"
    randomized: ClassVar[bool] = False
    comparator: ClassVar[bool] = True

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data in large groups of similar items."""
        quasi, items = tools(self, data)
        progress(0.0)
        groups = gray_groups(data.linkable, max(self.k, self.partition))
        ground = settle_clusters(self, data, quasi, items, groups)
        progress(0.9)
        return release(self, data, ground, ground.start.outcomes, (), progress)


def gray_groups(t: Transactions, size: int) -> list[Rows]:
    """Runs of equal length in the Gray order, none shorter than `size` unless there are fewer records."""
    order = gray_order(t.offsets, t.items)
    return [np.sort(part) for part in np.array_split(order, max(1, len(t) // size))]


def _anonymize(algorithm: Merged, by: By, data: Dataset, progress: Progress) -> Release:
    ground = prepare(algorithm, data, progress)
    end = 0.6 if algorithm.refine else 1.0
    solutions = _merged(algorithm, ground, by, len(data), part_of(progress, 0.2, end))
    trace = traded_rows(solutions) if algorithm.delta is None else ()
    outcomes = solutions[0].outcomes
    trace += merged_rows(solutions[0].steps, len(data))
    if algorithm.refine:
        polish = _polish(algorithm, data, ground.items)
        sized = isinstance(algorithm, RumBound) and algorithm.rum != "ncp"
        rounds = 0 if sized else ROUNDS  # moves keep NCP within its bound, not the sizes of groups
        to = part_of(progress, end, 1.0)
        outcomes, moves = refine(ground.quasi, ground.items, outcomes, algorithm.k, polish, to, rounds=rounds)
        trace += moved_rows(moves)
    return release(algorithm, data, ground, outcomes, trace, progress)


def _merged(algorithm: Merged, ground: Preparation, by: By, n: int, progress: Progress) -> list[Solution]:
    """The clusters merged under the bound on quasi values, or on items."""
    if isinstance(algorithm, RumBound):
        rum = QuasiMeasure(algorithm.rum, n, algorithm.k)
        return rum_bound(ground.start, ground.items, by, rum, algorithm.delta, progress)
    return tum_bound(ground.start, ground.items, by, algorithm.delta, progress)


def _polish(algorithm: Merged, data: Dataset, items: Items) -> Polish:
    """What refinement does to the items of a cluster: nothing where they have no hierarchy."""
    tree = data.item_hierarchy
    if tree is None:
        return lambda outcome: outcome
    splitting = Splitting(data, tree, algorithm.k, algorithm.m)
    lowering = Lowering(data, tree, items.book, algorithm.k, algorithm.m, algorithm.l)
    return lambda outcome: lowering.lower(items, splitting.split(items, outcome))


@dataclass(frozen=True, slots=True)
class RmergeR(RumBound):
    """NCP, or another Rum, <= delta; each seed merges with the cluster of the most similar quasi values."""

    name: ClassVar[str] = "rmerge-r"
    title: ClassVar[str] = "Bounded loss of quasi values, merged by quasi values"
    paper: ClassVar[str] = "[000] section 4, RmergeR"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data in clusters merged while Rum <= delta."""
        return _anonymize(self, "r", data, progress)


@dataclass(frozen=True, slots=True)
class RmergeT(RumBound):
    """NCP, or another Rum, <= delta; each seed merges with the cluster of the most similar items that keeps the bound."""

    name: ClassVar[str] = "rmerge-t"
    title: ClassVar[str] = "Bounded loss of quasi values, merged by items"
    paper: ClassVar[str] = "[000] section 4, RmergeT"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data in clusters merged while Rum <= delta."""
        return _anonymize(self, "t", data, progress)


@dataclass(frozen=True, slots=True)
class RmergeRT(RumBound):
    """NCP, or another Rum, <= delta; each seed merges with the cluster that is near in both orders and keeps the bound."""

    name: ClassVar[str] = "rmerge-rt"
    title: ClassVar[str] = "Bounded loss of quasi values, merged by quasi values and items"
    paper: ClassVar[str] = "[000] section 4, RmergeRT"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data in clusters merged while Rum <= delta."""
        return _anonymize(self, "rt", data, progress)


@dataclass(frozen=True, slots=True)
class TmergeR(Merged):
    """Merge clusters of similar quasi values until UL <= delta."""

    name: ClassVar[str] = "tmerge-r"
    title: ClassVar[str] = "Bounded loss of items, merged by quasi values"
    paper: ClassVar[str] = "[000] section 4, TmergeR"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data in clusters merged until UL <= delta."""
        return _anonymize(self, "r", data, progress)


@dataclass(frozen=True, slots=True)
class TmergeT(Merged):
    """Merge clusters of similar items until UL <= delta."""

    name: ClassVar[str] = "tmerge-t"
    title: ClassVar[str] = "Bounded loss of items, merged by items"
    paper: ClassVar[str] = "[000] section 4, TmergeT (printed there as a second TmergeR)"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data in clusters merged until UL <= delta."""
        return _anonymize(self, "t", data, progress)


@dataclass(frozen=True, slots=True)
class TmergeRT(Merged):
    """Merge clusters that are near in both orders until UL <= delta."""

    name: ClassVar[str] = "tmerge-rt"
    title: ClassVar[str] = "Bounded loss of items, merged by quasi values and items"
    paper: ClassVar[str] = "[000] section 4, TmergeRT"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data in clusters merged until UL <= delta."""
        return _anonymize(self, "rt", data, progress)
