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

NO_ITEMS = np.zeros(0, np.int32)
CLUSTERS_PER_CHUNK = 64  # clusters that a thread takes at once


class WideLabel(NamedTuple):
    """The label of a cluster that stands for all linkable items, whichever occur there: the root of the item hierarchy."""

    label: int
    members: Ids


class LabelledCluster(NamedTuple):
    """A cluster by its rows; row p shows labels[offsets[p] : offsets[p + 1]] for the linkable items at the same places.

    The items of a row ascend; an item has one entry for each label that it is behind. Labels are the cluster's own, from 0, and
    stand for the items that occur behind them, but for the wide one.
    """

    rows: Rows
    offsets: Offsets
    items: Ids
    labels: Ids
    lost: float  # 1 - 1/n for each item that is shown as one of n at best, summed
    wide: WideLabel | None = None


class Branches(NamedTuple):
    """The branches right below the root of an item hierarchy: item i is in branch[i], and no label reaches into two of them."""

    branch: Ids
    n: int
    everything: Ids  # all linkable items

    def confine(self, cluster: LabelledCluster) -> LabelledCluster:
        """The cluster with one wide label in place of all that reach into several branches: what was protected stays so."""
        if not len(cluster.labels):
            return cluster
        labels, branch = cluster.labels, self.branch[cluster.items]
        n = int(labels.max()) + 1
        some = np.zeros(n, np.int32)
        some[labels] = branch
        across = np.zeros(n, np.bool_)
        across[labels[branch != some[labels]]] = True
        if not across.any():
            return cluster
        number = np.where(across, (~across).sum(), np.cumsum(~across) - 1).astype(np.int32)
        return cluster._replace(labels=number[labels], wide=WideLabel(int((~across).sum()), self.everything))


def branches_of(data: Dataset) -> Branches | None:
    """The branches of a given item hierarchy; None where there is none, or where it has no node between root and items."""
    tree = data.item_hierarchy
    if tree is None or tree.derived or tree.n_leaves == 1:
        return None
    top = tree.root
    while len(children := tree.children(top)) == 1:
        top = children[0]
    if len(children) == tree.n_leaves:
        return None
    starts = tree.low[children]
    branch = np.searchsorted(starts, np.arange(tree.n_leaves), side="right") - 1
    hidden = data.sensitive_items
    everything = np.arange(tree.n_leaves) if hidden is None else np.flatnonzero(~hidden)
    return Branches(branch.astype(np.int32), len(starts), everything.astype(np.int32))


class Labelling(Protocol):
    """A rule by which clusters label their items."""

    def label(self, clusters: Sequence[Rows]) -> list[LabelledCluster | None]:
        """What each cluster shows, or None where it cannot be protected on its own."""
        ...


class StepLabelling:
    """Labels clusters by an item step, narrows its labels to what occurs, cuts them, and confines them to branches if given."""

    def __init__(self, t: Transactions, items: Items, cuts: "LabelCuts", branches: Branches | None = None) -> None:
        self._t, self._items, self._cuts, self._branches = t, items, cuts, branches

    def label(self, clusters: Sequence[Rows]) -> list[LabelledCluster | None]:
        """What each cluster shows, or None where the step cannot protect it on its own."""
        outcomes = self._items.outcomes(clusters)
        protected = [outcome for outcome in outcomes if outcome is not None]
        cut = self._cuts.cut(narrow_labels(self._t, self._items, protected)) if protected else []
        if cut and self._branches is not None:
            cut = with_losses([self._branches.confine(cluster) for cluster in cut])
        labelled = iter(cut)
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
    """Several clusters in one table; the wide labels of all clusters are one, the last."""
    counts = [int(cluster.labels.max(initial=-1)) + 1 for cluster in clusters]
    n, starts = sum(counts), offsets_of(counts)
    first = np.repeat(starts[:-1], [len(cluster.labels) for cluster in clusters])
    labels = (np.concatenate([cluster.labels for cluster in clusters]) + first).astype(np.int32)
    items = np.concatenate([cluster.items for cluster in clusters])
    is_wide, everything = np.zeros(n, np.bool_), NO_ITEMS
    for start, cluster in zip(starts.tolist(), clusters, strict=False):
        if cluster.wide is not None:
            is_wide[start + cluster.wide.label], everything = True, cluster.wide.members
    if len(everything):
        labels[is_wide[labels]] = n
    d, narrow = int(items.max(initial=0)) + 1, labels < n
    pairs = np.unique(labels[narrow].astype(np.int64) * d + items[narrow])
    sizes, members = np.bincount(pairs // d, minlength=n), (pairs % d).astype(np.int32)
    if len(everything):
        sizes, members = np.append(sizes, len(everything)), np.append(members, everything)
    return ClusterTable(
        offsets_of([len(cluster.rows) for cluster in clusters]),
        np.concatenate([cluster.rows for cluster in clusters]),
        offsets_of(np.concatenate([np.diff(cluster.offsets) for cluster in clusters])),
        items,
        labels,
        offsets_of(sizes),
        members,
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
