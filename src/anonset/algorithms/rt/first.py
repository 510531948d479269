"""The two lexicographical baselines of [000] section 3: one part of the data first, the other as it comes."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.rt.parameters import Clustered, Grouped
from anonset.algorithms.rt.preparation import prepare, release, settle_clusters, tools
from anonset.kernels.gray import gray_order
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.parameters import Bounds
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.transactions import Transactions

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
