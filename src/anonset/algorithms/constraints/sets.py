"""Sets of clusters that shrink as clusters merge, and which sets hold a cluster, as the kernels read them.

And where clusters are in a hierarchy: the lowest node over all their items, and how many leaves are under it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.constraints.kernels.holders import compact_pool, drop, gather_holders, join, take_out, write
from anonset.algorithms.constraints.kernels.merging import Places, spreads_with
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.hierarchy import Hierarchy
from anonset.model.sets import freeze

Longs = NDArray[np.int64]


class ClusterSets:
    """Set r began as items[offsets[r] : offsets[r + 1]], ascending; sets of fewer than `shortest` items are left out."""

    def __init__(self, offsets: Offsets, items: Ids, cluster_of: Ids, *, shortest: int = 1) -> None:
        lengths = np.diff(offsets).astype(np.int32)
        kept = lengths >= shortest
        self._items, self._full = items, lengths[kept]
        self.rows = (offsets[:-1][kept], self._full.copy(), items.copy())
        if (cluster_of != np.arange(len(cluster_of))).any():
            write(np.arange(len(self._full), dtype=np.int32), self._full, items, cluster_of, self.rows)
        self.holders, self._used = gather_holders(self.rows, len(cluster_of))

    @property
    def count(self) -> Longs:
        """The number of sets that hold each cluster."""
        return self.holders[2]

    def holding(self, cluster: int) -> Ids:
        """The sets that hold a cluster."""
        pool, first, count = self.holders
        return pool[first[cluster] : first[cluster] + count[cluster]]

    def join(self, keep: int, gone: int) -> Ids:
        """Replace cluster gone by keep, the smaller id; return the sets that held both."""
        total = int(self.count[keep] + self.count[gone])
        self._make_room(total)
        before = self._used
        self._used = join(keep, gone, self.rows, self.holders, before)
        return self.holders[0][self._used : before + total]

    def drop(self, cluster: int) -> None:
        """Remove a cluster from every set."""
        drop(cluster, self.rows, self.holders)

    def take_out(self, item: int, cluster: int, rest: int, cluster_of: Ids) -> None:
        """Put an item and the rest of a cluster in its place."""
        self._make_room(2 * int(self.count[cluster]))
        original = (self._full, self._items, cluster_of)
        self._used = take_out(item, cluster, rest, *original, self.rows, self.holders, self._used)

    def _make_room(self, room: int) -> None:
        pool, first, count = self.holders
        if self._used + room > len(pool):
            pool, self._used = compact_pool(self.holders, 2 * room + len(pool))
            self.holders = (pool, first, count)


NOWHERE: Places = (np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64))
freeze(NOWHERE[1])  # as the parents of a hierarchy are: one compiled form for both


class ClusterPlaces:
    """The semantic weight of a cluster: the leaves under the lowest node over its items, of all leaves ([003] 2.3).

    All leaves are a common factor, so weights are compared as whole numbers.
    """

    def __init__(self, tree: Hierarchy) -> None:
        self._tree = tree
        self._node = np.arange(tree.n_leaves, dtype=np.int32)
        self._leaves = tree.sizes.astype(np.int64)

    @property
    def arrays(self) -> Places:
        """The node of each cluster, the parent and the leaves of each node."""
        return self._node, self._tree.parent, self._leaves

    def spreads(self, a: int, others: Rows) -> Rows:
        """The leaves under the lowest node over cluster a and each of the others."""
        with_a: Rows = spreads_with(int(self._node[a]), self._tree.parent, self._leaves)
        return with_a[self._node[others]]

    def join(self, low: int, high: int) -> None:
        """Two clusters become one."""
        v, u = int(self._node[low]), int(self._node[high])
        while v != u:  # parents have greater ids
            v, u = max(v, u), int(self._tree.parent[min(v, u)])
        self._node[low] = v

    def put(self, items: Sequence[int]) -> None:
        """The items make a cluster, called by the first of them."""
        self._node[items[0]] = self._tree.lowest_common(items)
