"""The clustering under way: items that are published as one, and the records as they would be published now."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.constraints.weights import ClusterWeights, Merge
from anonset.kernels.holders import compact_pool, drop, gather_holders, join, rebuild
from anonset.kernels.itemset_supports import support_up_to
from anonset.kernels.merging import cheapest_merge, count_together
from anonset.model.arrays import Ids, Offsets
from anonset.model.transactions import Transactions

Longs = NDArray[np.int64]
SUPPRESSED = -1


class ClusterSets:
    """Sets of clusters that shrink as clusters merge; `rows` and `holders` are what the kernels read."""

    def __init__(self, offsets: Offsets, entries: Ids, d: int) -> None:
        self.starts = offsets[:-1].copy()
        self.lengths = np.diff(offsets).astype(np.int32)
        self.entries = entries.copy()
        self.pool, self.first, self.count = gather_holders(self.starts, self.lengths, self.entries, d)
        self._used = len(self.pool)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def rows(self) -> tuple[Longs, Ids, Ids]:
        """starts, lengths, entries."""
        return self.starts, self.lengths, self.entries

    @property
    def holders(self) -> tuple[Ids, Longs, Longs]:
        """pool, first, count."""
        return self.pool, self.first, self.count

    def holding(self, cluster: int) -> Ids:
        """The sets that hold a cluster."""
        begin = self.first[cluster]
        return self.pool[begin : begin + self.count[cluster]]

    def join(self, keep: int, gone: int) -> None:
        """Replace cluster gone by keep, the smaller id."""
        self._make_room(int(self.count[keep] + self.count[gone]))
        self._used = join(keep, gone, *self.rows, *self.holders, self._used)

    def drop(self, cluster: int) -> None:
        """Remove a cluster from every set."""
        drop(cluster, *self.rows, *self.holders)

    def rebuild(self, cluster: int, parts: Ids, offsets: Offsets, items: Ids, cluster_of: Ids) -> None:
        """Put the parts a cluster was split into in its place, from the original items."""
        self._make_room(int(self.count[cluster]) * len(parts))
        self._used = rebuild(cluster, parts, offsets, items, cluster_of, *self.rows, *self.holders, self._used)

    def _make_room(self, room: int) -> None:
        if self._used + room > len(self.pool):
            self.pool, self._used = compact_pool(*self.holders, 2 * room + len(self.pool))


class Clusters:
    """Which items are published as one: the paper's H. A cluster is called by the smallest of its items.

    `groups` are the utility constraints by item: merging stays inside one. Without `weights` all items weigh the same. An
    item that no record holds is no candidate for a merge.
    """

    def __init__(self, transactions: Transactions, groups: Ids, weights: ClusterWeights | None = None) -> None:
        d = len(transactions.domain)
        self.transactions = transactions
        self.cluster_of = np.arange(d, dtype=np.int32)
        self.members = {i: [i] for i in range(d)}
        self.records = ClusterSets(transactions.offsets, transactions.items, d)
        self.sizes = np.ones(d, np.int64)
        self.weights = weights
        self.groups = groups
        self.present = self.records.count > 0
        self._together = np.zeros(d, np.int32)

    @property
    def supports(self) -> Longs:
        """The number of records that hold each cluster; 0 for one that is merged into another or suppressed."""
        return self.records.count

    def translate(self, itemset: Iterable[int]) -> Ids:
        """The clusters that stand for the items, ascending; suppressed items drop out."""
        clusters = set(self.cluster_of[list(itemset)].tolist())
        return np.array(sorted(clusters - {SUPPRESSED}), np.int32)

    def support(self, clusters: Ids, limit: int) -> int:
        """The number of records that hold all the clusters, counted up to limit; 0 for no clusters."""
        if len(clusters) == 0:
            return 0
        return int(support_up_to(limit, clusters, *self.records.rows, *self.records.holders))

    def cheapest_merge(self, clusters: Ids) -> tuple[int, int] | None:
        """The pair with the lowest UL of which one is among the clusters, and both are in one group."""
        if self.weights is not None:
            return self._cheapest_weighted_merge(clusters, self.weights)
        sets = self.records
        low, high = cheapest_merge(clusters, *sets.rows, *sets.holders, self.sizes, self.groups, self._together)
        return None if low < 0 else (low, high)

    def _cheapest_weighted_merge(self, clusters: Ids, weights: ClusterWeights) -> tuple[int, int] | None:
        found: list[Merge] = []
        for a in clusters.tolist():
            count_together(a, *self.records.rows, *self.records.holders, self._together)
            others = np.flatnonzero((self.supports > 0) & (self.groups == self.groups[a]))
            others = others[others != a]
            supports = self.supports[a] + self.supports[others] - self._together[others]
            found += weights.near_cheapest(a, others, self.sizes[a] + self.sizes[others], supports)
        return weights.cheapest(found)

    def least_supported(self, clusters: Ids) -> int:
        """The cluster that the fewest records hold; ties: the smallest id."""
        return int(clusters[np.argmin(self.supports[clusters])])

    def merge(self, low: int, high: int) -> None:
        """Publish two clusters as one, called by the smaller id."""
        self.records.join(low, high)
        gone = self.members.pop(high)
        self.members[low] += gone
        self.cluster_of[gone] = low
        self.sizes[low] += self.sizes[high]
        if self.weights is not None:
            self.weights.join(low, high)

    def suppress(self, cluster: int) -> None:
        """Publish a cluster in no record."""
        self.records.drop(cluster)
        self.cluster_of[self.members.pop(cluster)] = SUPPRESSED

    def split(self, cluster: int, part: list[int]) -> tuple[int, int]:
        """Publish some items of a cluster apart from the rest; return the two clusters, the smaller id first."""
        rest = sorted(set(self.members[cluster]) - set(part))
        parts = sorted((sorted(part), rest))
        for items in parts:
            self.members[items[0]] = items
            self.cluster_of[items] = items[0]
            self.sizes[items[0]] = len(items)
            if self.weights is not None:
                self.weights.put(items)
        ids = np.array([items[0] for items in parts], np.int32)
        self.records.rebuild(cluster, ids, self.transactions.offsets, self.transactions.items, self.cluster_of)
        return int(ids[0]), int(ids[1])
