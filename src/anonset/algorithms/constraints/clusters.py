"""Clusters of items that are published as one, the records as they would be published now, and the cost of merges."""

import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.constraints._kernels.clusters import (
    Places,
    cheapest_merge,
    compact_pool,
    count_pairs,
    drop,
    gather_holders,
    join,
    join_pairs,
    pair_counts,
    spreads_with,
    support_up_to,
    supports_up_to,
    take_out,
    write,
)
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Transactions
from anonset.model.hierarchy import Hierarchy
from anonset.model.sets import freeze

Longs = NDArray[np.int64]


class ClusterSets:
    """Sets of clusters, which shrink as clusters merge: records, or listed itemsets.

    Set r began as items[offsets[r] : offsets[r + 1]], ascending; sets of fewer than `shortest` items are left out.
    """

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
        """Merge two clusters into the one with the lower id."""
        v, u = int(self._node[low]), int(self._node[high])
        while v != u:  # parents have greater ids
            v, u = max(v, u), int(self._tree.parent[min(v, u)])
        self._node[low] = v

    def put(self, items: Sequence[int]) -> None:
        """Make a cluster of the items; its id is the first of them."""
        self._node[items[0]] = self._tree.lowest_common(items)


NEAR = 1e-6  # losses in log2 that lie closer than this are compared as fractions


class PossibleMerge(NamedTuple):
    """A possible merge: about log2 of its loss, its support, the two clusters, its size, and its spread over the hierarchy."""

    loss: float
    support: int
    low: int
    high: int
    size: int
    spread: int


class ClusterWeights:
    """The sum of the weights of each cluster's items; the weight of a cluster is their mean."""

    def __init__(self, weights: Sequence[Fraction]) -> None:
        self._items = weights
        self._sums = list(weights)
        self._floats = np.array([float(weight) for weight in weights])

    def join(self, low: int, high: int) -> None:
        """Merge two clusters into the one with the lower id."""
        self._sums[low] += self._sums[high]
        self._floats[low] = float(self._sums[low])

    def put(self, items: Sequence[int]) -> None:
        """Make a cluster of the items; its id is the first of them."""
        self._sums[items[0]] = sum((self._items[i] for i in items), Fraction(0))
        self._floats[items[0]] = float(self._sums[items[0]])

    def near_cheapest(self, a: int, others: Rows, sizes: Rows, supports: Rows, spreads: Rows) -> list[PossibleMerge]:
        """The merges of a with others that may be the cheapest; sizes, supports and spreads are those of the unions."""
        weights = (self._floats[a] + self._floats[others]) / sizes * spreads
        share = (1.0 - np.exp2(-sizes.astype(np.float64))) * supports * weights
        with np.errstate(divide="ignore"):
            losses = sizes + np.log2(share)
        near = np.flatnonzero(losses <= losses.min(initial=np.inf) + NEAR)
        return [
            PossibleMerge(float(losses[q]), int(supports[q]), min(a, b), max(a, b), int(sizes[q]), int(spreads[q]))
            for q in near
            for b in [int(others[q])]
        ]

    def cheapest(self, merges: Sequence[PossibleMerge]) -> tuple[int, int] | None:
        """The two clusters whose merge costs least; ties: smaller support, then smaller ids."""
        if not merges:
            return None
        least = min(merges).loss + NEAR
        best = min((merge for merge in merges if merge.loss <= least), key=self._exact_cost)
        return best.low, best.high

    def _exact_cost(self, merge: PossibleMerge) -> tuple[Fraction, int, int, int]:
        weight = (self._sums[merge.low] + self._sums[merge.high]) / merge.size * merge.spread
        return (2**merge.size - 1) * merge.support * weight, merge.support, merge.low, merge.high


SUPPRESSED = -1
WHOLE_TABLE = 4096  # items up to which all pairs are counted in one table (64 MB); with more, pairs are counted when needed


class ItemClusters:
    """Which items are published as one: H in [003]. The id of a cluster is the smallest of its items.

    `groups` are the utility constraints by item: clusters merge only inside one. Without `weights` all items weigh the same;
    with `places` a cluster weighs more the wider its items are spread over a hierarchy. An item that no record holds is never
    merged. Records of one item are only counted, in `alone`; `records` are the others. `supports` are 0 for a cluster that is
    merged into another or suppressed.
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
        self._of = list(range(d))  # the same as a list, which is faster for a few items
        self.members = {i: [i] for i in range(d)}
        self.records = ClusterSets(transactions.offsets, transactions.items, self.cluster_of, shortest=2)
        single = transactions.offsets[:-1][transactions.lengths == 1]
        self._item_alone = np.bincount(transactions.items[single], minlength=d)
        self.alone = self._item_alone.copy()
        self.supports = self.alone + self.records.count
        self.item_supports = self.supports.copy()  # before any merge
        self.sizes = np.ones(d, np.int64)
        self.weights = weights
        self.places = places
        self.longest = sys.maxsize  # sets of more clusters are not counted in `records`
        self.groups = groups
        self.present = self.supports > 0
        self._has_table = d <= WHOLE_TABLE
        self.table = np.zeros((d if self._has_table else 1, d), np.int32)
        if self._has_table:
            count_pairs(self.records.rows, self.table)

    def translate(self, itemset: Iterable[int]) -> Ids:
        """The clusters of the items, ascending; suppressed items drop out."""
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
        """Write the supports of some of the sets, counted up to limit; return whether one of them is open.

        `until_open`: stop at the first open one.
        """
        known = (self.alone, self.table, self.records.rows)
        return supports_up_to(limit, which, until_open, sets, *known, self.records.holders, supports)

    def pair_counts(self, cluster: int) -> Ids:
        """For each other cluster the number of records that hold both; valid until the next call or change."""
        if self._has_table:
            row: Ids = self.table[cluster]
            return row
        return pair_counts(cluster, self.records.rows, self.records.holders, self.table)

    @property
    def priced(self) -> Ids:
        """The counts of pairs from which the cost of merges is computed."""
        return self.table

    def priced_with(self, cluster: int) -> Ids:
        """The counts of pairs with one cluster, from which the cost of its merges is computed."""
        return self.pair_counts(cluster)

    def cheapest_merge(self, clusters: Ids) -> tuple[int, int] | None:
        """The pair with the lowest UL of which one is among the clusters, and both are in one group."""
        if self.weights is not None:
            return self._cheapest_weighted_merge(clusters, self.weights)
        sets = self.records
        places = NOWHERE if self.places is None else self.places.arrays
        known = (self.sizes, self.supports, self.groups, sets.rows, sets.holders, self.priced)
        low, high = cheapest_merge(clusters, *known, places)
        return None if low < 0 else (low, high)

    def _cheapest_weighted_merge(self, clusters: Ids, weights: ClusterWeights) -> tuple[int, int] | None:
        found: list[PossibleMerge] = []
        for a in clusters.tolist():
            others = np.flatnonzero((self.supports > 0) & (self.groups == self.groups[a]))
            others = others[others != a]
            supports = self.supports[a] + self.supports[others] - self.priced_with(a)[others]
            spreads = np.ones(len(others), np.int64) if self.places is None else self.places.spreads(a, others)
            found += weights.near_cheapest(a, others, self.sizes[a] + self.sizes[others], supports, spreads)
        return weights.cheapest(found)

    def least_supported(self, clusters: Ids) -> int:
        """The cluster that the fewest records hold; ties: the smallest id."""
        return int(clusters[np.argmin(self.supports[clusters])])

    def merge(self, low: int, high: int) -> None:
        """Publish two clusters as one, under the smaller id."""
        self._count_joined(low, high, self.records.join(low, high))
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

    def _count_joined(self, low: int, high: int, both: Ids) -> None:
        """Count the pairs of two clusters that became one; `both` are the records that held both."""
        if self._has_table:
            join_pairs(low, high, both, self.records.rows, self.table)

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
        """Make a cluster of the items, which were taken out of a larger one."""
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
