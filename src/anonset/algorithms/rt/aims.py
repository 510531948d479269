"""What a search makes small: the detail both parts lose, or the error of queries that ask for both.

An aim looks at clusters one by one: what they contribute is summed, and the sum has a value. So only clusters that change are
looked at again.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from anonset.algorithms.rt.asked import SearchQueries, shares
from anonset.algorithms.rt.kernels.matches import expected_matches
from anonset.algorithms.rt.narrowing import NarrowedCluster, side_by_side
from anonset.model.arrays import Reals
from anonset.model.dataset import Dataset


class Aim(Protocol):
    """Knows what clusters contribute, and what a sum of contributions is worth: the lower the better."""

    def contributions(self, clusters: Sequence[NarrowedCluster], losses: Reals) -> Reals:
        """A row for each cluster; losses[c] is the NCP of a record of cluster c."""
        ...

    def value(self, total: Reals) -> float:
        """What the sum of all rows is worth."""
        ...


class DetailLost:
    """weight * NCP of the mean record + (1 - weight) * the share of the items' detail that is lost: 1 - 1/n for one of n."""

    def __init__(self, data: Dataset, weight: float) -> None:
        self._records, self._items = max(1, len(data)), max(1, len(data.linkable.items))
        self._weight = weight

    def contributions(self, clusters: Sequence[NarrowedCluster], losses: Reals) -> Reals:
        """The cluster's part of the value."""
        sizes = np.array([len(cluster.rows) for cluster in clusters], np.float64)
        items = np.array([cluster.lost for cluster in clusters], np.float64)
        found: Reals = self._weight * sizes * losses / self._records + (1.0 - self._weight) * items / self._items
        return found.reshape(-1, 1)

    def value(self, total: Reals) -> float:
        """The detail lost, from 0 to 1."""
        return float(total[0])


class QueryError:
    """The mean relative error of queries, each item behind a label of n counted 1/n (the estimator `uniform`)."""

    def __init__(self, data: Dataset, asked: SearchQueries, recoding: str) -> None:
        self._data, self._asked, self._recoding = data, asked, recoding

    def contributions(self, clusters: Sequence[NarrowedCluster], losses: Reals) -> Reals:
        """The number of records each query is expected to find in the cluster."""
        if not clusters or not self._asked.n:
            return np.zeros((len(clusters), self._asked.n))
        t, asked = self._data.linkable, self._asked
        share = shares(self._data, asked, [cluster.rows for cluster in clusters], self._recoding)
        batch = side_by_side(clusters)
        table = (batch.bounds, batch.offsets, batch.labels, batch.label_offsets, batch.members, len(t.domain))
        return expected_matches(*table, share, asked.offsets, asked.items)

    def value(self, total: Reals) -> float:
        """The mean over the queries of abs(actual - estimate) / max(1, actual)."""
        actual = self._asked.actual
        return float(np.mean(np.abs(actual - total) / np.maximum(actual, 1.0))) if len(actual) else 0.0
