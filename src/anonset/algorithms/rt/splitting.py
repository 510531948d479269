"""Keep rare items from spoiling a whole cluster: its records may show their items in two ways.

Where a few records hold something rare, everybody's items are generalized with theirs. Here these records form a table of their
own, which is protected apart from the rest; two protected tables are protected together. Clusters keep their quasi values.

1. Look at the cluster as if every item were shown at one level of the hierarchy, the highest first.
2. Records that show a set of at most m nodes which fewer than k of them show are set apart, until there are none left.
3. Where those set apart cannot be protected alone, records that have nothing to lose, those with the fewest items, join them.
4. The split stays when both tables can be protected and UL falls.

Then items are lowered again: `aa` moves nodes up one violation at a time and never looks back; where the cluster stays
protected and UL does not rise, a node gives way to its children.
"""

import numpy as np

from anonset.algorithms.rt.items import ItemOutcome, Items, join
from anonset.algorithms.rt.kernels.protection import rare_holders
from anonset.algorithms.rt.label_table import LabelTable
from anonset.kernels.recode import collapse, standing_labels
from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.sets import filter_members, rows_of
from anonset.model.transactions import Transactions


class Splitting:
    """Splits the item table of a cluster in two where that loses less."""

    __slots__ = ("_k", "_levels", "_linkable", "_m")

    def __init__(self, data: Dataset, tree: Hierarchy, k: int, m: int) -> None:
        self._linkable, self._k, self._m = data.linkable, k, m
        self._levels = _levels(tree)

    def split(self, items: Items, outcome: ItemOutcome) -> ItemOutcome:
        """The same records in two tables, or as they are where no split loses less."""
        best = outcome
        for level in self._levels:
            apart = self._apart(outcome.rows, level)
            found = self._in_two(items, outcome.rows, apart)
            if found is not None and found.lost < best.lost:
                best = found
        return best

    def _in_two(self, items: Items, rows: Rows, apart: Mask) -> ItemOutcome | None:
        if not apart.any() or apart.all():
            return None
        rest = items.outcome(rows[~apart])
        few = items.outcome(rows[apart]) if rest is not None else None
        return None if rest is None or few is None else join([rest, few])

    def _apart(self, rows: Rows, level: Ids) -> Mask:
        """Steps 2 and 3."""
        t = self._linkable.take(rows)
        offsets, shown = collapse(t.offsets, level[t.items])
        lengths, owner = t.lengths, rows_of(offsets)
        apart = np.zeros(len(rows), np.bool_)
        while True:
            kept = ~apart[owner]
            rare = rare_holders(*filter_members(offsets, shown, kept), int(level.max()) + 1, self._k, self._m)
            missing = self._k - int((lengths[apart | rare] > 0).sum())
            if (apart | rare).any() and missing > 0:
                free = np.flatnonzero(~apart & ~rare & (lengths > 0))
                rare[free[np.argsort(lengths[free], kind="stable")[:missing]]] = True
            if not rare.any():
                return apart
            apart |= rare


def _levels(tree: Hierarchy) -> list[Ids]:
    """For each depth below the root, the node of each leaf at that depth (or the leaf), as numbers from 0."""
    node = np.arange(tree.n_leaves, dtype=np.int32)
    found: list[Ids] = []
    for depth in range(tree.height, 0, -1):
        deep = tree.depth[node] > depth
        while deep.any():
            node[deep] = tree.parent[node[deep]]
            deep = tree.depth[node] > depth
        found.append(np.unique(node, return_inverse=True)[1].astype(np.int32))
    return found[::-1]


class Lowering:
    """Takes generalizations by hierarchy nodes back, one node of one cluster at a time."""

    __slots__ = ("_book", "_data", "_k", "_l", "_m", "_node_of", "_number", "_tree")

    def __init__(self, data: Dataset, tree: Hierarchy, book: LabelTable, k: int, m: int, l: int) -> None:  # noqa: E741
        self._data, self._tree, self._book = data, tree, book
        self._k, self._m, self._l = k, m, l
        self._number = book.node_numbers(tree)
        self._node_of = {int(a): v for v, a in reversed(list(enumerate(self._number)))}

    def lower(self, items: Items, outcome: ItemOutcome) -> ItemOutcome:
        """The same records with nodes split while that is allowed, the dearest first."""
        assert self._data.transactions is not None
        t = self._data.transactions.take(outcome.rows)
        labels = self._labels(t, outcome)
        best = outcome
        waiting = self._dearest_first(labels, np.unique(labels))
        while waiting:
            label = waiting.pop(0)
            split = self._split(t, labels, label)
            if split is None:
                continue
            shown = collapse(t.offsets, split)
            found = items.measured(outcome.rows, *shown)
            if found.lost <= best.lost * (1.0 + 1e-12) and self._book.protects(*shown, self._k, self._m, self._l):
                new = np.setdiff1d(split[labels == label], labels)
                labels, best = split, found
                waiting = self._dearest_first(labels, np.array([*waiting, *new]))
        return best

    def _labels(self, t: Transactions, outcome: ItemOutcome) -> Ids:
        """The label behind each item occurrence."""
        offsets, members = self._book.members
        rows = np.arange(len(t), dtype=np.int64)
        return standing_labels(t.offsets, t.items, rows, outcome.offsets, outcome.shown, offsets, members, len(t.domain))

    def _dearest_first(self, labels: Ids, some: Rows | Ids) -> list[int]:
        counts = np.bincount(labels, minlength=int(some.max(initial=0)) + 1)
        sizes = self._book.sizes
        kept = [int(a) for a in np.unique(some) if sizes[a] > 1]
        return sorted(kept, key=lambda a: (-int(counts[a] * sizes[a]), a))

    def _split(self, t: Transactions, labels: Ids, label: int) -> Ids | None:
        """The labels with one replaced by the children of its node, or None where it is not a node."""
        node = self._node_of.get(label)
        children = self._tree.children(node) if node is not None else []
        if not children:
            return None
        here = labels == label
        which = np.searchsorted(self._tree.low[children], t.items[here], side="right") - 1
        split = labels.copy()
        split[here] = self._number[np.array(children)[which]]
        return split
