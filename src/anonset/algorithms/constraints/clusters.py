"""The clustering under way: items that are published as one, and the records as they would be published now."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.constraints.kernels.itemset_supports import support_up_to, supports_up_to
from anonset.algorithms.constraints.kernels.merging import cheapest_merge, count_pairs, join_pairs, pair_counts
from anonset.algorithms.constraints.places import NOWHERE, ClusterPlaces
from anonset.algorithms.constraints.sets import ClusterSets
from anonset.algorithms.constraints.weights import ClusterWeights, Merge
from anonset.model.arrays import Ids
from anonset.model.transactions import Transactions

Longs = NDArray[np.int64]
SUPPRESSED = -1
WHOLE_TABLE = 4096  # items up to which all pairs are counted in one table, 64 MB; pairs of more are counted when asked for


class Clusters:
    """Which items are published as one: the paper's H. A cluster is called by the smallest of its items.

    `groups` are the utility constraints by item: merging stays inside one. Without `weights` all items weigh the same; with
    `places` a cluster weighs more the wider its items are spread over a hierarchy. An item that no record holds is no
    candidate for a merge. Records of one item are only counted, in `alone`; `records` are the others. `supports` are 0 for a
    cluster that is merged into another or suppressed.
    """

    def __init__(
        self,
        transactions: Transactions,
        groups: Ids,
        weights: ClusterWeights | None = None,
        places: ClusterPlaces | None = None,
    ) -> None:
        d = len(transactions.domain)
        self.transactions = transactions
        self.cluster_of = np.arange(d, dtype=np.int32)
        self._of = list(range(d))  # the same, quick for a few items
        self.members = {i: [i] for i in range(d)}
        self.records = ClusterSets(transactions.offsets, transactions.items, self.cluster_of, shortest=2)
        single = transactions.offsets[:-1][transactions.lengths == 1]
        self._item_alone = np.bincount(transactions.items[single], minlength=d)
        self.alone = self._item_alone.copy()
        self.supports = self.alone + self.records.count
        self.sizes = np.ones(d, np.int64)
        self.weights = weights
        self.places = places
        self.groups = groups
        self.present = self.supports > 0
        self._has_table = d <= WHOLE_TABLE
        self.table = np.zeros((d if self._has_table else 1, d), np.int32)
        if self._has_table:
            count_pairs(self.records.rows, self.table)

    def translate(self, itemset: Iterable[int]) -> Ids:
        """The clusters that stand for the items, ascending; suppressed items drop out."""
        clusters = {self._of[i] for i in itemset}
        return np.array(sorted(clusters - {SUPPRESSED}), np.int32)

    def support(self, clusters: Ids, limit: int) -> int:
        """The number of records that hold all the clusters, counted up to limit; 0 for no clusters."""
        if len(clusters) == 0:
            return 0
        return int(support_up_to(limit, clusters, self.alone, self.table, self.records.rows, self.records.holders))

    def count_supports(
        self, limit: int, which: Ids, sets: tuple[Longs, Ids, Ids], supports: Ids, *, until_open: bool = False
    ) -> bool:
        """Write the supports of some of the sets, counted up to limit, of all or as far as the first open one is; whether
        one is open.
        """
        known = (self.alone, self.table, self.records.rows)
        return supports_up_to(limit, which, until_open, sets, *known, self.records.holders, supports)

    def pair_counts(self, cluster: int) -> Ids:
        """For each other cluster the number of records that hold both; good until the next call or change."""
        if self._has_table:
            row: Ids = self.table[cluster]
            return row
        return pair_counts(cluster, self.records.rows, self.records.holders, self.table)

    def cheapest_merge(self, clusters: Ids) -> tuple[int, int] | None:
        """The pair with the lowest UL of which one is among the clusters, and both are in one group."""
        if self.weights is not None:
            return self._cheapest_weighted_merge(clusters, self.weights)
        sets = self.records
        places = NOWHERE if self.places is None else self.places.arrays
        known = (self.sizes, self.supports, self.groups, sets.rows, sets.holders, self.table)
        low, high = cheapest_merge(clusters, *known, places)
        return None if low < 0 else (low, high)

    def _cheapest_weighted_merge(self, clusters: Ids, weights: ClusterWeights) -> tuple[int, int] | None:
        found: list[Merge] = []
        for a in clusters.tolist():
            others = np.flatnonzero((self.supports > 0) & (self.groups == self.groups[a]))
            others = others[others != a]
            supports = self.supports[a] + self.supports[others] - self.pair_counts(a)[others]
            spreads = np.ones(len(others), np.int64) if self.places is None else self.places.spreads(a, others)
            found += weights.near_cheapest(a, others, self.sizes[a] + self.sizes[others], supports, spreads)
        return weights.cheapest(found)

    def least_supported(self, clusters: Ids) -> int:
        """The cluster that the fewest records hold; ties: the smallest id."""
        return int(clusters[np.argmin(self.supports[clusters])])

    def merge(self, low: int, high: int) -> None:
        """Publish two clusters as one, called by the smaller id."""
        both = self.records.join(low, high)
        if self._has_table:
            join_pairs(low, high, both, self.records.rows, self.table)
        gone = self.members.pop(high)
        self.members[low] += gone
        self._assign(gone, low)
        self.sizes[low] += self.sizes[high]
        self.alone[low] += self.alone[high]
        self.alone[high] = 0
        self.supports[low], self.supports[high] = self.alone[low] + self.records.count[low], 0
        if self.weights is not None:
            self.weights.join(low, high)
        if self.places is not None:
            self.places.join(low, high)

    def suppress(self, cluster: int) -> None:
        """Publish a cluster in no record."""
        self.records.drop(cluster)
        self.alone[cluster] = self.supports[cluster] = 0
        if self._has_table:
            self.table[cluster] = self.table[:, cluster] = 0
        self._assign(self.members.pop(cluster), SUPPRESSED)

    def _assign(self, items: list[int], cluster: int) -> None:
        self.cluster_of[items] = cluster
        for i in items:
            self._of[i] = cluster

    def take_out(self, item: int) -> int:
        """Publish an item of a larger cluster apart from the others; return the cluster that these are now."""
        cluster = self._of[item]
        others = sorted(set(self.members[cluster]) - {item})
        self._assign([item], item)
        self._assign(others, others[0])
        self.records.take_out(item, cluster, others[0], self.cluster_of)
        self._put([item])
        self._put(others)
        return others[0]

    def _put(self, items: list[int]) -> None:
        """Note that items are a cluster."""
        c = items[0]
        self.members[c], self.sizes[c] = items, len(items)
        self.alone[c] = self._item_alone[items].sum()
        self.supports[c] = self.alone[c] + self.records.count[c]
        if self.weights is not None:
            self.weights.put(items)
        if self.places is not None:
            self.places.put(items)
        if self._has_table:
            room = np.zeros((1, len(self.table)), np.int32)
            row = pair_counts(c, self.records.rows, self.records.holders, room)
            row[c] = 0
            self.table[c] = self.table[:, c] = row
