"""Keep rare items from spoiling a whole cluster: its records may show their items in two ways.

Where a few records hold something rare, everybody's items are generalized with theirs. Here these records form a table of their
own, which is protected apart from the rest; two protected tables are protected together. Clusters keep their quasi values.

1. Look at the cluster as if every item were shown at one level of the hierarchy, the highest first.
2. Records that show a set of at most m nodes which fewer than k of them show are set apart, until there are none left.
3. Where those set apart cannot be protected alone, records that have nothing to lose, those with the fewest items, join them.
4. The split stays when both tables can be protected and UL falls.
"""

import numpy as np

from anonset.algorithms.rt.items import Items, Outcome, join
from anonset.algorithms.rt.kernels.protection import rare_holders
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.sets import filter_members, rows_of


class Splitting:
    """Splits the item table of a cluster in two where that loses less."""

    __slots__ = ("_k", "_levels", "_linkable", "_m")

    def __init__(self, data: Dataset, tree: Hierarchy, k: int, m: int) -> None:
        self._linkable, self._k, self._m = data.linkable, k, m
        self._levels = _levels(tree)

    def split(self, items: Items, outcome: Outcome) -> Outcome:
        """The same records in two tables, or as they are where no split loses less."""
        best = outcome
        for level in self._levels:
            apart = self._apart(outcome.rows, level)
            found = self._in_two(items, outcome.rows, apart)
            if found is not None and found.lost < best.lost:
                best = found
        return best

    def _in_two(self, items: Items, rows: Rows, apart: Mask) -> Outcome | None:
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
