"""The labels that the clusters of `rt-search` show: an item step's labels, narrowed to the items that occur behind each in the
cluster, chopped among records, and cut in two while the cluster stays protected.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from anonset.algorithms.recoding import group_text
from anonset.algorithms.rt._kernels.label_cuts import assigned_labels, chop_labels, cut_labels
from anonset.algorithms.rt._kernels.protection import is_protected
from anonset.algorithms.rt.item_step import ItemOutcome, Items, join
from anonset.algorithms.rt.tuning import CUTS_TRIED
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Reals, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.sets import offsets_of, rows_of
from anonset.threads import parallel_map

CLUSTERS_PER_CHUNK = 64  # clusters that a thread takes at once


class LabelledCluster(NamedTuple):
    """A cluster by its rows; row p shows labels[offsets[p] : offsets[p + 1]] for the linkable items at the same places.

    The items of a row ascend; an item has one entry for each label that it is behind. Labels are the cluster's own, from 0.
    """

    rows: Rows
    offsets: Offsets
    items: Ids
    labels: Ids
    lost: float  # 1 - 1/n for each item that is shown as one of n at best, summed


class Labelling(Protocol):
    """A rule by which clusters label their items."""

    def label(self, clusters: Sequence[Rows]) -> list[LabelledCluster | None]:
        """What each cluster shows, or None where it cannot be protected on its own."""
        ...


class StepLabelling:
    """Labels clusters by an item step, narrows its labels to what occurs, and cuts them."""

    def __init__(self, t: Transactions, items: Items, cuts: "LabelCuts") -> None:
        self._t, self._items, self._cuts = t, items, cuts

    def label(self, clusters: Sequence[Rows]) -> list[LabelledCluster | None]:
        """What each cluster shows, or None where the step cannot protect it on its own."""
        outcomes = self._items.outcomes(clusters)
        protected = [outcome for outcome in outcomes if outcome is not None]
        labelled = iter(self._cuts.cut(narrow_labels(self._t, self._items, protected)) if protected else [])
        return [None if outcome is None else next(labelled) for outcome in outcomes]


def narrow_labels(t: Transactions, items: Items, outcomes: Sequence[ItemOutcome]) -> list[LabelledCluster]:
    """The clusters with labels of their own, each of which stands for the items that occur behind it there."""
    if not outcomes:
        return []
    joined = join(outcomes)
    taken = t.take(joined.rows)
    members = items.labels.members
    shown = assigned_labels(taken.offsets, taken.items, joined.offsets, joined.shown, *members, len(t.domain))
    bounds = taken.offsets[offsets_of([len(outcome.rows) for outcome in outcomes])]
    narrowed = []
    for c, outcome in enumerate(outcomes):
        here = slice(bounds[c], bounds[c + 1])
        labels = np.unique(shown[here], return_inverse=True)[1].astype(np.int32)
        narrowed.append(LabelledCluster(outcome.rows, offsets_of(t.lengths[outcome.rows]), taken.items[here], labels, 0.0))
    return with_losses(narrowed)


class LabelCuts:
    """Cuts the labels of clusters that are k^m-anonymous and, with sensitive items, l^m-diverse."""

    def __init__(self, data: Dataset, k: int, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        assert data.transactions is not None
        self._linkable = data.linkable
        self._k, self._m, self._l = k, m, l
        sensitive = np.zeros(len(data.transactions.domain), np.bool_) if data.sensitive_items is None else data.sensitive_items
        self._secrets = data.transactions.without(~sensitive)

    def cut(self, clusters: Sequence[LabelledCluster]) -> list[LabelledCluster]:
        """The same clusters with labels that stand for fewer items."""
        chunks = [clusters[p : p + CLUSTERS_PER_CHUNK] for p in range(0, len(clusters), CLUSTERS_PER_CHUNK)]
        return with_losses([cluster for chunk in parallel_map(self._cut, chunks) for cluster in chunk])

    def _cut(self, clusters: Sequence[LabelledCluster]) -> list[LabelledCluster]:
        rows = np.concatenate([cluster.rows for cluster in clusters])
        bounds = offsets_of([len(cluster.rows) for cluster in clusters])
        held, hidden = self._linkable.take(rows), self._secrets.take(rows)
        labels = np.concatenate([cluster.labels for cluster in clusters])
        secrets = (hidden.offsets, hidden.items, len(hidden.domain))
        chopped = self._chop(bounds, held, labels, secrets)
        cut = cut_labels(bounds, held.offsets, held.items, chopped, self._k, self._m, *secrets, self._l, CUTS_TRIED)
        ends = held.offsets[bounds]
        return [cluster._replace(labels=cut[ends[c] : ends[c + 1]]) for c, cluster in enumerate(clusters)]

    def _chop(self, bounds: Offsets, held: Transactions, labels: Ids, secrets: tuple[Offsets, Ids, int]) -> Ids:
        """The labels chopped among records; a cluster that is not protected then keeps its labels."""
        chopped = chop_labels(bounds, held.offsets, held.items, labels, self._k, *secrets, self._l)
        secret_offsets, secret_items, n_secrets = secrets
        for first, last in pairwise(bounds.tolist()):
            start, stop = held.offsets[first], held.offsets[last]
            offsets, shown = collapse(held.offsets[first : last + 1] - start, chopped[start:stop])
            own_offsets = secret_offsets[first : last + 1] - secret_offsets[first]
            own_secrets = secret_items[secret_offsets[first] : secret_offsets[last]]
            n_labels = int(chopped[start:stop].max(initial=-1)) + 1
            if not is_protected(offsets, shown, n_labels, self._k, self._m, own_offsets, own_secrets, n_secrets, self._l):
                chopped[start:stop] = labels[start:stop]
        return chopped


class ClusterTable(NamedTuple):
    """Several clusters in one table: their records, and labels numbered on from cluster to cluster."""

    bounds: Offsets  # of the records of each cluster
    rows: Rows
    offsets: Offsets  # of the entries of each record
    items: Ids
    labels: Ids
    label_offsets: Offsets  # label a stands for members[label_offsets[a] : label_offsets[a + 1]]
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


def cluster_table(clusters: Sequence[LabelledCluster]) -> ClusterTable:
    """Several clusters in one table."""
    counts = [int(cluster.labels.max(initial=-1)) + 1 for cluster in clusters]
    first = np.repeat(offsets_of(counts)[:-1], [len(cluster.labels) for cluster in clusters])
    labels = (np.concatenate([cluster.labels for cluster in clusters]) + first).astype(np.int32)
    items = np.concatenate([cluster.items for cluster in clusters])
    d = int(items.max(initial=0)) + 1
    pairs = np.unique(labels.astype(np.int64) * d + items)
    return ClusterTable(
        offsets_of([len(cluster.rows) for cluster in clusters]),
        np.concatenate([cluster.rows for cluster in clusters]),
        offsets_of(np.concatenate([np.diff(cluster.offsets) for cluster in clusters])),
        items,
        labels,
        offsets_of(np.bincount(pairs // d, minlength=sum(counts))),
        (pairs % d).astype(np.int32),
    )


def with_losses(clusters: Sequence[LabelledCluster]) -> list[LabelledCluster]:
    """The clusters with what their labels lose now."""
    lost = cluster_table(clusters).losses()
    return [cluster._replace(lost=float(lost[c])) for c, cluster in enumerate(clusters)]


def published_outcomes(data: Dataset, items: Items, clusters: Sequence[LabelledCluster]) -> list[ItemOutcome]:
    """The clusters by labels that all of them share: two labels of a cluster that stand for the same items become one."""
    assert data.transactions is not None
    table = cluster_table(clusters)
    names = data.transactions.domain
    groups = np.split(table.members, table.label_offsets[1:-1]) if len(table.members) else []
    numbers = items.labels.numbers(groups, [group_text([names[i] for i in group]) for group in groups])
    offsets, labels = table.offsets, numbers[table.labels] if len(groups) else np.zeros(0, np.int32)
    if data.sensitive_items is not None:
        exact = items.labels.numbers([np.array([i], np.int32) for i in range(len(names))], names)
        secrets = data.transactions.without(~data.sensitive_items).take(table.rows)
        order = np.argsort(np.append(rows_of(offsets), rows_of(secrets.offsets)), kind="stable")
        offsets, labels = offsets + secrets.offsets, np.append(labels, exact[secrets.items])[order]
    offsets, entries = collapse(offsets, labels)
    ends = offsets[table.bounds]
    return [
        items.measured(table.rows[first:stop], offsets[first : stop + 1] - ends[c], entries[ends[c] : ends[c + 1]])
        for c, (first, stop) in enumerate(pairwise(table.bounds.tolist()))
    ]
