"""Lower the items of a cluster again: a node gives way to its children where the cluster stays protected and UL does not rise.

`aa` moves nodes up one violation at a time and never looks back; what a later move made superfluous is taken back here.
"""

import numpy as np

from anonset.algorithms.rt.items import Items, Outcome
from anonset.algorithms.rt.label_table import LabelTable
from anonset.kernels.recode import collapse
from anonset.kernels.standing import standing_labels
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.transactions import Transactions


class Lowering:
    """Takes generalizations by hierarchy nodes back, one node of one cluster at a time."""

    __slots__ = ("_book", "_data", "_k", "_l", "_m", "_node_of", "_number", "_tree")

    def __init__(self, data: Dataset, tree: Hierarchy, book: LabelTable, k: int, m: int, l: int) -> None:  # noqa: E741
        self._data, self._tree, self._book = data, tree, book
        self._k, self._m, self._l = k, m, l
        self._number = book.node_numbers(tree)
        self._node_of = {int(a): v for v, a in reversed(list(enumerate(self._number)))}

    def lower(self, items: Items, outcome: Outcome) -> Outcome:
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

    def _labels(self, t: Transactions, outcome: Outcome) -> Ids:
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
