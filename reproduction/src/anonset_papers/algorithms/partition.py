"""Partition: complete k-anonymity by top-down local generalization, as A. Gkoulalas-Divanis and G. Loukides describe it in
Utility-guided clustering-based transaction data anonymization (Transactions on Data Privacy, 2012), section 2.4.

1. All records with items form one group, which publishes the root.
2. Split the node of a group that saves most into its children: records that hold the same children form a group.
3. Groups of fewer than k records keep the node and stay together.
4. Go on with each group until no split saves anything.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import Inversion, order_independent
from anonset.algorithms.recoding import release_at
from anonset.algorithms.transactions.cut import frame_of, require_holders
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.guarantees import CompleteK, Part
from anonset.model.parameters import K, check_parameters
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset_papers.algorithms._kernels.partitions import ItemTable, Stack, specialize

AT_ONCE = 5_000  # groups between two calls of the listener


@dataclass(frozen=True, slots=True)
class Partition:
    """Every record publishes the same items as at least k - 1 others."""

    k: K
    name: ClassVar[str] = "partition"
    inversion: ClassVar[Inversion] = "none found"
    title: ClassVar[str] = "Partition"
    paper: ClassVar[str] = "[003] section 2.4"
    guarantee: ClassVar[str] = "complete-k"
    needs: ClassVar[frozenset[str]] = frozenset({"items", "item-hierarchy"})
    randomized: ClassVar[bool] = False
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})
    comparator: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)

    @order_independent
    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Local recoding: each group of records has its own nodes."""
        require_holders(data, self.k)
        shape, linkable = frame_of(data), data.linkable
        table = ItemTable(linkable.offsets, linkable.items, *shape[:4], self.k)
        stack = _one_group(table)
        shown = np.zeros(len(linkable.items), np.int32)
        total, done = len(stack.rows), 0
        progress(0.0)
        while stack.size[0]:
            done += specialize(table, stack, shown, AT_ONCE)
            progress(done / total)
        return release_at(self, data, _all_items(data, shown), CompleteK(self.k))


def _one_group(table: ItemTable) -> Stack:
    """Step 1: the stack with one group of all records that have items."""
    rows = np.flatnonzero(np.diff(table.offsets))
    starts, tops = np.zeros(len(rows) + 2, np.int64), np.zeros(len(rows) + 2, np.int64)
    nodes = np.zeros(len(table.items) + 2, np.int32)
    nodes[0], tops[1], starts[1] = len(table.parent) - 1, 1, len(rows)
    frozen = np.full(len(nodes), len(table.parent) == 1)  # a root that is a leaf has no children
    return Stack(rows, starts, tops, nodes, frozen, np.array([min(1, len(rows))]))


def _all_items(data: Dataset, shown: Ids) -> Ids:
    """The node of every item occurrence, from those of the linkable items."""
    assert data.transactions is not None
    nodes = data.transactions.items.copy()
    if data.sensitive_items is None:
        return shown
    nodes[~data.sensitive_items[nodes]] = shown
    return nodes
