"""Classes of k records that hold like items, and labels of which each of these records holds an item (docs/decisions/010).

All records of a class show the same labels, so whoever knows items of one of them, however many, finds them all: no rare pair
has to be hidden. The labels are chosen so that a reader who takes each for one of its items counts every item about right.
With branches of an item hierarchy, no label reaches into two of them: where all records of a class have items of a branch,
these are aligned among themselves; all other items are behind the root.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anonset.algorithms.rt._kernels.alignment import align_items
from anonset.algorithms.rt._kernels.protection import is_protected
from anonset.algorithms.rt.cluster_labels import Branches, LabelledCluster, WideLabel, with_losses
from anonset.algorithms.rt.cluster_merge import cluster_states
from anonset.algorithms.rt.tuning import (
    LENGTH_PENALTY,
    LENGTH_PENALTY_IN_BRANCHES,
    RECORDS_COMPARED,
    WEIGHT_OF_BRANCHES,
)
from anonset.kernels.groups import Quasi, grow_alike, states_of_records, union_costs
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Mask, Offsets, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.sets import offsets_of, rows_of, take
from anonset.threads import parallel_map


class Likeness(NamedTuple):
    """What makes records alike: record r has tokens[offsets[r] : offsets[r + 1]] of 0..n-1; other lengths make them unlike."""

    offsets: Offsets
    tokens: Ids
    n: int
    length_penalty: float


def _likeness(t: Transactions, branches: Branches | None) -> Likeness:
    """The items of each record; where labels stay inside branches, the branches that it has items in count several times."""
    d = max(1, len(t.domain))
    if branches is None:
        return Likeness(t.offsets, t.items, d, LENGTH_PENALTY)
    n = d + WEIGHT_OF_BRANCHES * branches.n
    row, branch = rows_of(t.offsets) * n, branches.branch[t.items]
    copies = [row + d + copy * branches.n + branch for copy in range(WEIGHT_OF_BRANCHES)]
    keys = np.unique(np.concatenate([row + t.items, *copies]))
    offsets = offsets_of(np.bincount(keys // n, minlength=len(t)))
    return Likeness(offsets, (keys % n).astype(np.int32), n, LENGTH_PENALTY_IN_BRANCHES)


class _Occurrences(NamedTuple):
    """Items of records, each with the label it is behind."""

    record: Rows
    items: Ids
    labels: Rows


class Alignment:
    """Forms classes of records with like items, and labels clusters by aligning the items of such classes."""

    def __init__(
        self,
        data: Dataset,
        quasi: Quasi,
        k: int,
        m: int,
        l: int,  # noqa: E741 - the papers' letter
        branches: Branches | None = None,
    ) -> None:
        assert data.transactions is not None
        self._t, self._quasi, self._branches = data.linkable, quasi, branches
        self._likeness = _likeness(self._t, branches)
        self._k, self._m, self._l = k, m, l
        sensitive = data.sensitive_items
        self._secrets = None if sensitive is None or l == 1 else data.transactions.without(~sensitive)

    @property
    def keeps_branches(self) -> bool:
        """Whether no label reaches into two branches of the item hierarchy."""
        return self._branches is not None

    def classes(self, parts: Sequence[Rows], price: float) -> list[Rows]:
        """The records of each part in classes; an NCP of 1 counts as much as `price` shared items."""
        return [rows for classes in parallel_map(lambda part: self._classes(part, price), parts) for rows in classes]

    def label(self, clusters: Sequence[Rows]) -> list[LabelledCluster | None]:
        """What each cluster shows, its items aligned in as many classes as it has room for.

        None where fewer than k records have items, or where the labels tell a sensitive item however they are aligned.
        """
        k = self._k
        holders = [int((self._t.lengths[rows] > 0).sum()) for rows in clusters]
        classes = [self._classes(rows, 0.0) if n >= 2 * k else [rows] for rows, n in zip(clusters, holders, strict=True)]
        labelled = self._align(classes)
        for c, cluster in enumerate(labelled):
            if len(classes[c]) > 1 and not self._hides_secrets(cluster):
                labelled[c] = self._align([[clusters[c]]])[0]  # all records of the cluster as one class
        return [
            cluster if (n == 0 or n >= k) and self._hides_secrets(cluster) else None
            for cluster, n in zip(labelled, holders, strict=True)
        ]

    def _classes(self, rows: Rows, price: float) -> list[Rows]:
        """Classes of the records with items, and of those without, which join the others where they are fewer than k."""
        holds = self._t.lengths[rows] > 0
        some, none = rows[holds], rows[~holds]
        if 0 < len(some) < self._k:
            return [rows]
        classes = self._classes_by_length(some, price)
        if len(none) >= self._k or not classes:
            return classes + self._classes_by_length(none, price)
        return self._joined(classes, none) if len(none) else classes

    def _classes_by_length(self, rows: Rows, price: float) -> list[Rows]:
        """Classes of records of about the same length; the longest, which are hardest to match, come first."""
        if not len(rows):
            return []
        rows = rows[np.argsort(-self._t.lengths[rows], kind="stable")]
        runs = np.array_split(rows, max(1, len(rows) // max(RECORDS_COMPARED, 2 * self._k)))
        return [members for run in runs for members in self._alike(run, price)]

    def _alike(self, rows: Rows, price: float) -> list[Rows]:
        offsets, tokens = take(self._likeness.offsets, self._likeness.tokens, rows)
        n, penalty = self._likeness.n, self._likeness.length_penalty
        number = grow_alike(self._quasi, rows, offsets, tokens, n, self._k, penalty, price)
        order = np.argsort(number, kind="stable")
        return np.split(rows[order], np.cumsum(np.bincount(number))[:-1])

    def _joined(self, classes: list[Rows], few: Rows) -> list[Rows]:
        """The classes with a few records without items, each in the class to which it adds the least NCP."""
        states, losses = cluster_states(self._quasi, classes)
        sizes = np.array([len(rows) for rows in classes])
        for row in few:
            costs = union_costs(self._quasi, states, states_of_records(self._quasi, np.array([row])), 0)
            nearest = int(np.argmin(costs * (sizes + 1) - losses * sizes))
            classes[nearest] = np.append(classes[nearest], row)
        return classes

    def _align(self, clusters: Sequence[Sequence[Rows]]) -> list[LabelledCluster]:
        """Clusters, each given by its classes, with the labels of their occurrences."""
        if not clusters:
            return []
        classes = [rows for cluster in clusters for rows in cluster]
        taken = self._t.take(np.concatenate(classes))
        bounds = offsets_of([len(rows) for rows in classes])
        if self._branches is not None:
            return self._align_in_branches(clusters, bounds, taken, self._branches)
        offsets, items, labels = align_items(bounds, taken.offsets, taken.items, max(1, len(taken.domain)))
        ends = offsets[bounds]
        labelled, first = [], 0
        for cluster in clusters:
            last = first + len(cluster)
            own, fresh = [], 0
            for p in range(first, last):  # labels of a class count from 0: number them on from class to class
                own.append(labels[ends[p] : ends[p + 1]] + fresh)
                fresh = int(own[-1].max(initial=fresh - 1)) + 1
            here = offsets[bounds[first] : bounds[last] + 1]
            rows, own_labels = np.concatenate(cluster), np.concatenate(own).astype(np.int32)
            labelled.append(LabelledCluster(rows, here - here[0], items[here[0] : here[-1]], own_labels, 0.0))
            first = last
        return with_losses(labelled)

    def _align_in_branches(
        self, clusters: Sequence[Sequence[Rows]], bounds: Offsets, taken: Transactions, branches: Branches
    ) -> list[LabelledCluster]:
        """Clusters with labels inside branches of which all records of a class have items; others are behind the wide one."""
        n, owner = len(taken), rows_of(taken.offsets)
        group = rows_of(bounds)  # the class of each record
        part = group[owner] * branches.n + branches.branch[taken.items]  # class and branch of each occurrence
        holders = np.bincount(group, taken.lengths > 0, len(bounds) - 1)
        records = np.bincount(np.unique(part * n + owner) // n, minlength=len(holders) * branches.n)
        inside = (records == np.repeat(holders, branches.n))[part]
        shared, wide = _aligned_parts(taken, owner, part, inside)
        others = _behind_wide_label(taken, owner, group, inside, wide)
        record, items = np.append(shared.record, others.record), np.append(shared.items, others.items)
        labels = np.append(shared.labels, others.labels)
        order = np.lexsort((labels, items, record))
        offsets, items, labels = offsets_of(np.bincount(record, minlength=n)), items[order], labels[order]
        labelled, first = [], 0
        for cluster in clusters:
            rows, low = np.concatenate(cluster), bounds[first]
            first += len(cluster)
            here = slice(offsets[low], offsets[bounds[first]])
            numbers, own = np.unique(labels[here], return_inverse=True)
            everything = WideLabel(len(numbers) - 1, branches.everything) if wide in numbers[-1:] else None
            ends = offsets[low : bounds[first] + 1] - offsets[low]
            labelled.append(LabelledCluster(rows, ends, items[here], own.astype(np.int32), 0.0, everything))
        return with_losses(labelled)

    def _hides_secrets(self, cluster: LabelledCluster) -> bool:
        """Whether the sensitive items of a cluster stay l^m-diverse."""
        if self._secrets is None:
            return True
        hidden = self._secrets.take(cluster.rows)
        offsets, shown = collapse(cluster.offsets, cluster.labels)
        n_labels, n_secrets = int(cluster.labels.max(initial=-1)) + 1, len(hidden.domain)
        k, m, l = self._k, self._m, self._l  # noqa: E741
        return bool(is_protected(offsets, shown, n_labels, k, m, hidden.offsets, hidden.items, n_secrets, l))


def _aligned_parts(taken: Transactions, owner: Rows, part: Rows, inside: Mask) -> tuple[_Occurrences, int]:
    """The occurrences of parts (class and branch) that every record has, aligned part by part, and the first unused label."""
    at = np.flatnonzero(inside)
    at = at[np.lexsort((taken.items[at], owner[at], part[at]))]
    starts = np.flatnonzero(np.diff(part[at] * len(taken) + owner[at], prepend=-1))  # a record in a part
    firsts = np.flatnonzero(np.diff(part[at[starts]], prepend=-1))  # a part
    bounds, offsets = np.append(firsts, len(starts)), np.append(starts, len(at))
    ends, items, labels = align_items(bounds, offsets, taken.items[at], max(1, len(taken.domain)))
    lengths = np.diff(ends)
    of_part = np.repeat(rows_of(bounds), lengths)
    n_labels = np.zeros(len(firsts), np.int64)
    np.maximum.at(n_labels, of_part, labels + 1)
    record = np.repeat(owner[at[starts]], lengths)
    return _Occurrences(record, items, labels + offsets_of(n_labels)[of_part]), int(n_labels.sum())


def _behind_wide_label(taken: Transactions, owner: Rows, group: Rows, inside: Mask, wide: int) -> _Occurrences:
    """The other occurrences behind the wide label, which all records of a class show that have items, or none."""
    shows, holds = np.zeros(int(group.max(initial=-1)) + 1, np.bool_), np.zeros(len(taken), np.bool_)
    shows[group[owner[~inside]]], holds[owner[~inside]] = True, True
    too = np.flatnonzero(shows[group] & ~holds & (taken.lengths > 0))  # their first item is behind it as well
    record = np.append(owner[~inside], too)
    items = np.append(taken.items[~inside], taken.items[taken.offsets[too]])
    return _Occurrences(record, items, np.full(len(record), wide))
