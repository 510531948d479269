"""Where clusters of items are in a hierarchy: the lowest node over all their items, and how many leaves are under it."""

from collections.abc import Sequence

import numpy as np

from anonset.algorithms.constraints.kernels.merging import Places, spreads_with
from anonset.model.arrays import Rows, freeze
from anonset.model.hierarchy import Hierarchy

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
