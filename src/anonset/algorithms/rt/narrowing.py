"""What clusters show, with every label narrowed to the items behind it there.

A label of an item step may stand for items that nobody in the cluster holds. Without them it is shown by the same records as
before, so what was protected stays protected, and who reads it has fewer items to guess among.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anonset.algorithms.recoding import group_text
from anonset.algorithms.rt.items import Items, Outcome, join
from anonset.algorithms.rt.kernels.assigning import assigned_labels
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.sets import offsets_of
from anonset.model.transactions import Transactions


class Shown(NamedTuple):
    """A cluster by its rows and, for each linkable item they hold, the label shown for it: a number of its own, from 0."""

    rows: Rows
    labels: Ids
    lost: float  # 1 - 1/n for each item that is shown as one of n, summed


class Batch(NamedTuple):
    """Clusters side by side: their records, and labels numbered on from cluster to cluster with the items behind each."""

    bounds: Offsets  # of the records of each cluster
    rows: Rows
    taken: Transactions  # what these rows hold
    labels: Ids  # of each occurrence
    label_offsets: Offsets
    members: Ids

    @property
    def parts(self) -> Offsets:
        """Bounds of the occurrences of each cluster."""
        return self.taken.offsets[self.bounds]

    def losses(self) -> Reals:
        """For each cluster the sum of 1 - 1/n over its items that are shown as one of n."""
        each = 1.0 - 1.0 / np.maximum(np.diff(self.label_offsets)[self.labels], 1)
        cluster = np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.parts))
        found: Reals = np.bincount(cluster, each, minlength=len(self.bounds) - 1).astype(np.float64)
        return found


def narrowed(t: Transactions, items: Items, outcomes: Sequence[Outcome]) -> list[Shown]:
    """What each cluster shows by labels of its own, which stand for nothing but what occurs there."""
    if not outcomes:
        return []
    joined = join(outcomes)
    taken = t.take(joined.rows)
    shown = assigned_labels(taken.offsets, taken.items, joined.offsets, joined.shown, *items.book.members, len(t.domain))
    parts = taken.offsets[offsets_of([len(outcome.rows) for outcome in outcomes])]
    found = []
    for c, outcome in enumerate(outcomes):
        labels = np.unique(shown[parts[c] : parts[c + 1]], return_inverse=True)[1]
        found.append(Shown(outcome.rows, labels.astype(np.int32), 0.0))
    return with_losses(t, found)


def with_losses(t: Transactions, shown: Sequence[Shown]) -> list[Shown]:
    """The clusters with what their labels lose now."""
    lost = side_by_side(t, shown).losses()
    return [one._replace(lost=float(lost[c])) for c, one in enumerate(shown)]


def side_by_side(t: Transactions, shown: Sequence[Shown]) -> Batch:
    """Several clusters in one table."""
    counts = [int(one.labels.max(initial=-1)) + 1 for one in shown]
    first = np.repeat(offsets_of(counts)[:-1], [len(one.labels) for one in shown])
    labels = (np.concatenate([one.labels for one in shown]) + first).astype(np.int32)
    rows = np.concatenate([one.rows for one in shown])
    taken = t.take(rows)
    d = max(1, len(t.domain))
    pairs = np.unique(labels.astype(np.int64) * d + taken.items)
    label_offsets = offsets_of(np.bincount(pairs // d, minlength=sum(counts)))
    return Batch(offsets_of([len(one.rows) for one in shown]), rows, taken, labels, label_offsets, (pairs % d).astype(np.int32))


def published(data: Dataset, items: Items, shown: Sequence[Shown]) -> list[Outcome]:
    """The clusters by labels that all of them share: where two of a cluster stand for the same items, they are one."""
    assert data.transactions is not None
    batch = side_by_side(data.linkable, shown)
    names = data.transactions.domain
    groups = np.split(batch.members, batch.label_offsets[1:-1]) if len(batch.members) else []
    numbers = items.book.numbers(groups, [group_text([names[i] for i in group]) for group in groups])
    exact = items.book.numbers([np.array([i], np.int32) for i in range(len(names))], names)
    taken = data.transactions.take(batch.rows)
    labels = exact[taken.items] if len(names) else np.zeros(0, np.int32)
    labels[slice(None) if data.sensitive_items is None else ~data.sensitive_items[taken.items]] = numbers[batch.labels]
    offsets, entries = collapse(taken.offsets, labels)
    cuts = offsets[batch.bounds]
    return [
        items.measured(batch.rows[first:stop], offsets[first : stop + 1] - cuts[c], entries[cuts[c] : cuts[c + 1]])
        for c, (first, stop) in enumerate(zip(batch.bounds[:-1], batch.bounds[1:], strict=True))
    ]
