"""Lift occurrences of items along a hierarchy until every set of at most m labels is in k records of its group.

1. Every record is offered all its items as labels. 2. Labels are taken away until no set of labels is rare; what stays is
settled. 3. What was taken is offered again one node up, beside what is settled, and so on up to the root. 4. Labels that can
be spared start again from their items. 5. What found no place is left out or, if everything has to be shown, stands at the
root; labels that are rare beside it follow it there.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from anonset.algorithms.transactions.cutting import Secrets
from anonset.algorithms.transactions.kernels.label_pairs import close_pairs, free_labels
from anonset.algorithms.transactions.kernels.label_sets import Asked, close_sets
from anonset.algorithms.transactions.kernels.lifting import crown, offer, pad, restart, settle, uproot
from anonset.model.arrays import Ids, Mask, Offsets, Rows
from anonset.model.hierarchy import Hierarchy

THREADS = min(8, os.cpu_count() or 1)
ALL = 1 << 30


class Ladder(NamedTuple):
    """The way up from each node of a hierarchy: the next node with more linkable leaves, -1 above the root."""

    above: Ids
    is_leaf: Mask
    root: int


def ladder(tree: Hierarchy, sensitive: Mask | None = None) -> Ladder:
    """The way up a hierarchy; sensitive items, which are published as they are, do not count as leaves."""
    linkable = np.ones(tree.n_leaves, np.bool_) if sensitive is None else ~sensitive
    total = np.concatenate([[0], np.cumsum(linkable)])
    size = total[tree.high] - total[tree.low]
    above = tree.parent.copy()
    for v in range(len(tree) - 2, -1, -1):  # parents come after their children
        p = above[v]
        if p >= 0 and size[p] == size[v]:
            above[v] = above[p]
    return Ladder(above, np.arange(len(tree)) < tree.n_leaves, tree.root)


class Records(NamedTuple):
    """Linkable items of records that lie group by group: group g has the records bounds[g] .. bounds[g + 1] - 1."""

    bounds: Offsets
    offsets: Offsets
    items: Ids
    secrets: Secrets


class Lifted(NamedTuple):
    """The node each item occurrence is shown as, -1 where it is left out; which groups cannot be protected on their own."""

    nodes: Ids
    failed: Mask


def lift(records: Records, way: Ladder, asked: Asked, *, star: bool) -> Lifted:
    """Every group protected on its own; with `star` nothing is left out, else nothing is shown as the root.

    Groups are shared out among threads.
    """
    if not star:
        way = way._replace(above=np.where(way.above == way.root, -1, way.above).astype(np.int32))
    nodes, failed = records.items.copy(), np.zeros(len(records.bounds) - 1, np.bool_)
    shares = list(_shares(records, THREADS if len(failed) > 1 else 1))

    def work(share: tuple[int, int]) -> None:
        Lifting(records, way, asked, nodes, failed, share).run(star=star)

    if len(shares) == 1:
        work(shares[0])
    else:
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(work, shares))
    return Lifted(nodes, failed)


def _shares(records: Records, threads: int) -> Iterator[tuple[int, int]]:
    """Runs of groups with about as many items each."""
    n = len(records.bounds) - 1
    ends = records.offsets[records.bounds[1:]]
    cuts = np.searchsorted(ends, [ends[-1] * s // threads for s in range(1, threads)]) if n else []
    places = np.unique([0, *cuts, n])
    yield from zip(places[:-1].tolist(), places[1:].tolist(), strict=True)


class Lifting:
    """The state of some groups: what their records show, and where their occurrences stand."""

    __slots__ = ("_asked", "_bounds", "_count", "_failed", "_fixed", "_items", "_nodes", "_offsets", "_placed", "_secrets")
    __slots__ += ("_shown", "_way")

    def __init__(self, records: Records, way: Ladder, asked: Asked, nodes: Ids, failed: Mask, share: tuple[int, int]) -> None:
        first, last = records.bounds[share[0]], records.bounds[share[1]]
        start, stop = records.offsets[first], records.offsets[last]
        self._bounds = records.bounds[share[0] : share[1] + 1] - first
        self._offsets = records.offsets[first : last + 1] - start
        self._items, self._nodes = records.items[start:stop], nodes[start:stop]
        self._secrets = records.secrets._replace(offsets=records.secrets.offsets[first : last + 1])
        self._failed = failed[share[0] : share[1]]
        self._way, self._asked = way, asked
        self._placed = np.zeros(stop - start, np.bool_)
        self._shown = np.empty(stop - start, np.int32)
        self._count, self._fixed = np.zeros(last - first, np.int32), np.zeros(last - first, np.int32)

    def run(self, *, star: bool) -> None:
        """Steps 1 to 5."""
        self._climb()
        if self._asked.m == 2 and self._asked.l == 1:
            self._spare()
        if star:
            self._root()
        else:
            self._nodes[~self._placed] = -1

    def _climb(self) -> None:
        """Steps 1 to 3."""
        offered, moved = self._nobody(), 1
        while moved:
            offered[:] = False
            offer(self._offsets, self._nodes, self._placed, self._shown, self._count, self._fixed, offered)
            self._close(offered)
            moved = settle(self._offsets, self._nodes, self._placed, self._shown, self._count, self._way.above)

    def _spare(self) -> None:
        """Step 4."""
        records = self._bounds, self._offsets, self._shown, self._count
        free_labels(*records, ~self._way.is_leaf, self._asked.k, ALL)
        restart(self._offsets, self._items, self._nodes, self._placed, self._shown, self._count)
        self._climb()

    def _root(self) -> None:
        """Step 5 where everything has to be shown."""
        root, watched = self._way.root, self._nobody()
        self._nodes[~self._placed] = root
        watched[root], sent = True, 1
        while sent:
            pad(*self._records, root, self._asked.k, watched, self._failed)
            crown(self._offsets, self._nodes, self._shown, self._count, self._fixed, root)
            self._close(watched)
            watched[:] = False
            sent = uproot(self._offsets, self._nodes, self._shown, self._count, root, watched)
            watched[root] = sent > 0

    @property
    def _records(self) -> tuple[Offsets, Offsets, Ids, Ids, Ids]:
        return self._bounds, self._offsets, self._nodes, self._shown, self._count

    def _close(self, watched: Mask) -> None:
        """Step 2: no set with a watched label stays open."""
        gone, shown = self._nobody(), (self._bounds, self._offsets, self._shown, self._count, self._fixed)
        if self._asked.m >= 2:
            close_pairs(*shown, watched, gone, self._asked.k)
        if self._asked.m != 2 or self._asked.l > 1:
            close_sets(*shown, watched | gone, *self._secrets, self._asked, self._failed)

    def _nobody(self) -> Mask:
        return np.zeros(len(self._way.above), np.bool_)


def whole(offsets: Offsets, items: Ids, secrets: Secrets) -> Records:
    """All records as one group."""
    return Records(np.array([0, len(offsets) - 1], np.int64), offsets, items, secrets)


def in_groups(offsets: Offsets, items: Ids, secrets: Secrets, groups: list[Rows]) -> Records:
    """The records of each group, one group after the other."""
    rows = np.concatenate(groups)
    bounds = np.concatenate([[0], np.cumsum([len(group) for group in groups])]).astype(np.int64)
    taken, hidden = _taken(offsets, items, rows), _taken(secrets.offsets, secrets.items, rows)
    return Records(bounds, *taken, Secrets(*hidden, secrets.n))


def _taken(offsets: Offsets, items: Ids, rows: Rows) -> tuple[Offsets, Ids]:
    lengths = np.diff(offsets)[rows]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return starts, items[np.repeat(offsets[rows] - starts[:-1], lengths) + np.arange(starts[-1])]
