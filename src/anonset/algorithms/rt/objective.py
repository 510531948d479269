"""What a search makes small: the detail that both parts lose, or the error of queries for values and items together."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from anonset.algorithms.relational.publication import generalize_column
from anonset.algorithms.rt._kernels.query_counts import expected_matches
from anonset.algorithms.rt.cluster_labels import NarrowedCluster, side_by_side
from anonset.model.arrays import Ids, Offsets, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import PublishedColumn, Ranges
from anonset.model.sets import offsets_of

EACH = 20  # queries at most for a record
ITEMS = 2  # that a query asks for at most
WIDTH = 0.1  # of a column's span, around the value of a record


class QueryRange(NamedTuple):
    """Query `query` wants a column between low and high; categories by code."""

    query: Rows
    column: Rows
    low: Reals
    high: Reals


class SearchQueries(NamedTuple):
    """Queries for values, and for items[offsets[q] : offsets[q + 1]] of query q; actual[q] records have both."""

    values: QueryRange
    offsets: Offsets
    items: Ids
    actual: Reals

    @property
    def n(self) -> int:
        """The number of queries."""
        return len(self.actual)


def draw(data: Dataset, n: int, seed: int | None, most_values: int = 3) -> SearchQueries:
    """n queries for up to so many values and two items of random records; each counts somebody. Few records: fewer."""
    t, rng = data.linkable, np.random.default_rng(seed)
    widths = [0.0 if column.values is None else WIDTH / 2 * (column.span[1] - column.span[0]) for column in data.quasi]
    holders = np.flatnonzero(t.lengths > 0)
    rows = rng.choice(holders, min(n, EACH * len(holders))) if len(holders) else np.zeros(0, np.int64)
    values: list[tuple[int, int, float, float]] = []
    chosen = []
    for q, row in enumerate(rows):
        known = [j for j, column in enumerate(data.quasi) if column.codes[row] >= 0]
        for j in rng.permutation(known)[: 1 + q % most_values] if known else ():
            values.append((q, int(j), *_around(data.quasi[j], int(row), widths[j])))
        basket = t.items[t.offsets[row] : t.offsets[row + 1]]
        chosen.append(np.sort(rng.permutation(basket)[: 1 + q % ITEMS]))
    query, column, low, high = np.array(values, np.float64).reshape(-1, 4).T
    offsets = offsets_of([len(items) for items in chosen])
    wanted = QueryRange(query.astype(np.int64), column.astype(np.int64), low, high)
    asked = SearchQueries(wanted, offsets, np.concatenate([*chosen, np.zeros(0, np.int32)]), np.zeros(len(rows)))
    return asked._replace(actual=_counts(data, asked))


def _around(column: Column, row: int, half: float) -> tuple[float, float]:
    code = int(column.codes[row])
    if column.values is None:
        return code, code
    return float(column.values[code]) - half, float(column.values[code]) + half


def _counts(data: Dataset, asked: SearchQueries) -> Reals:
    """How many records each query counts."""
    t = data.linkable
    owner = np.repeat(np.arange(len(t)), t.lengths)
    order = np.argsort(t.items, kind="stable")
    starts = np.searchsorted(t.items[order], np.arange(len(t.domain) + 1))
    values = [c.codes if c.values is None else np.append(c.values, np.nan)[c.codes] for c in data.quasi]
    of_query = np.searchsorted(asked.values.query, np.arange(asked.n + 1))
    found = np.zeros(asked.n)
    for q in range(asked.n):
        fits = np.zeros(len(t), np.int64)
        for i in asked.items[asked.offsets[q] : asked.offsets[q + 1]]:
            fits[owner[order[starts[i] : starts[i + 1]]]] += 1
        there = np.flatnonzero(fits == asked.offsets[q + 1] - asked.offsets[q])
        for p in range(of_query[q], of_query[q + 1]):
            value = values[asked.values.column[p]][there]
            there = there[(value >= asked.values.low[p]) & (value <= asked.values.high[p])]
        found[q] = len(there)
    return found


def shares(data: Dataset, asked: SearchQueries, clusters: Sequence[Rows], recoding: str) -> Reals:
    """For each cluster and query the share of what its records publish in the asked columns that is wanted."""
    rows = np.concatenate(clusters)
    groups = np.repeat(np.arange(len(clusters)), [len(one) for one in clusters])
    first = offsets_of([len(one) for one in clusters])[:-1]
    found = np.ones((len(clusters), asked.n))
    for j, column in enumerate(data.quasi):
        here = np.flatnonzero(asked.values.column == j)
        if len(here):
            shown = generalize_column(column.take(rows), column, groups, recoding=recoding)
            by_label = _label_shares(column, shown, asked.values.low[here], asked.values.high[here])
            found[:, asked.values.query[here]] *= by_label[shown.codes[first]]
    return found


def _label_shares(column: Column, shown: PublishedColumn, low: Reals, high: Reals) -> Reals:
    """For each label (and last, for no value) and query the share of what the label stands for that is wanted."""
    labels = shown.labels
    if isinstance(labels, Ranges):
        return np.vstack([_overlaps(column, labels, low, high), np.zeros((1, len(low)))])
    sizes = labels.sizes
    each = np.zeros((len(sizes) + 1, len(column.domain)))
    each[np.repeat(np.arange(len(sizes)), sizes), labels.members] = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
    found: Reals = each[:, low.astype(np.int64)]
    return found


def _overlaps(column: Column, labels: Ranges, low: Reals, high: Reals) -> Reals:
    start, stop = labels.low[:, None], labels.high[:, None]
    if column.is_integer:  # count whole numbers
        inside = np.floor(np.minimum(stop, high)) - np.ceil(np.maximum(start, low)) + 1.0
        found: Reals = np.maximum(inside, 0.0) / (np.floor(stop) - np.ceil(start) + 1.0)
        return found
    inside = np.maximum(np.minimum(stop, high) - np.maximum(start, low), 0.0)
    length = stop - start
    point = (low <= start) & (stop <= high)
    return np.where(length > 0, inside / np.where(length > 0, length, 1.0), point)


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
