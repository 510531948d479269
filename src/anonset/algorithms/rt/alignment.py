"""Clusters of k records that hold like items, and labels of which each of them holds an item.

All records of a class show the same labels, so whoever knows items of one of them, however many, finds them all: no rare pair
has to be hidden. And labels are chosen so that counts come out right.
"""

from collections.abc import Sequence

import numpy as np

from anonset.algorithms.rt._kernels.alignment import align_items
from anonset.algorithms.rt._kernels.protection import is_protected
from anonset.algorithms.rt.cluster_labels import NarrowedCluster, with_losses
from anonset.algorithms.rt.local_search import states_of
from anonset.kernels.groups import Quasi, grow_alike, states_of_records, union_costs
from anonset.kernels.recode import collapse
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.sets import offsets_of
from anonset.model.threads import side_by_side

PART = 2048  # alike records are looked for among so many at least, and twice as many at most: it takes their square
UNLIKE = 1.5  # shared items that a difference of one in length outweighs: all of a class show as many labels


class Alignment:
    """Forms classes of alike records, and labels the items of clusters by them."""

    def __init__(self, data: Dataset, quasi: Quasi, k: int, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        assert data.transactions is not None
        self._t, self._quasi, self._asked = data.linkable, quasi, (k, m, l)
        sensitive = data.sensitive_items
        self._secrets = None if sensitive is None or l == 1 else data.transactions.without(~sensitive)

    def classes(self, parts: Sequence[Rows], price: float) -> list[Rows]:
        """The records of each part in classes; NCP of 1 outweighs so many shared items."""
        return [rows for found in side_by_side(lambda part: self._grown(part, price), parts) for rows in found]

    def shown(self, clusters: Sequence[Rows]) -> list[NarrowedCluster | None]:
        """What each cluster shows, its items aligned in as many classes as it has room for.

        None where fewer than k records have items, or where a secret shows however they are aligned.
        """
        k, _, _ = self._asked
        holders = [int((self._t.lengths[rows] > 0).sum()) for rows in clusters]
        grown = [self._grown(rows, 0.0) if n >= 2 * k else [rows] for rows, n in zip(clusters, holders, strict=True)]
        found = self._aligned(grown)
        for c, one in enumerate(found):
            if len(grown[c]) > 1 and not self._hides(one):
                found[c] = self._aligned([[clusters[c]]])[0]
        fine = [(n == 0 or n >= k) and self._hides(one) for one, n in zip(found, holders, strict=True)]
        return [one if good else None for one, good in zip(found, fine, strict=True)]

    def _grown(self, rows: Rows, price: float) -> list[Rows]:
        """The records in classes: those with items, and those without, which join the others where they are fewer than k."""
        k, _, _ = self._asked
        holds = self._t.lengths[rows] > 0
        some, none = rows[holds], rows[~holds]
        if 0 < len(some) < k:
            return [rows]
        found = self._classes(some, price)
        if len(none) >= k or not found:
            return found + self._classes(none, price)
        return self._joined(found, none) if len(none) else found

    def _classes(self, rows: Rows, price: float) -> list[Rows]:
        if not len(rows):
            return []
        rows = rows[np.argsort(-self._t.lengths[rows], kind="stable")]  # those that are hardest to match first
        runs = np.array_split(rows, max(1, len(rows) // max(PART, 2 * self._asked[0])))
        return [found for run in runs for found in self._alike(run, price)]

    def _alike(self, rows: Rows, price: float) -> list[Rows]:
        taken = self._t.take(rows)
        table = (taken.offsets, taken.items, max(1, len(taken.domain)))
        number = grow_alike(self._quasi, rows, *table, self._asked[0], UNLIKE, price)
        order = np.argsort(number, kind="stable")
        return np.split(rows[order], np.cumsum(np.bincount(number))[:-1])

    def _joined(self, classes: list[Rows], few: Rows) -> list[Rows]:
        """Records without items, each in the class that takes it in for the least NCP."""
        states, losses = states_of(self._quasi, classes)
        sizes = np.array([len(rows) for rows in classes])
        for row in few:
            costs = union_costs(self._quasi, states, states_of_records(self._quasi, np.array([row])), 0)
            nearest = int(np.argmin(costs * (sizes + 1) - losses * sizes))
            classes[nearest] = np.append(classes[nearest], row)
        return classes

    def _aligned(self, clusters: Sequence[Sequence[Rows]]) -> list[NarrowedCluster]:
        """Clusters, each given by its classes, with the labels of their occurrences."""
        if not clusters:
            return []
        classes = [rows for cluster in clusters for rows in cluster]
        taken = self._t.take(np.concatenate(classes))
        bounds = offsets_of([len(rows) for rows in classes])
        offsets, items, labels = align_items(bounds, taken.offsets, taken.items, max(1, len(taken.domain)))
        parts, found, c = offsets[bounds], [], 0
        for cluster in clusters:
            own, fresh = [], 0
            for p in range(c, c + len(cluster)):
                own.append(labels[parts[p] : parts[p + 1]] + fresh)
                fresh = int(own[-1].max(initial=fresh - 1)) + 1
            first, c = c, c + len(cluster)
            ends = offsets[bounds[first] : bounds[c] + 1]
            shown = items[ends[0] : ends[-1]]
            found.append(
                NarrowedCluster(np.concatenate(cluster), ends - ends[0], shown, np.concatenate(own).astype(np.int32), 0.0)
            )
        return with_losses(found)

    def _hides(self, one: NarrowedCluster) -> bool:
        """Whether the sensitive items of a cluster stay l^m-diverse."""
        if self._secrets is None:
            return True
        k, m, l = self._asked  # noqa: E741
        hidden, shown = self._secrets.take(one.rows), collapse(one.offsets, one.labels)
        n_labels = int(one.labels.max(initial=-1)) + 1
        return bool(is_protected(*shown, n_labels, k, m, hidden.offsets, hidden.items, len(hidden.domain), l))
