"""The item step: generalize the items of one cluster, by any transaction algorithm.

A step takes rows of the dataset and gives what they show, as labels of one book for all clusters, or None where no
generalization protects these rows on their own (fewer than k of them have items, say).
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from anonset.algorithms.rt.kernels.record_loss import summed_loss
from anonset.algorithms.rt.label_table import LabelTable
from anonset.model import threads
from anonset.model.arrays import Ids, Offsets, Reals, Rows
from anonset.model.labels import GeneralizedItems
from anonset.model.sets import offsets_of, take


class Outcome(NamedTuple):
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


@runtime_checkable
class Together(Protocol):
    """A step that protects many clusters in one call, and sees to threads itself."""

    def protect_all(self, asked: Sequence[Rows]) -> list[tuple[Offsets, Ids] | None]:
        """What `protect` gives for each cluster."""
        ...


class Items:
    """The item step for many clusters at once, with what each outcome loses."""

    __slots__ = ("_exact_weight", "_step", "book", "relax")

    def __init__(self, step: ItemStep, *, exact_weight: float, relax: str = "lower k, m or l") -> None:
        self._step = step
        self.book = step.book
        self._exact_weight = exact_weight
        self.relax = relax  # what helps where nothing can be protected

    def outcome(self, rows: Rows) -> Outcome | None:
        """What the records of one cluster show."""
        found = self._step.protect(rows)
        if found is None:
            return None
        return self.measured(rows, *found)

    def measured(self, rows: Rows, offsets: Offsets, shown: Ids) -> Outcome:
        """What the records show, with what it loses."""
        return Outcome(rows, offsets, shown, *summed_loss(offsets, shown, self.book.sizes, self._exact_weight))

    def outcomes(self, clusters: Sequence[Rows]) -> list[Outcome | None]:
        """What the records of each cluster show: the clusters are shared out among threads."""
        if isinstance(self._step, Together):
            shown = self._step.protect_all(clusters)
            sizes, weight = self.book.sizes, self._exact_weight
            found = zip(clusters, shown, strict=True)
            return [one and Outcome(rows, *one, *summed_loss(*one, sizes, weight)) for rows, one in found]
        shares = min(len(clusters), 8 * threads.THREADS)
        outcomes: list[Outcome | None] = [None] * len(clusters)
        for p, share in enumerate(threads.side_by_side(self._share, [clusters[p::shares] for p in range(shares)])):
            outcomes[p::shares] = share
        return outcomes

    def _share(self, clusters: Sequence[Rows]) -> list[Outcome | None]:
        return [self.outcome(rows) for rows in clusters]

    def mean_losses(self, clusters: Sequence[Rows]) -> Reals:
        """The mean UL of the records of each cluster; 1 where they cannot be protected on their own."""
        found = self.outcomes(clusters)
        return np.array([1.0 if outcome is None else outcome.lost / len(outcome.rows) for outcome in found])

    def publish(self, outcomes: Sequence[Outcome]) -> GeneralizedItems:
        """The items of all records, in the order of the input."""
        joined = join(outcomes)
        return self.book.publish(*take(joined.offsets, joined.shown, np.argsort(joined.rows)))


def join(outcomes: Sequence[Outcome]) -> Outcome:
    """Clusters side by side, each with the labels it has: tables that are k^m-anonymous stay so together."""
    return Outcome(
        np.concatenate([outcome.rows for outcome in outcomes]),
        offsets_of(np.concatenate([np.diff(outcome.offsets) for outcome in outcomes])),
        np.concatenate([outcome.shown for outcome in outcomes]),
        sum(outcome.lost for outcome in outcomes),
        sum(outcome.general for outcome in outcomes),
    )
