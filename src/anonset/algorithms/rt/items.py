"""The item step: generalize the items of one cluster, by any transaction algorithm.

A step takes rows of the dataset and gives what they show, as labels of one book for all clusters, or None where no
generalization protects these rows on their own (fewer than k of them have items, say).
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.rt.kernels.record_loss import own_offsets, summed_loss, summed_losses
from anonset.algorithms.rt.label_table import LabelTable
from anonset.model import threads
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.labels import GeneralizedItems
from anonset.model.sets import offsets_of, take

FEW = 2_000  # occurrences of items that are not worth a second thread


class ItemOutcome(NamedTuple):
    """Record rows[p] shows the labels shown[offsets[p] : offsets[p + 1]]."""

    rows: Rows
    offsets: Offsets
    shown: Ids
    lost: float  # UL summed over the records
    general: int  # occurrences of labels that stand for more than one item


class ItemStep(Protocol):
    """What protects the items of a cluster on their own."""

    book: LabelTable

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """The labels each record shows, or None where these records cannot be protected on their own."""
        ...


class Protected(NamedTuple):
    """What clusters show, one after the other: cluster c is the records bounds[c] .. bounds[c + 1] - 1.

    Record p shows the labels shown[offsets[p] : offsets[p + 1]], unless its cluster failed: it cannot be protected on its own.
    """

    bounds: Offsets
    offsets: Offsets
    shown: Ids
    failed: Mask

    def get(self, c: int) -> tuple[Offsets, Ids] | None:
        """The labels each record of one cluster shows, or None."""
        offsets = self.offsets[self.bounds[c] : self.bounds[c + 1] + 1]
        return None if self.failed[c] else (offsets - offsets[0], self.shown[offsets[0] : offsets[-1]])


class Share(NamedTuple):
    """Clusters that were protected in one call, with what each loses."""

    clusters: Sequence[Rows]
    found: Protected
    lost: Reals
    general: Rows

    def outcomes(self) -> list[ItemOutcome | None]:
        """What the records of each cluster show: slices of arrays that all share."""
        bounds, offsets, shown, failed = self.found
        own, at = own_offsets(bounds, offsets), bounds + np.arange(len(bounds))
        labels = _parts(shown, offsets[bounds])
        parts = zip(self.clusters, _parts(own, at), labels, self.lost.tolist(), self.general.tolist(), strict=True)
        outcomes: list[ItemOutcome | None] = list(map(ItemOutcome._make, parts))
        for c in np.flatnonzero(failed):
            outcomes[c] = None
        return outcomes

    def mean_losses(self) -> Reals:
        """The mean UL of the records of each cluster; 1 where they cannot be protected on their own."""
        return np.where(self.found.failed, 1.0, self.lost / np.diff(self.found.bounds))


class Outcomes(Sequence[ItemOutcome | None]):
    """What the records of each cluster show, made an object for each when the first is looked at: threads cannot share that."""

    def __init__(self, shares: Sequence[Share]) -> None:
        self._shares = shares

    @cached_property
    def _each(self) -> list[ItemOutcome | None]:
        return list(chain.from_iterable(share.outcomes() for share in self._shares))

    def __len__(self) -> int:
        """The number of clusters."""
        return sum(len(share.clusters) for share in self._shares)

    @overload
    def __getitem__(self, c: int) -> ItemOutcome | None: ...
    @overload
    def __getitem__(self, c: slice) -> list[ItemOutcome | None]: ...
    def __getitem__(self, c: int | slice) -> ItemOutcome | list[ItemOutcome | None] | None:
        """What one cluster shows, or some."""
        return self._each[c]

    def __iter__(self) -> Iterator[ItemOutcome | None]:
        """What each cluster shows."""
        return iter(self._each)


@runtime_checkable
class JointStep(Protocol):
    """A step that protects many clusters in one call."""

    lengths: Rows  # linkable items of each record

    def protect_all(self, rows: Rows, bounds: Offsets) -> Protected:
        """What `protect` gives for each of the clusters rows[bounds[c] : bounds[c + 1]]."""
        ...

    @property
    def shares(self) -> int:
        """In how many calls it is to protect many clusters; they may be made side by side."""
        ...


class Items:
    """The item step for many clusters at once, with what each outcome loses."""

    __slots__ = ("_exact_weight", "_step", "book", "relax")

    def __init__(self, step: ItemStep, *, exact_weight: float, relax: str = "lower k, m or l") -> None:
        self._step = step
        self.book = step.book
        self._exact_weight = exact_weight
        self.relax = relax  # what helps where nothing can be protected

    def outcome(self, rows: Rows) -> ItemOutcome | None:
        """What the records of one cluster show."""
        found = self._step.protect(rows)
        if found is None:
            return None
        return self.measured(rows, *found)

    def measured(self, rows: Rows, offsets: Offsets, shown: Ids) -> ItemOutcome:
        """What the records show, with what it loses."""
        return ItemOutcome(rows, offsets, shown, *summed_loss(offsets, shown, self.book.sizes, self._exact_weight))

    def outcomes(self, clusters: Sequence[Rows]) -> Sequence[ItemOutcome | None]:
        """What the records of each cluster show: the clusters are shared out among threads."""
        if isinstance(self._step, JointStep):
            return Outcomes(self._together(self._step, clusters))
        shares = min(len(clusters), 8 * threads.THREADS)
        outcomes: list[ItemOutcome | None] = [None] * len(clusters)
        for p, share in enumerate(threads.side_by_side(self._share, [clusters[p::shares] for p in range(shares)])):
            outcomes[p::shares] = share
        return outcomes

    def _share(self, clusters: Sequence[Rows]) -> list[ItemOutcome | None]:
        return [self.outcome(rows) for rows in clusters]

    def _together(self, step: JointStep, clusters: Sequence[Rows]) -> list[Share]:
        """The same where a call takes many clusters."""
        if not clusters:
            return []
        rows, bounds = np.concatenate(clusters), offsets_of(list(map(len, clusters)))
        ends = offsets_of(step.lengths[rows])[bounds[1:]]

        def share(run: tuple[int, int]) -> Share:
            first, last = run
            own = bounds[first : last + 1]
            found = step.protect_all(rows[own[0] : own[-1]], own - own[0])
            lost = summed_losses(found.bounds, found.offsets, found.shown, self.book.sizes, self._exact_weight)
            return Share(clusters[first:last], found, *lost)

        runs = threads.even_shares(ends, step.shares)
        return threads.side_by_side(share, runs) if ends[-1] > FEW else list(map(share, runs))

    def mean_losses(self, clusters: Sequence[Rows]) -> Reals:
        """The mean UL of the records of each cluster; 1 where they cannot be protected on their own."""
        if isinstance(self._step, JointStep):
            found = [share.mean_losses() for share in self._together(self._step, clusters)]
            return np.concatenate(found) if found else np.zeros(0)
        each = self.outcomes(clusters)
        return np.array([1.0 if outcome is None else outcome.lost / len(outcome.rows) for outcome in each])

    def publish(self, outcomes: Sequence[ItemOutcome]) -> GeneralizedItems:
        """The items of all records, in the order of the input."""
        joined = join(outcomes)
        return self.book.publish(*take(joined.offsets, joined.shown, np.argsort(joined.rows)))


def join(outcomes: Sequence[ItemOutcome]) -> ItemOutcome:
    """Clusters side by side, each with the labels it has: tables that are k^m-anonymous stay so together."""
    return ItemOutcome(
        np.concatenate([outcome.rows for outcome in outcomes]),
        offsets_of(np.concatenate([np.diff(outcome.offsets) for outcome in outcomes])),
        np.concatenate([outcome.shown for outcome in outcomes]),
        sum(outcome.lost for outcome in outcomes),
        sum(outcome.general for outcome in outcomes),
    )


def _parts(values: NDArray[Any], bounds: Offsets) -> Iterator[NDArray[Any]]:
    """The values from each bound to the next, without a line of Python for each: threads would wait for each other."""
    places = bounds.tolist()
    return map(values.__getitem__, map(slice, places[:-1], places[1:]))
