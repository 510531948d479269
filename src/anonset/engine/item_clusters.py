"""`pcta`, `upcta` and `coat` on data in batches: exactly the clusters that they form with all records in memory.

A coreset is enough to see whether a constraint of up to three items is violated. The cost of a merge needs exact counts of
items and of pairs: when two clusters are merged, the number of records that hold both and each other cluster. If the coreset
has all records with both, they are counted there; otherwise one pass over the batches counts them, and so are the supports of
longer constraints counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from anonset.algorithms.constraints._kernels.clusters import count_pairs, join_pairs
from anonset.algorithms.constraints.clusters import ClusterSets, ItemClusters, Longs
from anonset.algorithms.constraints.pcta import ConstraintBased, privacy_of, protected_clusters
from anonset.engine.coreset import Coreset, coreset_of, identity_codes
from anonset.engine.domains import Answer
from anonset.engine.journal import Driver
from anonset.engine.questions import Context, Summed
from anonset.engine.source import BatchRef, BatchSource
from anonset.errors import Advice, Fix, InfeasibleError, ParameterError, Set
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.policy import AllItemsets, Itemsets
from anonset.model.progress import silent
from anonset.model.sets import offsets_of, rows_of

DEPTH = 16  # the coreset keeps DEPTH * k records of a set: on click-streams that saves 99 of 100 passes
LARGEST = 3  # most items of a set whose support up to k the coreset has
MB = 1 << 20


@dataclass(frozen=True)
class PairCounts:
    """The number of records with each pair of d items: a full table in a worker, only pairs that occur in an answer."""

    d: int
    name: ClassVar[str] = "counting pairs"

    def fold(self, state: Ids | None, unit: BatchRef, context: Context) -> Ids:
        """Add the pairs of a batch to the table."""
        held = context.batch(unit).linkable
        table = self._empty() if state is None else state
        count_pairs((held.offsets[:-1].copy(), held.lengths.astype(np.int32), held.items.copy()), table)
        return table

    def answer(self, state: Ids) -> Answer:
        """Return the numbers of the pairs that occur, and their counts."""
        pairs = np.flatnonzero(np.triu(state, 1).reshape(-1))
        return {"pairs": pairs, "counts": state.reshape(-1)[pairs]}

    def merge(self, state: Ids | None, answer: Answer) -> Ids:
        """Add the pairs of another worker to the table."""
        table = self._empty() if state is None else state
        low, high = np.divmod(answer["pairs"], self.d)
        table[low, high] += answer["counts"]
        table[high, low] = table[low, high]
        return table

    def _empty(self) -> Ids:
        return np.zeros((self.d, self.d), np.int32)


@dataclass(frozen=True, eq=False)
class CooccurrenceCounts(Summed):
    """For the records that hold two given clusters, the number that hold each other cluster."""

    cluster_of: Ids
    low: int
    high: int
    name: ClassVar[str] = "counting for a merge"

    def ask(self, unit: BatchRef, context: Context) -> Answer:
        """Return the counts of a batch."""
        held = context.batch(unit).linkable
        d, clusters, record = len(held.domain), self.cluster_of[held.items], rows_of(held.offsets)
        both = np.isin(record, record[clusters == self.low]) & np.isin(record, record[clusters == self.high])
        keys = np.unique(record[both] * (d + 1) + clusters[both] + 1)
        return {"records": np.bincount(keys % (d + 1), minlength=d + 1)[1:]}

    def both(self, first: Answer, second: Answer) -> Answer:
        """The sums."""
        return {"records": first["records"] + second["records"]}


@dataclass(frozen=True, eq=False)
class Supports(Summed):
    """The number of records that hold each of some sets of clusters."""

    cluster_of: Ids
    offsets: Rows
    members: Ids
    name: ClassVar[str] = "counting supports"

    def ask(self, unit: BatchRef, context: Context) -> Answer:
        """Return the supports in a batch."""
        held = context.batch(unit).linkable
        sets = ClusterSets(held.offsets, held.items, self.cluster_of)
        found = [self._held(sets, self.members[a:b]) for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True)]
        return {"supports": np.array(found, np.int64)}

    def _held(self, sets: ClusterSets, clusters: Ids) -> int:
        """Return the number of records with all the clusters, starting from the records of the rarest one."""
        by_count = sorted(clusters.tolist(), key=lambda c: int(sets.count[c]))
        rows = sets.holding(by_count[0])
        for cluster in by_count[1:]:
            rows = np.intersect1d(rows, sets.holding(cluster), assume_unique=True)
        return len(rows)

    def both(self, first: Answer, second: Answer) -> Answer:
        """The sums."""
        return {"supports": first["supports"] + second["supports"]}


class AskedClusters(ItemClusters):
    """Clusters over a coreset with the merge costs of all records, from exact supports and a table of exact pair counts."""

    def __init__(
        self, few: Transactions, groups: Ids, weights: Any = None, places: Any = None, *, exact: Rows, ask: Any, table: Ids
    ) -> None:
        super().__init__(few, groups, weights, places)
        self.supports, self.item_supports = exact.astype(np.int64), exact.copy()
        self.longest, self._ask, self._pairs = LARGEST, ask, table
        self._settled = False  # True once all merges are made: no cost is needed any more

    @property
    def priced(self) -> Ids:
        """Return the exact counts of pairs."""
        return self._pairs

    def priced_with(self, cluster: int) -> Ids:
        """Return the exact counts of pairs with one cluster."""
        row: Ids = self._pairs[cluster]
        return row

    def support(self, clusters: Ids, limit: int) -> int:
        """Return the number of records that hold all the clusters, counted up to limit."""
        if len(clusters) <= LARGEST:
            return super().support(clusters, limit)
        return min(limit, int(self._supports([clusters])[0]))

    def count_supports(
        self, limit: int, which: Ids, sets: tuple[Longs, Ids, Ids], supports: Ids, *, until_open: bool = False
    ) -> bool:
        """Write the supports of the sets `which`, counted up to limit; return whether one of them is open."""
        starts, lengths, entries = sets
        long = which[lengths[which] > LARGEST]
        is_open = super().count_supports(limit, which[lengths[which] <= LARGEST], sets, supports, until_open=until_open)
        if len(long) and not (is_open and until_open):
            longer = [entries[starts[q] : starts[q] + lengths[q]] for q in long]
            supports[long] = np.minimum(limit, self._supports(longer))
            is_open |= bool(((supports[long] > 0) & (supports[long] < limit)).any())
        return is_open

    def _supports(self, sets: Sequence[Ids]) -> Rows:
        question = Supports(self.cluster_of.copy(), offsets_of([len(s) for s in sets]), np.concatenate(sets))
        found: Rows = self._ask(question, len(sets))["supports"]
        return found

    def merge(self, low: int, high: int) -> None:
        """Merge two clusters; the support of the result follows from the count of the pair."""
        support = int(self.supports[low] + self.supports[high] - self._pairs[low, high])
        super().merge(low, high)
        if not self._settled:
            self.supports[low] = support

    def _count_joined(self, low: int, high: int, both: Ids) -> None:
        super()._count_joined(low, high, both)
        if self._settled:
            return
        if len(both) == self._pairs[low, high]:
            join_pairs(low, high, both, self.records.rows, self._pairs)
            return
        joined = self._pairs[low] + self._pairs[high]
        joined -= self._ask(CooccurrenceCounts(self.cluster_of.copy(), low, high), low, high)["records"].astype(np.int32)
        joined[[low, high]] = 0
        self._pairs[low] = self._pairs[:, low] = joined
        self._pairs[high] = self._pairs[:, high] = 0

    def suppress(self, cluster: int) -> None:
        """Publish a cluster in no record."""
        super().suppress(cluster)
        self._pairs[cluster] = self._pairs[:, cluster] = 0

    def take_out(self, item: int) -> int:
        """Take an item out of its cluster, after all merges."""
        self._settled = True
        return super().take_out(item)


def clusters_of(driver: Driver, source: BatchSource, algorithm: ConstraintBased, memory: int, room: int) -> Ids:
    """Return the cluster of each item, -1 for a suppressed one; `room` is the memory for work on the coreset, in bytes."""
    coder = driver.context.coder
    assert coder is not None
    roster, m = coder.roster, _largest(algorithm)
    d = len(roster.linkable.domain)
    if algorithm.k > source.rows:
        raise InfeasibleError(f"k={algorithm.k} exceeds the {source.rows} records of the dataset")
    if 8 * d * d > memory:
        more = Fix("a part of {}; allow more", Set("memory"))
        raise InfeasibleError(Advice(f"{d:,} items have too many pairs for {memory // MB}MB, ", more))
    few = _deep_coreset(driver, source, Coreset(algorithm.k, m, **identity_codes(d), memory=memory, room=room, whole=True))
    pairs = driver.ask(PairCounts(d), source.batches)
    hidden = roster.sensitive_items
    exact = coder.supports if hidden is None else np.where(hidden, 0, coder.supports)
    data = Dataset((), few, roster.item_hierarchy, roster.sensitive_items, roster.item_column)
    table = PairCounts(d).merge(None, pairs)

    def ask(question: Summed, *about: object) -> Answer:
        return driver.ask(question, source.batches, *about)

    return protected_clusters(algorithm, data, silent, partial(AskedClusters, exact=exact, ask=ask, table=table))[0].cluster_of


def _deep_coreset(driver: Driver, source: BatchSource, question: Coreset) -> Transactions:
    """Return a coreset with more records than needed, if they fit: the more records, the fewer passes over the data."""
    try:
        return coreset_of(driver, source, replace(question, k=DEPTH * question.k))[0]
    except InfeasibleError:
        return coreset_of(driver, source, question)[0]


def _largest(algorithm: ConstraintBased) -> int:
    """Return the largest size of sets whose supports the coreset must have."""
    privacy = privacy_of(algorithm)
    if isinstance(privacy, Itemsets):
        return min(LARGEST, max(map(len, privacy.itemsets), default=1))
    if not isinstance(privacy, AllItemsets):
        raise ParameterError(
            f"{algorithm.name} on data in batches protects sets of items, given or all up to m, not whole records"
        )
    if privacy.m > LARGEST:
        raise ParameterError(f"data in batches are protected against up to {LARGEST} known items; got m={privacy.m}")
    return privacy.m
