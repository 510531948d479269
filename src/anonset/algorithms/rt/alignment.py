"""Classes of k records that hold like items, and labels of which each of these records holds an item (docs/decisions/010).

All records of a class show the same labels, so whoever knows items of one of them, however many, finds them all: no rare pair
has to be hidden. The labels are chosen so that a reader who takes each for one of its items counts every item about right.
"""

from collections.abc import Sequence

import numpy as np

from anonset.algorithms.rt._kernels.alignment import align_items
from anonset.algorithms.rt._kernels.protection import is_protected
from anonset.algorithms.rt.cluster_labels import LabelledCluster, with_losses
from anonset.algorithms.rt.cluster_merge import cluster_states
from anonset.algorithms.rt.tuning import LENGTH_PENALTY, RECORDS_COMPARED
from anonset.kernels.groups import Quasi, grow_alike, states_of_records, union_costs
from anonset.kernels.recode import collapse
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.sets import offsets_of
from anonset.threads import parallel_map


class Alignment:
    """Forms classes of records with like items, and labels clusters by aligning the items of such classes."""

    def __init__(self, data: Dataset, quasi: Quasi, k: int, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        assert data.transactions is not None
        self._t, self._quasi = data.linkable, quasi
        self._k, self._m, self._l = k, m, l
        sensitive = data.sensitive_items
        self._secrets = None if sensitive is None or l == 1 else data.transactions.without(~sensitive)

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
        taken = self._t.take(rows)
        d = max(1, len(taken.domain))
        number = grow_alike(self._quasi, rows, taken.offsets, taken.items, d, self._k, LENGTH_PENALTY, price)
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

    def _hides_secrets(self, cluster: LabelledCluster) -> bool:
        """Whether the sensitive items of a cluster stay l^m-diverse."""
        if self._secrets is None:
            return True
        hidden = self._secrets.take(cluster.rows)
        offsets, shown = collapse(cluster.offsets, cluster.labels)
        n_labels, n_secrets = int(cluster.labels.max(initial=-1)) + 1, len(hidden.domain)
        k, m, l = self._k, self._m, self._l  # noqa: E741
        return bool(is_protected(offsets, shown, n_labels, k, m, hidden.offsets, hidden.items, n_secrets, l))
