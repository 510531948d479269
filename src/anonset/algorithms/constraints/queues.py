"""Which open constraint comes next. A constraint is open while its support lies between 1 and k - 1.

Of two open constraints the one with the higher support comes first, now or, in a static queue, in the original data;
ties: fewer items, then smaller item ids. A constraint with support 0 stays in care: a merge can open it.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.constraints.clusters import Clusters, ClusterSets
from anonset.algorithms.constraints.itemsets import CodedItemsets
from anonset.kernels.itemset_supports import first_of_highest, raise_supports, supports_up_to
from anonset.kernels.rare_itemsets import best_cluster, forget, report_all_open_sets, report_open_sets
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids

Itemset = tuple[int, ...]


class Queue(Protocol):
    """Tells the next open constraint, as original items, and hears of every change of the clusters."""

    def top(self) -> Itemset | None:
        """The open constraint that comes first, or None where all are satisfied."""
        ...

    def merging(self, low: int, high: int) -> None:
        """Two clusters are about to become one."""
        ...

    def merged(self, cluster: int) -> None:
        """Two clusters became this one."""
        ...

    def suppressed(self, cluster: int) -> None:
        """A cluster was suppressed; what remains of its constraints needs protection as well."""
        ...

    def holds_split(self, parts: tuple[int, int]) -> bool:
        """Whether nothing is open now that a cluster was split into these two, if nothing was open before."""
        ...


class AllItemsetsQueue:
    """Every set of at most m items: only the best open set of each cluster is known, none is listed."""

    def __init__(self, clusters: Clusters, k: int, m: int, *, ranked: bool = True) -> None:
        d = len(clusters.cluster_of)
        self._clusters, self._k, self._ranked = clusters, k, ranked
        self._m = max(1, min(m, int(clusters.records.lengths.max(initial=1))))
        self._together = np.zeros(d, np.int32)
        self._best = supports, sizes, members, stale = self._nothing(d)
        rows, holders = clusters.records.rows, clusters.records.holders
        report_all_open_sets(self._m, k, ranked, *rows, *holders, self._together, supports, sizes, members, stale)

    def _nothing(self, d: int) -> tuple[Ids, Ids, Ids, NDArray[np.bool_]]:
        """Support, size and members of the best open set of each cluster, and whether it is a bound only."""
        members = np.zeros((d, self._m), np.int32)
        return np.zeros(d, np.int32), np.zeros(d, np.int32), members, np.zeros(d, np.bool_)

    def top(self) -> Itemset | None:
        """The best open set of all clusters; a bound that comes first is made exact before it is believed."""
        supports, sizes, members, stale = self._best
        while (a := best_cluster(self._ranked, supports, sizes, members)) >= 0:
            if not stale[a]:
                return tuple(members[a, : sizes[a]].tolist())
            supports[a], stale[a] = 0, False
            self._report(a, floor=a)
        return None

    def merging(self, low: int, high: int) -> None:
        """What is known of sets with the two is a bound from now on."""
        forget(low, *self._best)
        forget(high, *self._best)

    def merged(self, cluster: int) -> None:
        """Look at all sets with the new cluster."""
        self._report(cluster, floor=-1)

    def suppressed(self, cluster: int) -> None:
        """Forget all sets with the cluster."""
        forget(cluster, *self._best)

    def holds_split(self, parts: tuple[int, int]) -> bool:
        """Whether no set with one of the parts is open."""
        self._best = self._nothing(len(self._together))
        for part in parts:
            self._report(part, floor=-1)
        return not self._best[0].any()

    def _report(self, cluster: int, *, floor: int) -> None:
        records, m, k = self._clusters.records, self._m, self._k
        supports, sizes, members, stale = self._best
        known = (records.holding(cluster), self._together, supports, sizes, members)
        report_open_sets(cluster, floor, m, k, self._ranked, *records.rows, *known, stale)


class ListedQueue:
    """Listed itemsets, each with its support now, counted up to k."""

    def __init__(self, clusters: Clusters, k: int, itemsets: CodedItemsets, *, ranked: bool = True) -> None:
        self._clusters, self._k, self._itemsets, self._ranked = clusters, k, itemsets, ranked
        translated = collapse(itemsets.offsets, clusters.cluster_of[itemsets.items])
        self._sets = ClusterSets(*translated, len(clusters.cluster_of))
        self._supports = np.zeros(len(itemsets), np.int32)
        self._count(np.arange(len(itemsets), dtype=np.int32))

    def top(self) -> Itemset | None:
        """The open itemset with the highest support, or the first one where supports do not count."""
        q = first_of_highest(self._supports, self._k, self._ranked)
        return None if q < 0 else self._itemsets[q]

    def merging(self, low: int, high: int) -> None:
        """Add what the merge will give to the supports, then merge in the itemsets."""
        sets, records = self._sets, self._clusters.records
        raise_supports(low, high, self._k, *sets.rows, *sets.holders, *records.rows, *records.holders, self._supports)
        sets.join(low, high)

    def merged(self, cluster: int) -> None:
        """Nothing is left to do."""

    def suppressed(self, cluster: int) -> None:
        """Count the supports of what remains."""
        touched = self._sets.holding(cluster).copy()
        self._sets.drop(cluster)
        self._count(touched[self._supports[touched] < self._k])

    def holds_split(self, parts: tuple[int, int]) -> bool:
        """Whether no itemset with one of the parts is open."""
        given = self._itemsets
        touched = self._sets.holding(parts[0]).copy()
        self._sets.rebuild(parts[0], np.array(parts, np.int32), given.offsets, given.items, self._clusters.cluster_of)
        self._count(touched)
        return not ((self._supports[touched] > 0) & (self._supports[touched] < self._k)).any()

    def _count(self, which: Ids) -> None:
        records = self._clusters.records
        supports_up_to(self._k, which, *self._sets.rows, *records.rows, *records.holders, self._supports)


class StaticQueue:
    """Itemsets with an original support in 1..k-1 in the order of that support; what it is now is counted in their turn.

    Such an itemset, once satisfied, stays so. Those with original support 0 come last, and again when a merge opens them:
    they are left to a queue that is made when the others are done.
    """

    def __init__(self, clusters: Clusters, k: int, itemsets: CodedItemsets, supports: Ids, rest: Callable[[], Queue]) -> None:
        self._clusters, self._k, self._itemsets = clusters, k, itemsets
        self._order = np.argsort(-supports, kind="stable")
        self._next = 0
        self._make_rest = rest
        self._rest: Queue | None = None

    def top(self) -> Itemset | None:
        """The next itemset that is open now."""
        while self._next < len(self._order):
            itemset = self._itemsets[int(self._order[self._next])]
            if 0 < self._clusters.support(self._clusters.translate(itemset), self._k) < self._k:
                return itemset
            self._next += 1
        return self._queue.top()

    @property
    def _queue(self) -> Queue:
        if self._rest is None:
            self._rest = self._make_rest()
        return self._rest

    def merging(self, low: int, high: int) -> None:
        """Tell the last queue, where there is one."""
        if self._rest is not None:
            self._rest.merging(low, high)

    def merged(self, cluster: int) -> None:
        """Tell the last queue, where there is one."""
        if self._rest is not None:
            self._rest.merged(cluster)

    def suppressed(self, cluster: int) -> None:
        """Tell the last queue, where there is one."""
        if self._rest is not None:
            self._rest.suppressed(cluster)

    def holds_split(self, parts: tuple[int, int]) -> bool:
        """What the last queue says."""
        return self._queue.holds_split(parts)
