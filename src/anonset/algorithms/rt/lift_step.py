"""The item step `lift`: occurrences lifted inside each cluster, many clusters in one call."""

import numpy as np

from anonset.algorithms.rt.items import Protected
from anonset.algorithms.rt.label_table import LabelTable
from anonset.algorithms.transactions.cut import secrets, with_tree
from anonset.algorithms.transactions.kernels.label_sets import LabelGuarantee
from anonset.algorithms.transactions.lift import LiftOptions, in_groups, ladder, lift
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.sets import rows_of, take


class LiftStep:
    """`lift` on the rows of clusters, and its l^m-diverse form; nothing is left out."""

    __slots__ = ("_asked", "_hidden", "_linkable", "_number", "_sensitive", "_t", "_way", "book", "lengths")

    def __init__(self, data: Dataset, k: int, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        data = with_tree(data)
        self.book = LabelTable(data)
        assert data.transactions is not None
        self._t, self._linkable, self._sensitive = data.transactions, data.linkable, data.sensitive_items
        self._hidden, self._asked, self.lengths = secrets(data), LabelGuarantee(k, m, l), data.linkable.lengths
        tree = data.item_hierarchy
        self._way = None if tree is None else ladder(tree, self._sensitive)
        self._number = np.zeros(0, np.int32) if tree is None else self.book.node_numbers(tree)

    @property
    def shares(self) -> int:
        """Two, however many threads there are: clusters of one call decide together what is tried."""
        return 2

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """The labels each record of one cluster shows, or None where they cannot be protected on their own."""
        return self.protect_all(rows, np.array([0, len(rows)], np.int64)).get(0)

    def protect_all(self, rows: Rows, bounds: Offsets) -> Protected:
        """The same for each cluster."""
        if self._way is None:
            nothing = np.zeros(len(rows) + 1, np.int64), np.zeros(0, np.int32)
            return Protected(bounds, *nothing, np.zeros(len(bounds) - 1, np.bool_))
        order = np.lexsort((rows, rows_of(bounds)))  # what is found must not depend on theirs
        rows, linkable = rows[order], self._linkable
        records = in_groups(linkable.offsets, linkable.items, self._hidden, rows, bounds)
        found = lift(records, self._way, self._asked, LiftOptions())
        offsets, nodes = take(self._t.offsets, self._t.items, rows)
        if self._sensitive is None:
            nodes = found.nodes
        else:
            nodes[~self._sensitive[nodes]] = found.nodes
        place = np.empty(len(rows), np.int64)
        place[order] = np.arange(len(rows))
        return Protected(bounds, *take(*collapse(offsets, self._number[nodes]), place), found.failed)
