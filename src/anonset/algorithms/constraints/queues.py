"""Itemsets in coded form, and which open constraint comes next. A constraint is open while its support lies between 1
and k - 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.constraints._kernels.clusters import first_of_highest, raise_supports
from anonset.algorithms.constraints._kernels.rare_itemsets import best_open_set, forget, report_open_sets
from anonset.algorithms.constraints.clusters import ClusterSets, ItemClusters
from anonset.algorithms.work_limit import require_countable
from anonset.errors import Call, Fix, InputError
from anonset.model.arrays import Ids, Offsets
from anonset.model.dataset import Dataset, Transactions
from anonset.model.sets import offsets_of, take

SHOWN = 3


@dataclass(frozen=True, slots=True, eq=False)
class CodedItemsets:
    """Itemset q is items[offsets[q] : offsets[q + 1]]; repeats[q] says how often it was given."""

    offsets: Offsets
    items: Ids
    repeats: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.repeats)

    def __getitem__(self, q: int) -> tuple[int, ...]:
        return tuple(self.items[self.offsets[q] : self.offsets[q + 1]].tolist())

    def take(self, which: NDArray[np.bool_]) -> "CodedItemsets":
        """The itemsets where the mask is true."""
        return CodedItemsets(*take(self.offsets, self.items, which), self.repeats[which])

    def supports(self, clusters: ItemClusters, limit: int) -> Ids:
        """The supports of the itemsets among singleton clusters, counted up to limit."""
        supports = np.zeros(len(self), np.int32)
        which = np.arange(len(self), dtype=np.int32)
        rows = (self.offsets[:-1].copy(), np.diff(self.offsets).astype(np.int32), self.items)
        clusters.count_supports(limit, which, rows, supports)
        return supports


def coded(offsets: Offsets, items: Ids) -> CodedItemsets:
    """Itemsets from rows in any order, empty ones left out."""
    lengths = np.diff(offsets)
    rows, repeats, sizes = [], [], []
    for n in np.unique(lengths[lengths > 0]):
        same = np.sort(items[offsets[:-1][lengths == n][:, None] + np.arange(n)], axis=1)
        same = same[np.lexsort(same.T[::-1])]
        new = np.concatenate([[True], (same[1:] != same[:-1]).any(axis=1)])
        rows.append(same[new].ravel())
        repeats.append(np.diff(np.append(np.flatnonzero(new), len(same))))
        sizes.append(np.full(int(new.sum()), n, np.int64))
    empty = np.zeros(0, np.int64)
    return CodedItemsets(
        offsets_of(np.concatenate([*sizes, empty])),
        np.concatenate([*rows, empty]).astype(np.int32),
        np.concatenate([*repeats, empty]).astype(np.int64),
    )


def coded_names(data: Dataset, itemsets: Sequence[Sequence[str]]) -> CodedItemsets:
    """Itemsets given by name; one that names an item the data do not have, or a sensitive one, is an error."""
    assert data.transactions is not None
    code = {name: i for i, name in enumerate(data.transactions.domain)}
    named = frozenset(chain.from_iterable(itemsets))
    if unknown := sorted(named.difference(code)):
        raise InputError(
            f"privacy constraints name {_some(unknown)}, not in the data",
            fix=[Fix("correct them"), Fix("drop what cannot occur ({})", Call("Itemsets.among"))],
        )
    sensitive = data.sensitive_items
    if sensitive is not None and (secret := sorted(name for name in named if sensitive[code[name]])):
        raise InputError(f"privacy constraints name {_some(secret)}, sensitive and so not linkable; leave them out")
    offsets = offsets_of(np.fromiter(map(len, itemsets), np.int64, len(itemsets)))
    return coded(offsets, np.fromiter(map(code.__getitem__, chain.from_iterable(itemsets)), np.int32, offsets[-1]))


def maximal_rare_transactions(transactions: Transactions, clusters: ItemClusters, k: int) -> CodedItemsets:
    """The distinct transactions with support below k that no larger transaction contains ([003]'s Pgen).

    Protecting them protects every other transaction with support below k, which lies inside one of them. A transaction is
    maximal where every record that holds it is equal to it.
    """
    distinct = coded(transactions.offsets, transactions.items)
    supports = distinct.supports(clusters, k)
    return distinct.take((supports < k) & (supports == distinct.repeats))


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more items"


Itemset = tuple[int, ...]


class Open(NamedTuple):
    """An open constraint, as original items, and its support now."""

    constraint: Itemset
    support: int


class Queue(Protocol):
    """Tells the next open constraint and hears of every change of the clusters."""

    def top(self) -> Open | None:
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

    def lets_out(self, item: int, cluster: int, rest: int) -> bool:
        """Whether nothing is open now that an item was taken out of a cluster, now called rest, if nothing was before."""
        ...


class AllItemsetsQueue:
    """Every set of at most m items: only the best open set of each cluster is known, none is listed."""

    def __init__(self, clusters: ItemClusters, k: int, m: int, *, ranked: bool = True) -> None:
        d = len(clusters.cluster_of)
        self._clusters, self._k, self._ranked = clusters, k, ranked
        self._m = max(1, min(m, int(clusters.transactions.lengths.max(initial=1))))  # a split makes records longer again
        if self._m > 2:
            require_countable(clusters.transactions.lengths, self._m)
        self._together = np.zeros(d, np.int32)
        self._best = self._nothing(d)
        supports, sizes, members, stale = self._best  # for a start the bound that each cluster alone is as good as can be
        supports[clusters.supports > 0], sizes[:], members[:, 0], stale[:] = k - 1, 1, np.arange(d), True

    def _nothing(self, d: int) -> tuple[Ids, Ids, Ids, NDArray[np.bool_]]:
        """Support, size and members of the best open set of each cluster, and whether it is a bound only."""
        members = np.zeros((d, self._m), np.int32)
        return np.zeros(d, np.int32), np.zeros(d, np.int32), members, np.zeros(d, np.bool_)

    def top(self) -> Open | None:
        """The best open set of all clusters."""
        records, table, m, k = self._clusters.records, self._clusters.table, self._m, self._k
        a = best_open_set(
            m, k, self._ranked, self._clusters.alone, records.rows, records.holders, table, self._together, self._best
        )
        supports, sizes, members, _ = self._best
        return None if a < 0 else Open(tuple(members[a, : sizes[a]].tolist()), int(supports[a]))

    def merging(self, low: int, high: int) -> None:
        """What is known of sets with the two is a bound from now on."""
        forget(low, high, self._best)

    def merged(self, cluster: int) -> None:
        """Look at all sets with the new cluster."""
        records, row = self._clusters.records, self._clusters.pair_counts(cluster)
        alone, holding = int(self._clusters.alone[cluster]), records.holding(cluster)
        asked = (cluster, -1, self._m, self._k, self._ranked)
        report_open_sets(*asked, alone, row, holding, records.rows, self._together, self._best)

    def suppressed(self, cluster: int) -> None:
        """Forget all sets with the cluster."""
        forget(cluster, cluster, self._best)

    def lets_out(self, item: int, cluster: int, rest: int) -> bool:
        """Whether no set with the item or the rest is open."""
        supports = self._best[0]
        for part in (item, rest):
            self.merged(part)
            if supports.any():
                supports[:] = 0
                return False
        return True


class ListedQueue:
    """Listed itemsets, each with its support now, counted up to k."""

    def __init__(self, clusters: ItemClusters, k: int, itemsets: CodedItemsets, *, ranked: bool = True) -> None:
        self._clusters, self._k, self._itemsets, self._ranked = clusters, k, itemsets, ranked
        self._sets = ClusterSets(itemsets.offsets, itemsets.items, clusters.cluster_of)
        self._supports = np.zeros(len(itemsets), np.int32)
        self._stale = np.zeros(0, np.int32)  # long ones, to be counted again
        self._count(np.arange(len(itemsets), dtype=np.int32))

    def top(self) -> Open | None:
        """The open itemset with the highest support, or the first one where supports do not count."""
        if len(self._stale):
            self._count(self._stale[self._supports[self._stale] < self._k])
            self._stale = self._stale[:0]
        q = first_of_highest(self._supports, self._k, self._ranked)
        return None if q < 0 else Open(self._itemsets[q], int(self._supports[q]))

    def merging(self, low: int, high: int) -> None:
        """Add what the merge will give to the supports, then merge in the itemsets."""
        sets, records = self._sets, self._clusters.records
        touched = np.concatenate([sets.holding(low), sets.holding(high)])
        long = touched[sets.rows[1][touched] > self._clusters.longest]
        self._stale = np.union1d(self._stale, long)
        alone = self._clusters.alone
        raise_supports(low, high, self._k, sets.rows, sets.holders, alone, records.rows, records.holders, self._supports)
        sets.join(low, high)

    def merged(self, cluster: int) -> None:
        """Nothing is left to do."""

    def suppressed(self, cluster: int) -> None:
        """Count the supports of what remains."""
        touched = self._sets.holding(cluster).copy()
        self._sets.drop(cluster)
        self._count(touched[self._supports[touched] < self._k])

    def lets_out(self, item: int, cluster: int, rest: int) -> bool:
        """Whether no itemset with the item or the rest is open; if one is, the supports stay what they were."""
        self._sets.take_out(item, cluster, rest, self._clusters.cluster_of)
        touched = np.concatenate([self._sets.holding(item), self._sets.holding(rest)])
        before = self._supports[touched]
        if self._count(touched, until_open=True):
            self._supports[touched] = before
            return False
        return True

    def _count(self, which: Ids, *, until_open: bool = False) -> bool:
        """Count the supports of some itemsets, of all or as far as the first open one; whether one is open."""
        return self._clusters.count_supports(self._k, which, self._sets.rows, self._supports, until_open=until_open)


class StaticQueue:
    """Itemsets with an original support in 1..k-1 in the order of that support; what it is now is counted in their turn.

    Such an itemset, once satisfied, stays so. Those with original support 0 come last, and again when a merge opens them:
    they are left to a queue that is made when the others are done.
    """

    def __init__(
        self, clusters: ItemClusters, k: int, itemsets: CodedItemsets, supports: Ids, rest: Callable[[], Queue]
    ) -> None:
        self._clusters, self._k, self._itemsets = clusters, k, itemsets
        self._order = np.argsort(-supports, kind="stable")
        self._next = 0
        self._make_rest = rest
        self._rest: Queue | None = None

    def top(self) -> Open | None:
        """The next itemset that is open now."""
        while self._next < len(self._order):
            itemset = self._itemsets[int(self._order[self._next])]
            support = self._clusters.support(self._clusters.translate(itemset), self._k)
            if 0 < support < self._k:
                return Open(itemset, support)
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

    def lets_out(self, item: int, cluster: int, rest: int) -> bool:
        """What the last queue says."""
        return self._queue.lets_out(item, cluster, rest)
