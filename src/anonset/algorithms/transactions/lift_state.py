"""Occurrences of items lifted along a hierarchy until every set of at most m labels is in k records of its group.

1. Every record is offered labels for all its items. 2. Labels are taken away until no set of labels is rare; what stays is
settled. 3. What was taken is offered again one node up, beside what is settled, and so on up to the root. 4. Labels that can
be spared start again from their items. 5. What found no place is left out or, if everything has to be shown, stands at the
root; labels that are rare beside it go up, too, at first node by node and then, as few are left, to the root.
"""

from itertools import count
from typing import NamedTuple

import numpy as np

from anonset.algorithms.effort import require_countable
from anonset.algorithms.transactions.cutting import Secrets
from anonset.algorithms.transactions.kernels.label_pairs import PairRecordLabels as LabelPairs
from anonset.algorithms.transactions.kernels.label_pairs import close_pairs
from anonset.algorithms.transactions.kernels.label_sets import LabelGuarantee, close_sets
from anonset.algorithms.transactions.kernels.lifting import (
    close_singles,
    crown,
    offer,
    pad,
    restart,
    restart_others,
    settle,
    sole,
    too_frequent,
    unsettled,
    uproot,
)
from anonset.algorithms.transactions.kernels.small_sets import SetRecordLabels, close_small_sets, free_labels
from anonset.model.arrays import Ids, Mask, Offsets
from anonset.model.hierarchy import Hierarchy

ALL = 1 << 30
SMALL = 3  # labels of the sets that are counted in a table
CLIMBS = 4  # rounds beside the root in which labels go up node by node: more records need more rounds, for a few labels


class AncestorLadder(NamedTuple):
    """The way up from each node of a hierarchy: the next node with more linkable leaves, -1 above the root."""

    above: Ids
    sizes: Ids  # linkable leaves of each node
    n_leaves: int
    root: int


def ladder(tree: Hierarchy, sensitive: Mask | None = None) -> AncestorLadder:
    """The way up a hierarchy; sensitive items, which are published as they are, do not count as leaves."""
    linkable = np.ones(tree.n_leaves, np.bool_) if sensitive is None else ~sensitive
    total = np.concatenate([[0], np.cumsum(linkable)]).astype(np.int32)
    sizes = total[tree.high] - total[tree.low]
    above = tree.parent.copy()
    for v in range(len(tree) - 2, -1, -1):  # parents come after their children
        p = above[v]
        if p >= 0 and sizes[p] == sizes[v]:
            above[v] = above[p]
    return AncestorLadder(above, sizes, tree.n_leaves, tree.root)


class Records(NamedTuple):
    """Linkable items of records that lie group by group: group g has the records bounds[g] .. bounds[g + 1] - 1."""

    bounds: Offsets
    offsets: Offsets
    items: Ids
    secrets: Secrets


class Lifting:
    """What the records of some groups show: occurrence p stands at nodes[p], which its record shows where placed[p] is true.

    failed[g] says that group g cannot be protected on its own.
    """

    __slots__ = ("_asked", "_count", "_fixed", "_rarer_first", "_records", "_shown", "_way", "failed", "nodes", "placed")

    def __init__(self, records: Records, way: AncestorLadder, asked: LabelGuarantee, *, rarer_first: bool = False) -> None:
        self._records, self._way, self._asked, self._rarer_first = records, way, asked, rarer_first
        n, entries = len(records.offsets) - 1, len(records.items)
        self.nodes, self.placed = np.empty(entries, np.int32), np.empty(entries, np.bool_)
        self._shown = np.empty(entries, np.int32)
        self._count, self._fixed = np.zeros(n, np.int32), np.zeros(n, np.int32)
        self.failed = np.zeros(len(records.bounds) - 1, np.bool_)

    def start(self, nodes: Ids) -> None:
        """Steps 1 to 3, from the given node of each occurrence."""
        self.nodes[:] = nodes
        self.placed[:] = False
        self._count[:] = 0
        self.failed[:] = False
        if self._asked.l > 1:  # whatever is lifted, the empty set has all records of its group
            too_frequent(self._records.bounds, *self._records.secrets, self._asked.l, self.failed)
        self._climb()

    @property
    def can_spare(self) -> bool:
        """Whether it is known which labels can be spared."""
        return self._asked.m <= SMALL and self._asked.l == 1

    def spare(self) -> None:
        """Step 4."""
        self._free(self._shown >= self._way.n_leaves, ALL)

    def spare_one(self) -> None:
        """Step 4 for one label of each record that stands for one occurrence: that can come back to where it was."""
        offsets, general = self._records.offsets, self._general
        self._free(sole(offsets, self.nodes, self._shown, self._count, general), 1)

    def part(self) -> None:
        """Step 4 for occurrences that share a label with others: the label stays, and they can come back to it."""
        restart_others(self._records.offsets, self._records.items, self.nodes, self.placed, self._general)
        self._climb()

    def _free(self, leaving: Mask, each: int) -> None:
        bounds, offsets, items, _ = self._records
        shown = SetRecordLabels(bounds, offsets, self._shown, self._count, self._fixed)
        free_labels(shown, self._general, leaving, self._asked.k, self._asked.m, each)
        restart(offsets, items, self.nodes, self.placed, self._shown, self._count)
        self._climb()

    @property
    def _general(self) -> Mask:
        return np.arange(len(self._way.above)) >= self._way.n_leaves

    def end(self, *, star: bool) -> None:
        """Step 5."""
        if star:
            self._end_at_root()
        else:
            self.nodes[~self.placed] = -1

    def _climb(self) -> None:
        """Steps 1 to 3 for what is not placed."""
        offsets, offered, moved = self._records.offsets, self._nothing(), 1
        rows = unsettled(offsets, self.placed)
        while moved:
            offered[:], self._fixed[:] = False, self._count
            offer(rows, offsets, self.nodes, self.placed, self._shown, self._count, offered)
            self._close(offered, offered)
            moved = settle(rows, offsets, self.nodes, self.placed, self._shown, self._count, self._way.above)

    def _end_at_root(self) -> None:
        """Step 5 where everything has to be shown."""
        (bounds, offsets, *_), root = self._records, self._way.root
        for turn in count():
            if self.placed.all():
                return
            watched = self._nothing()
            self.nodes[~self.placed], self.placed[:], watched[root] = root, True, True
            pad(bounds, offsets, self.nodes, self._shown, self._count, root, self._asked.k, watched, self.failed)
            crown(offsets, self.nodes, self._shown, self._count, self._fixed, root)
            watched = self._close(watched, watched)
            while watched.any():  # now any set of a label that was taken somewhere may be open
                watched = self._close(np.ones_like(watched), watched)
            above = self._way.above if turn < CLIMBS else np.full_like(self._way.above, root)
            uproot(offsets, self.nodes, self.placed, self._shown, self._count, above)
            if turn < CLIMBS:
                self._climb()

    def _close(self, watched: Mask, doubtful: Mask) -> Mask:
        """Step 2: no set with a watched label stays open; now only those with a doubtful one can be.

        The labels that were taken, of which sets that were not watched may be open.
        """
        k, m, l = self._asked  # noqa: E741 - the papers' letter
        bounds, offsets, _, secrets = self._records
        shown, gone = SetRecordLabels(bounds, offsets, self._shown, self._count, self._fixed), self._nothing()
        if m == 1:
            close_singles(*shown, doubtful, gone, k)
        else:
            close_pairs(LabelPairs(*shown), watched, doubtful, gone, k, self._rarer_first)
        if m > 2:  # after pairs: long records have too many larger sets
            require_countable(self._count.astype(np.int64), SMALL)
            close_small_sets(shown, doubtful | gone, gone, k, SMALL, self._rarer_first)
        if m > SMALL or l > 1:
            stuck = np.zeros(len(self.failed), np.bool_)
            close_sets(*shown, doubtful | gone, *secrets, self._asked, stuck)
            self.failed |= stuck
        return gone & ~watched if m == 2 and l == 1 else gone

    def _nothing(self) -> Mask:
        return np.zeros(len(self._way.above), np.bool_)
