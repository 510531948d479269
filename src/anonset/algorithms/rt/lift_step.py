"""The item step `lift`: occurrences lifted inside each cluster, all clusters in one call."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from anonset.algorithms.rt.label_table import LabelTable
from anonset.algorithms.transactions.cutting import secrets, with_tree
from anonset.algorithms.transactions.kernels.label_sets import Asked
from anonset.algorithms.transactions.lift_state import ladder
from anonset.algorithms.transactions.lifting import Wanted, in_groups, lift
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.sets import offsets_of, take


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
        wanted, sizes = np.concatenate(asked), [len(rows) for rows in asked]
        order = np.lexsort((wanted, np.repeat(np.arange(len(asked)), sizes)))  # what is found must not depend on theirs
        rows, linkable = wanted[order], self._linkable
        clusters = [rows[first:last] for first, last in pairwise(offsets_of(sizes).tolist())]
        records = in_groups(linkable.offsets, linkable.items, self._hidden, clusters)
        found = lift(records, self._way, self._asked, Wanted())
        taken = self._t.take(rows)
        nodes = taken.items.copy()
        if self._sensitive is None:
            nodes = found.nodes
        else:
            nodes[~self._sensitive[taken.items]] = found.nodes
        place = np.empty(len(rows), np.int64)
        place[order] = np.arange(len(rows))
        offsets, shown = take(*collapse(taken.offsets, self._number[nodes]), place)
        return [
            None if failed else (offsets[first : last + 1] - offsets[first], shown[offsets[first] : offsets[last]])
            for failed, first, last in zip(found.failed, records.bounds[:-1], records.bounds[1:], strict=True)
        ]
