"""Queues of privacy constraints: which open constraint comes next. A constraint is open while 1 to k - 1 records hold it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
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
from anonset.model.policy import AllItemsets
from anonset.model.sets import offsets_of, take

SHOWN = 3


@dataclass(frozen=True, slots=True, eq=False)
class CodedItemsets:
    """Itemset q is items[offsets[q] : offsets[q + 1]]; it was given repeats[q] times."""

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


Protected = AllItemsets | CodedItemsets  # what is to be protected


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
    """Itemsets given by name; unknown and sensitive items are an error."""
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
    """Returns the next open constraint; its user calls it before and after every change of the clusters."""

    def top(self) -> Open | None:
        """The open constraint that comes first, or None where all are satisfied."""
        ...

    def merging(self, low: int, high: int) -> None:
        """Called before two clusters merge."""
        ...

    def merged(self, cluster: int) -> None:
        """Called after two clusters merged into this one."""
        ...

    def suppressed(self, cluster: int) -> None:
        """Called after a cluster was suppressed; what remains of its constraints needs protection as well."""
        ...

    def allows_take_out(self, item: int, cluster: int, rest: int) -> bool:
        """Called after an item was taken out of a cluster whose other items are `rest` now; whether no constraint opened."""
        ...


class AllItemsetsQueue:
    """Every set of at most m items; only the best open set of each cluster is stored."""

    def __init__(self, clusters: ItemClusters, k: int, m: int, *, ranked: bool = True) -> None:
        d = len(clusters.cluster_of)
        self._clusters, self._k, self._ranked = clusters, k, ranked
        self._m = max(1, min(m, int(clusters.transactions.lengths.max(initial=1))))  # a split makes records longer again
        if self._m > 2:
            require_countable(clusters.transactions.lengths, self._m)
        self._together = np.zeros(d, np.int32)
        self._best = self._nothing(d)
        supports, sizes, members, stale = self._best
        supports[clusters.supports > 0] = k - 1  # a bound: no set is better than the cluster alone with a support of k - 1
        sizes[:] = 1
        members[:, 0] = np.arange(d)
        stale[:] = True

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
        """Mark the best sets with one of the two as bounds."""
        forget(low, high, self._best)

    def merged(self, cluster: int) -> None:
        """Search all sets with the new cluster."""
        records, row = self._clusters.records, self._clusters.pair_counts(cluster)
        alone, holding = int(self._clusters.alone[cluster]), records.holding(cluster)
        report_open_sets(
            cluster, -1, self._m, self._k, self._ranked, alone, row, holding, records.rows, self._together, self._best
        )

    def suppressed(self, cluster: int) -> None:
        """Forget all sets with the cluster."""
        forget(cluster, cluster, self._best)

    def allows_take_out(self, item: int, cluster: int, rest: int) -> bool:
        """Whether no set with the item or the rest is open."""
        supports = self._best[0]
        for part in (item, rest):
            self.merged(part)
            if supports.any():
                supports[:] = 0
                return False
        return True


class ListedQueue:
    """Listed itemsets, each with its present support, counted up to k."""

    def __init__(self, clusters: ItemClusters, k: int, itemsets: CodedItemsets, *, ranked: bool = True) -> None:
        self._clusters, self._k, self._itemsets, self._ranked = clusters, k, itemsets, ranked
        self._sets = ClusterSets(itemsets.offsets, itemsets.items, clusters.cluster_of)
        self._supports = np.zeros(len(itemsets), np.int32)
        self._stale = np.zeros(0, np.int32)  # long itemsets that must be counted again
        self._count(np.arange(len(itemsets), dtype=np.int32))

    def top(self) -> Open | None:
        """The open itemset with the highest support, or the first open one where they are not ranked."""
        if len(self._stale):
            self._count(self._stale[self._supports[self._stale] < self._k])
            self._stale = self._stale[:0]
        q = first_of_highest(self._supports, self._k, self._ranked)
        return None if q < 0 else Open(self._itemsets[q], int(self._supports[q]))

    def merging(self, low: int, high: int) -> None:
        """Raise the supports by what the merge adds, then merge the clusters in the itemsets."""
        sets, records = self._sets, self._clusters.records
        touched = np.concatenate([sets.holding(low), sets.holding(high)])
        long = touched[sets.rows[1][touched] > self._clusters.longest]
        self._stale = np.union1d(self._stale, long)
        alone = self._clusters.alone
        raise_supports(low, high, self._k, sets.rows, sets.holders, alone, records.rows, records.holders, self._supports)
        sets.join(low, high)

    def merged(self, cluster: int) -> None:
        """Nothing to do: `merging` did it."""

    def suppressed(self, cluster: int) -> None:
        """Count the supports of what remains."""
        touched = self._sets.holding(cluster).copy()
        self._sets.drop(cluster)
        self._count(touched[self._supports[touched] < self._k])

    def allows_take_out(self, item: int, cluster: int, rest: int) -> bool:
        """Whether no itemset with the item or the rest is open; if one is, the supports stay what they were."""
        self._sets.take_out(item, cluster, rest, self._clusters.cluster_of)
        touched = np.concatenate([self._sets.holding(item), self._sets.holding(rest)])
        before = self._supports[touched]
        if self._count(touched, until_open=True):
            self._supports[touched] = before
            return False
        return True

    def _count(self, which: Ids, *, until_open: bool = False) -> bool:
        """Count the supports of some itemsets, at most up to the first open one; return whether one is open."""
        return self._clusters.count_supports(self._k, which, self._sets.rows, self._supports, until_open=until_open)


class StaticQueue:
    """Itemsets with an original support in 1..k-1, in the order of that support; their present support is counted in turn.

    Such an itemset, once satisfied, stays so. Those with original support 0 open when a merge makes a record hold them: another
    queue has them, which is made when the others are satisfied.
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
        """Call the last queue, where there is one."""
        if self._rest is not None:
            self._rest.merging(low, high)

    def merged(self, cluster: int) -> None:
        """Call the last queue, where there is one."""
        if self._rest is not None:
            self._rest.merged(cluster)

    def suppressed(self, cluster: int) -> None:
        """Call the last queue, where there is one."""
        if self._rest is not None:
            self._rest.suppressed(cluster)

    def allows_take_out(self, item: int, cluster: int, rest: int) -> bool:
        """The answer of the last queue."""
        return self._queue.allows_take_out(item, cluster, rest)


class WithAbsentSets:
    """The constraints of another queue first, then those that no record holds; items that no record holds stay out.

    For Algorithm 1 of [003] as printed, which merges until k records hold every constraint.
    """

    def __init__(self, others: Queue, clusters: ItemClusters, protected: Protected) -> None:
        self._others, self._clusters, self._protected = others, clusters, protected
        self._listed = _occurring(protected, clusters) if isinstance(protected, CodedItemsets) else []
        self._held = 0  # the first listed ones, up to here, are held: merges keep them so

    def top(self) -> Open | None:
        """The open constraint that comes first, or one that no record holds."""
        found = self._others.top()
        if found is not None:
            return found
        absent = self._absent()
        return None if absent is None else Open(absent, 0)

    def _absent(self) -> Itemset | None:
        """The first constraint that no record holds."""
        if isinstance(self._protected, AllItemsets):
            return next(absent_sets(self._clusters, self._protected.m), None)
        while self._held < len(self._listed) and self._is_held(self._listed[self._held]):
            self._held += 1
        return self._listed[self._held] if self._held < len(self._listed) else None

    def _is_held(self, itemset: Itemset) -> bool:
        return self._clusters.support(self._clusters.translate(itemset), 1) > 0

    def merging(self, low: int, high: int) -> None:
        """Call the other queue."""
        self._others.merging(low, high)

    def merged(self, cluster: int) -> None:
        """Call the other queue."""
        self._others.merged(cluster)

    def suppressed(self, cluster: int) -> None:
        """Call the other queue."""
        self._others.suppressed(cluster)

    def allows_take_out(self, item: int, cluster: int, rest: int) -> bool:
        """Whether no constraint of the other queue opened, and none is without records."""
        if not self._others.allows_take_out(item, cluster, rest):
            return False
        self._held = 0
        return self._absent() is None


def absent_sets(clusters: ItemClusters, m: int) -> Iterator[Itemset]:
    """The sets of 2 .. m clusters that no record holds, small ones first, then by ids."""
    live = np.flatnonzero(clusters.supports > 0)
    for p, a in enumerate(live.tolist()):
        others = live[p + 1 :]
        for b in others[clusters.pair_counts(a)[others] == 0].tolist():
            yield (a, b)
    for size in range(3, m + 1):
        for chosen in combinations(live.tolist(), size):
            if clusters.support(np.array(chosen, np.int32), 1) == 0:
                yield chosen


def _occurring(listed: CodedItemsets, clusters: ItemClusters) -> list[Itemset]:
    """The listed itemsets all of whose items occur."""
    found = (listed[q] for q in range(len(listed)))
    return [itemset for itemset in found if clusters.present[list(itemset)].all()]
