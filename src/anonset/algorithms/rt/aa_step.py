"""The item step `aa`: one cut of the item hierarchy for each cluster; small clusters are cut in one call."""

import numpy as np

from anonset.algorithms.rt.items import Protected
from anonset.algorithms.rt.kernels.cluster_cuts import WORD, ClusterGuarantee, ClusterRecords, HierarchyTree, cluster_cuts
from anonset.algorithms.rt.label_table import LabelTable
from anonset.algorithms.transactions.aa import cut_for
from anonset.algorithms.transactions.cut import frame, secrets
from anonset.algorithms.transactions.lift import Records, in_groups
from anonset.errors import InputError
from anonset.kernels.recode import collapse
from anonset.model import threads
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.sets import take

PAIRS = 2  # items of the sets that are looked at for small clusters in one call
WORTH = 800  # clusters or so at least: for fewer the call is not worth compiling it, once an installation


class AaStep:
    """`aa` on the rows of clusters, and its l^m-diverse form: what can be shared between clusters is made once."""

    __slots__ = ("_asked", "_frame", "_hidden", "_linkable", "_number", "_sensitive", "_t", "_tree", "book", "lengths")

    def __init__(self, data: Dataset, k: int, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        if data.item_hierarchy is None:
            raise InputError("items = aa needs an item hierarchy; give one, or choose an algorithm that needs none, e.g. pcta")
        assert data.transactions is not None
        self.book = LabelTable(data)
        self._number = self.book.node_numbers(data.item_hierarchy)
        self._frame = frame(data.item_hierarchy, data.sensitive_items)
        self._tree = HierarchyTree(*self._frame, np.argsort(self._frame.order).astype(np.int32))
        self._hidden = secrets(data)
        self._t, self._linkable, self._sensitive = data.transactions, data.linkable, data.sensitive_items
        self._asked, self.lengths = ClusterGuarantee(k, m, l), data.linkable.lengths

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """The items of these records as nodes of one cut."""
        return self.protect_all(rows, np.array([0, len(rows)], np.int64)).get(0)

    @property
    def shares(self) -> int:
        """Some for each thread, since each cluster is on its own: what is Python in one is done while others are cut."""
        return 4 * threads.THREADS

    def protect_all(self, rows: Rows, bounds: Offsets) -> Protected:
        """The items of the records of each cluster as nodes of a cut of its own."""
        records = in_groups(self._linkable.offsets, self._linkable.items, self._hidden, rows, bounds)
        together = self._asked.m <= PAIRS and len(bounds) > WORTH // self.shares
        many = np.diff(bounds) > (WORD if together else -1)
        if many.all():
            nodes, failed = np.empty(len(records.items), np.int32), np.zeros(len(many), np.bool_)
        else:
            nodes, failed = cluster_cuts(self._tree, ClusterRecords(*records[:3], *records.secrets), self._asked)
        for c in np.flatnonzero(many).tolist():
            failed[c] = not self._cut(rows[bounds[c] : bounds[c + 1]], records, c, nodes)
        offsets, shown = records.offsets, nodes
        if self._sensitive is not None:
            offsets, shown = take(self._t.offsets, self._t.items, rows)
            shown[~self._sensitive[shown]] = nodes
        return Protected(bounds, *collapse(offsets, self._number[shown]), failed)

    def _cut(self, rows: Rows, records: Records, c: int, nodes: Ids) -> bool:
        """Enter the nodes of one cluster; whether there is a cut that protects it."""
        k, m, l = self._asked  # noqa: E741
        cut = cut_for(self._frame, self._linkable, rows, k, m, l, self._hidden)
        here = slice(*records.offsets[records.bounds[c : c + 2]])
        nodes[here] = records.items[here] if cut is None else cut[records.items[here]]
        return cut is not None
