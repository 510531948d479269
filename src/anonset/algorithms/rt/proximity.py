"""How alike the items of two clusters are: the lower, the sooner they merge."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from anonset.algorithms.rt.kernels.btd import marks_of, merge_maxima, mirror, own_maxima, union_maxima
from anonset.model import threads
from anonset.model.arrays import Mask, Reals, Rows
from anonset.model.sets import offsets_of, rows_of
from anonset.model.transactions import Transactions

MeanLosses = Callable[[Sequence[Rows]], Reals]  # the mean UL of the records of each cluster, once its items are generalized


FEW = 100  # clusters that are not worth a second thread


class Proximity(Protocol):
    """Knows, for any two clusters, how much their items would lose together."""

    def of(self, a: int, others: Rows) -> Reals:
        """The proximity of cluster a to each of the others."""
        ...

    def merge(self, a: int, b: int) -> None:
        """Let cluster a take in cluster b, which is not asked for again."""
        ...

    def keep(self, kept: Mask) -> None:
        """Forget all clusters but the kept ones, which are renumbered in their order."""
        ...

    def copy(self) -> "Proximity":
        """The same, to be merged in another way."""
        ...


class Btd:
    """The BTD of the union ([000] section 5), in a matrix that is updated by maxima: records are read once."""

    __slots__ = ("_union",)

    def __init__(self, t: Transactions, clusters: Sequence[Rows]) -> None:
        members = np.concatenate(clusters)
        starts = offsets_of([len(rows) for rows in clusters])
        t = t.take(members[np.lexsort((-t.lengths[members], rows_of(starts)))])  # side by side, as they are looked at
        members, marks = np.arange(len(t)), marks_of(t.offsets, t.items)
        own = own_maxima(t.offsets, t.items, members, starts)
        self._union = np.empty((len(own), len(own)))

        def fill(p: int) -> None:
            union_maxima(t.offsets, t.items, marks, members, starts, own, self._union, (p, parts))

        parts = 4 * threads.THREADS if len(own) > FEW else 1  # some for each thread: cores are not equally quick
        threads.side_by_side(fill, range(parts))
        mirror(self._union)

    def of(self, a: int, others: Rows) -> Reals:
        """The BTD of cluster a's union with each of the others."""
        row: Reals = self._union[a, others]
        return row

    def merge(self, a: int, b: int) -> None:
        """Take maxima of the two rows."""
        merge_maxima(self._union, a, b)

    def keep(self, kept: Mask) -> None:
        """Copy the part of the matrix that is still asked for."""
        self._union = np.ascontiguousarray(self._union[np.ix_(kept, kept)])

    def copy(self) -> "Btd":
        """The same matrix, apart."""
        twin = Btd.__new__(Btd)
        twin._union = self._union.copy()
        return twin


class UnionLoss:
    """The UL of the union, after its items are generalized: the paper's baseline, and many times slower."""

    __slots__ = ("_clusters", "_known", "_losses", "_stamps")

    def __init__(self, losses: MeanLosses, clusters: Sequence[Rows]) -> None:
        self._losses = losses
        self._clusters = list(clusters)
        self._stamps = list(range(len(clusters)))  # a merged cluster gets a new one, so what is known of it lapses
        self._known: dict[tuple[int, int], float] = {}

    def of(self, a: int, others: Rows) -> Reals:
        """The mean UL of cluster a's union with each of the others."""
        pairs = [self._pair(a, int(b)) for b in others]
        new = [(pair, int(b)) for pair, b in zip(pairs, others, strict=True) if pair not in self._known]
        found = self._losses([np.concatenate([self._clusters[a], self._clusters[b]]) for _, b in new])
        self._known.update(zip((pair for pair, _ in new), found.tolist(), strict=True))
        return np.array([self._known[pair] for pair in pairs])

    def merge(self, a: int, b: int) -> None:
        """Join the records; what was known of either cluster is of no use any more."""
        gone = {self._stamps[a], self._stamps[b]}
        self._known = {pair: loss for pair, loss in self._known.items() if gone.isdisjoint(pair)}
        self._clusters[a] = np.concatenate([self._clusters[a], self._clusters[b]])
        self._stamps[a] = max(self._stamps) + 1

    def keep(self, kept: Mask) -> None:
        """Drop what was merged away."""
        self._clusters = [rows for rows, here in zip(self._clusters, kept, strict=True) if here]
        self._stamps = [stamp for stamp, here in zip(self._stamps, kept, strict=True) if here]

    def copy(self) -> "UnionLoss":
        """The same clusters, and what is known of them."""
        twin = UnionLoss(self._losses, self._clusters)
        twin._stamps, twin._known = list(self._stamps), dict(self._known)
        return twin

    def _pair(self, a: int, b: int) -> tuple[int, int]:
        first, second = self._stamps[a], self._stamps[b]
        return (first, second) if first < second else (second, first)
