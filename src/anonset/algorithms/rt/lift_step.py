"""The item step `lift`: occurrences lifted inside each cluster, all clusters in one call."""

from collections.abc import Sequence

import numpy as np

from anonset.algorithms.rt.label_table import LabelTable
from anonset.algorithms.transactions.cutting import secrets
from anonset.algorithms.transactions.item_trees import with_tree
from anonset.algorithms.transactions.kernels.label_sets import Asked
from anonset.algorithms.transactions.lift_state import ladder
from anonset.algorithms.transactions.lifting import Wanted, in_groups, lift
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset


class LiftStep:
    """`lift` on the rows of clusters, and its l^m-diverse form; nothing is left out."""

    __slots__ = ("_asked", "_hidden", "_linkable", "_number", "_sensitive", "_t", "_way", "book")

    def __init__(self, data: Dataset, k: int, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        data = with_tree(data)
        self.book = LabelTable(data)
        assert data.transactions is not None
        self._t, self._linkable, self._sensitive = data.transactions, data.linkable, data.sensitive_items
        self._hidden, self._asked = secrets(data), Asked(k, m, l)
        tree = data.item_hierarchy
        self._way = None if tree is None else ladder(tree, self._sensitive)
        self._number = np.zeros(0, np.int32) if tree is None else self.book.node_numbers(tree)

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """The labels each record of one cluster shows, or None where they cannot be protected on their own."""
        return self.protect_all([rows])[0]

    def protect_all(self, asked: Sequence[Rows]) -> list[tuple[Offsets, Ids] | None]:
        """The same for each cluster."""
        if not asked or self._way is None:
            return [(np.zeros(len(rows) + 1, np.int64), np.zeros(0, np.int32)) for rows in asked]
        linkable, clusters = self._linkable, [np.sort(rows) for rows in asked]  # what is found must not depend on their order
        records = in_groups(linkable.offsets, linkable.items, self._hidden, clusters)
        found = lift(records, self._way, self._asked, Wanted())
        rows = np.concatenate(clusters)
        taken = self._t.take(rows)
        nodes = taken.items.copy()
        if self._sensitive is None:
            nodes = found.nodes
        else:
            nodes[~self._sensitive[taken.items]] = found.nodes
        offsets, shown = collapse(taken.offsets, self._number[nodes])
        places = [
            first + np.searchsorted(rows, wanted) for first, rows, wanted in zip(records.bounds, clusters, asked, strict=False)
        ]
        return [None if failed else _rows(offsets, shown, at) for failed, at in zip(found.failed, places, strict=True)]


def _rows(offsets: Offsets, shown: Ids, at: Rows) -> tuple[Offsets, Ids]:
    """The records at these places."""
    lengths = np.diff(offsets)[at]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return starts, shown[np.repeat(offsets[at] - starts[:-1], lengths) + np.arange(starts[-1])]
