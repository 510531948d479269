"""The labels that clusters show: each narrowed to the items behind it, and cut in two while the cluster stays protected."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from anonset.algorithms.recoding import group_text
from anonset.algorithms.rt._kernels.alignment import assigned_labels
from anonset.algorithms.rt._kernels.label_cuts import chop_labels
from anonset.algorithms.rt._kernels.protection import cut_labels, is_protected
from anonset.algorithms.rt.item_step import ItemOutcome, Items, join
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Reals, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.sets import offsets_of, rows_of
from anonset.model.threads import side_by_side as threads_side_by_side


class NarrowedCluster(NamedTuple):
    """A cluster by its rows; row p shows for items[offsets[p] : offsets[p + 1]], which are linkable and ascend, these labels.

    An item has one entry for each label that it is behind. Labels are numbers of the cluster's own, from 0.
    """

    rows: Rows
    offsets: Offsets
    items: Ids
    labels: Ids
    lost: float  # 1 - 1/n for each item that is shown as one of n at best, summed


class Batch(NamedTuple):
    """Clusters side by side: their records, and labels numbered on from cluster to cluster with the items behind each."""

    bounds: Offsets  # of the records of each cluster
    rows: Rows
    offsets: Offsets  # of the entries of each record
    items: Ids
    labels: Ids
    label_offsets: Offsets
    members: Ids

    def losses(self) -> Reals:
        """For each cluster the sum of 1 - 1/n over its items that are shown as one of n at best."""
        each = 1.0 - 1.0 / np.maximum(np.diff(self.label_offsets)[self.labels], 1)
        record = rows_of(self.offsets)
        first = np.flatnonzero(np.diff(record, prepend=-1) | np.diff(self.items, prepend=-1))  # entry of each item held
        best = np.minimum.reduceat(each, first) if len(first) else each
        cluster = np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))
        found: Reals = np.bincount(cluster[record[first]], best, minlength=len(self.bounds) - 1).astype(np.float64)
        return found


def narrowed(t: Transactions, items: Items, outcomes: Sequence[ItemOutcome]) -> list[NarrowedCluster]:
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
        held = taken.items[parts[c] : parts[c + 1]]
        found.append(NarrowedCluster(outcome.rows, offsets_of(t.lengths[outcome.rows]), held, labels.astype(np.int32), 0.0))
    return with_losses(found)


def with_losses(shown: Sequence[NarrowedCluster]) -> list[NarrowedCluster]:
    """The clusters with what their labels lose now."""
    lost = side_by_side(shown).losses()
    return [one._replace(lost=float(lost[c])) for c, one in enumerate(shown)]


def side_by_side(shown: Sequence[NarrowedCluster]) -> Batch:
    """Several clusters in one table."""
    counts = [int(one.labels.max(initial=-1)) + 1 for one in shown]
    first = np.repeat(offsets_of(counts)[:-1], [len(one.labels) for one in shown])
    labels = (np.concatenate([one.labels for one in shown]) + first).astype(np.int32)
    items = np.concatenate([one.items for one in shown])
    d = int(items.max(initial=0)) + 1
    pairs = np.unique(labels.astype(np.int64) * d + items)
    return Batch(
        offsets_of([len(one.rows) for one in shown]),
        np.concatenate([one.rows for one in shown]),
        offsets_of(np.concatenate([np.diff(one.offsets) for one in shown])),
        items,
        labels,
        offsets_of(np.bincount(pairs // d, minlength=sum(counts))),
        (pairs % d).astype(np.int32),
    )


def published(data: Dataset, items: Items, shown: Sequence[NarrowedCluster]) -> list[ItemOutcome]:
    """The clusters by labels that all of them share: where two of a cluster stand for the same items, they are one."""
    assert data.transactions is not None
    batch = side_by_side(shown)
    names = data.transactions.domain
    groups = np.split(batch.members, batch.label_offsets[1:-1]) if len(batch.members) else []
    numbers = items.book.numbers(groups, [group_text([names[i] for i in group]) for group in groups])
    offsets, labels = batch.offsets, numbers[batch.labels] if len(groups) else np.zeros(0, np.int32)
    if data.sensitive_items is not None:
        exact = items.book.numbers([np.array([i], np.int32) for i in range(len(names))], names)
        secrets = data.transactions.without(~data.sensitive_items).take(batch.rows)
        order = np.argsort(np.append(rows_of(offsets), rows_of(secrets.offsets)), kind="stable")
        offsets, labels = offsets + secrets.offsets, np.append(labels, exact[secrets.items])[order]
    offsets, entries = collapse(offsets, labels)
    cuts = offsets[batch.bounds]
    return [
        items.measured(batch.rows[first:stop], offsets[first : stop + 1] - cuts[c], entries[cuts[c] : cuts[c + 1]])
        for c, (first, stop) in enumerate(zip(batch.bounds[:-1], batch.bounds[1:], strict=True))
    ]


TRIES = 400  # cuts that are tried in a cluster
TOGETHER = 64  # clusters that a thread takes at once


class Stepwise:
    """Labels clusters by an item step; its labels are narrowed to what occurs, and cut."""

    def __init__(self, t: Transactions, items: Items, cuts: "LabelCuts") -> None:
        self._t, self._items, self._cuts = t, items, cuts

    def shown(self, clusters: Sequence[Rows]) -> list[NarrowedCluster | None]:
        """What each cluster shows, or None where the step cannot protect it on its own."""
        outcomes = self._items.outcomes(clusters)
        done = [outcome for outcome in outcomes if outcome is not None]
        found = iter(self._cuts.cut(narrowed(self._t, self._items, done)) if done else [])
        return [None if outcome is None else next(found) for outcome in outcomes]


class LabelCuts:
    """Cuts the labels of clusters that are k^m-anonymous and, with sensitive items, l^m-diverse."""

    def __init__(self, data: Dataset, k: int, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        assert data.transactions is not None
        self._linkable, self._asked = data.linkable, (k, m, l)
        sensitive = np.zeros(len(data.transactions.domain), np.bool_) if data.sensitive_items is None else data.sensitive_items
        self._secrets = data.transactions.without(~sensitive)

    def cut(self, clusters: Sequence[NarrowedCluster]) -> list[NarrowedCluster]:
        """The same clusters with labels that stand for fewer items."""
        shares = [clusters[p : p + TOGETHER] for p in range(0, len(clusters), TOGETHER)]
        return with_losses([one for share in threads_side_by_side(self._cut, shares) for one in share])

    def _cut(self, clusters: Sequence[NarrowedCluster]) -> list[NarrowedCluster]:
        k, m, l = self._asked  # noqa: E741
        rows = np.concatenate([one.rows for one in clusters])
        bounds = offsets_of([len(one.rows) for one in clusters])
        held, hidden = self._linkable.take(rows), self._secrets.take(rows)
        labels = np.concatenate([one.labels for one in clusters])
        secrets = (hidden.offsets, hidden.items, len(hidden.domain))
        labels = self._chopped(bounds, held, labels, secrets)
        found = cut_labels(bounds, held.offsets, held.items, labels, k, m, *secrets, l, TRIES)
        parts = held.offsets[bounds]
        return [one._replace(labels=found[parts[c] : parts[c + 1]]) for c, one in enumerate(clusters)]

    def _chopped(self, bounds: Offsets, held: Transactions, labels: Ids, secrets: tuple[Offsets, Ids, int]) -> Ids:
        """Labels chopped among records; a cluster that is not protected then stays as it is."""
        k, m, l = self._asked  # noqa: E741
        found = chop_labels(bounds, held.offsets, held.items, labels, k, *secrets, l)
        offsets, hidden, n_secrets = secrets
        for first, last in pairwise(bounds.tolist()):
            start, stop = held.offsets[first], held.offsets[last]
            shown = collapse(held.offsets[first : last + 1] - start, found[start:stop])
            own = hidden[offsets[first] : offsets[last]]
            n_labels, own_offsets = int(found[start:stop].max(initial=-1)) + 1, offsets[first : last + 1] - offsets[first]
            if not is_protected(*shown, n_labels, k, m, own_offsets, own, n_secrets, l):
                found[start:stop] = labels[start:stop]
        return found
