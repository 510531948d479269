"""What clusters show, with every label narrowed to the items behind it there.

A label of an item step may stand for items that nobody in the cluster holds. Without them it is shown by the same records as
before, so what was protected stays protected, and who reads it has fewer items to guess among.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anonset.algorithms.recoding import group_text
from anonset.algorithms.rt.items import Items, Outcome, join
from anonset.kernels.recode import collapse
from anonset.kernels.standing import standing_labels
from anonset.model.arrays import Ids, Offsets, Reals, Rows
from anonset.model.transactions import Transactions


class Shown(NamedTuple):
    """A cluster by its rows and, for each item they hold, the label shown for it: a number of the cluster's own, from 0."""

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
    def sizes(self) -> Rows:
        """The number of items behind each label."""
        return np.diff(self.label_offsets)

    @property
    def cluster_of(self) -> Rows:
        """The cluster of each occurrence."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.taken.offsets[self.bounds]))


def narrowed(t: Transactions, items: Items, outcomes: Sequence[Outcome]) -> list[Shown]:
    """What each cluster shows by labels of its own, which stand for nothing but what occurs there."""
    if not outcomes:
        return []
    joined = join(outcomes)
    taken = t.take(joined.rows)
    members = items.book.members
    everyone = np.arange(len(taken), dtype=np.int64)
    shown = standing_labels(taken.offsets, taken.items, everyone, joined.offsets, joined.shown, *members, len(t.domain))
    bounds = _bounds([len(outcome.rows) for outcome in outcomes])
    cluster = np.repeat(np.arange(len(outcomes)), np.diff(taken.offsets[bounds]))
    _, labels = np.unique(cluster * (int(shown.max(initial=0)) + 1) + shown, return_inverse=True)
    batch = Batch(bounds, joined.rows, taken, labels.astype(np.int32), *_members(labels, taken))
    lost = losses(batch)
    cut = taken.offsets[bounds]
    return [
        Shown(outcome.rows, _from_zero(batch.labels[cut[c] : cut[c + 1]]), float(lost[c])) for c, outcome in enumerate(outcomes)
    ]


def side_by_side(t: Transactions, shown: Sequence[Shown]) -> Batch:
    """Several clusters in one table."""
    counts = [int(one.labels.max(initial=-1)) + 1 for one in shown]
    first = np.repeat(_bounds(counts)[:-1], [len(one.labels) for one in shown])
    labels = (np.concatenate([one.labels for one in shown]) + first).astype(np.int32)
    rows = np.concatenate([one.rows for one in shown])
    taken = t.take(rows)
    return Batch(_bounds([len(one.rows) for one in shown]), rows, taken, labels, *_members(labels, taken))


def losses(batch: Batch) -> Reals:
    """For each cluster the sum of 1 - 1/n over its items that are shown as one of n."""
    each = 1.0 - 1.0 / np.maximum(batch.sizes[batch.labels], 1)
    return np.bincount(batch.cluster_of, each, minlength=len(batch.bounds) - 1)


def published(items: Items, batch: Batch) -> list[Outcome]:
    """The clusters by labels that all of them share: where two of a cluster stand for the same items, they are one."""
    groups = np.split(batch.members, batch.label_offsets[1:-1]) if len(batch.members) else []
    names = batch.taken.domain
    numbers = items.book.numbers(groups, [group_text([names[i] for i in group]) for group in groups])
    offsets, shown = collapse(batch.taken.offsets, numbers[batch.labels] if len(groups) else batch.labels)
    cuts = offsets[batch.bounds]
    return [
        items.measured(batch.rows[first:stop], offsets[first : stop + 1] - cuts[c], shown[cuts[c] : cuts[c + 1]])
        for c, (first, stop) in enumerate(zip(batch.bounds[:-1], batch.bounds[1:], strict=True))
    ]


def _members(labels: Rows | Ids, taken: Transactions) -> tuple[Offsets, Ids]:
    """The items behind each label: members[offsets[a] : offsets[a + 1]], ascending."""
    d = max(1, len(taken.domain))
    pairs = np.unique(labels.astype(np.int64) * d + taken.items)
    return _bounds(np.bincount(pairs // d)), (pairs % d).astype(np.int32)


def _bounds(sizes: Sequence[int] | Rows) -> Offsets:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _from_zero(labels: Ids) -> Ids:
    return labels - labels.min() if len(labels) else labels
