"""What `rt-search` minimizes: the detail that both parts lose, or the error of queries for values and items together; and what
clusters are worth by it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from anonset.algorithms.relational.publication import generalize_column
from anonset.algorithms.rt._kernels.losses import expected_matches
from anonset.algorithms.rt.cluster_labels import LabelledCluster, Labelling, cluster_table
from anonset.algorithms.rt.cluster_merge import cluster_states
from anonset.kernels.groups import Quasi, States, costs_of_states
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import PublishedColumn, Ranges
from anonset.model.release import LOST_SHARE
from anonset.model.sets import offsets_of

QUERIES_PER_RECORD = 20  # at most: few records have fewer queries than `asks`
ITEMS_PER_QUERY = 2  # at most
RANGE_WIDTH = 0.1  # of a column's span, around the value of a record
CLUSTERS_AT_ONCE = 4096  # clusters whose contributions are in memory together
NO_CONTRIBUTION = np.zeros(0)


class Objective(Protocol):
    """Computes what clusters contribute, and the value of a sum of contributions: the lower the better."""

    def contributions(self, clusters: Sequence[LabelledCluster], losses: Reals) -> Reals:
        """A row for each cluster; losses[c] is the NCP of a record of cluster c."""
        ...

    def value(self, total: Reals) -> float:
        """The value of the sum of all rows."""
        ...


class DetailLost:
    """weight * NCP of the mean record + (1 - weight) * the share of the items' detail that is lost: 1 - 1/n for one of n."""

    def __init__(self, data: Dataset, weight: float) -> None:
        self._records, self._items = max(1, len(data)), max(1, len(data.linkable.items))
        self._weight = weight

    def contributions(self, clusters: Sequence[LabelledCluster], losses: Reals) -> Reals:
        """The part of the value that is due to each cluster."""
        sizes = np.array([len(cluster.rows) for cluster in clusters], np.float64)
        items = np.array([cluster.lost for cluster in clusters], np.float64)
        found: Reals = self._weight * sizes * losses / self._records + (1.0 - self._weight) * items / self._items
        return found.reshape(-1, 1)

    def value(self, total: Reals) -> float:
        """The detail lost, from 0 to 1."""
        return float(total[0])


class QueryError:
    """The mean relative error of queries, each item behind a label of n counted 1/n (the estimator `uniform`)."""

    def __init__(self, data: Dataset, queries: "SearchQueries", recoding: str) -> None:
        self._data, self._queries, self._recoding = data, queries, recoding

    def contributions(self, clusters: Sequence[LabelledCluster], losses: Reals) -> Reals:
        """The number of records that each query is expected to find in each cluster."""
        queries = self._queries
        if not clusters or not queries.n:
            return np.zeros((len(clusters), queries.n))
        shares = value_shares(self._data, queries, [cluster.rows for cluster in clusters], self._recoding)
        table = cluster_table(clusters)
        return expected_matches(
            table.bounds,
            table.offsets,
            table.labels,
            table.label_offsets,
            table.members,
            len(self._data.linkable.domain),
            shares,
            queries.offsets,
            queries.items,
        )

    def value(self, total: Reals) -> float:
        """The mean over the queries of abs(actual - estimate) / max(1, actual)."""
        actual = self._queries.actual
        return float(np.mean(np.abs(actual - total) / np.maximum(actual, 1.0))) if len(actual) else 0.0


class QueryRange(NamedTuple):
    """Query `query` asks for a column between low and high; categories by code."""

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


def draw_queries(data: Dataset, n: int, seed: int | None, most_values: int = 3) -> SearchQueries:
    """n queries, fewer for few records, for up to `most_values` values and two items that a random record has."""
    t, rng = data.linkable, np.random.default_rng(seed)
    widths = [0.0 if column.values is None else RANGE_WIDTH / 2 * (column.span[1] - column.span[0]) for column in data.quasi]
    holders = np.flatnonzero(t.lengths > 0)
    rows = rng.choice(holders, min(n, QUERIES_PER_RECORD * len(holders))) if len(holders) else np.zeros(0, np.int64)
    values: list[tuple[int, int, float, float]] = []
    chosen = []
    for q, row in enumerate(rows):
        known = [j for j, column in enumerate(data.quasi) if column.codes[row] >= 0]
        for j in rng.permutation(known)[: 1 + q % most_values] if known else ():
            values.append((q, int(j), *_around(data.quasi[j], int(row), widths[j])))
        basket = t.items[t.offsets[row] : t.offsets[row + 1]]
        chosen.append(np.sort(rng.permutation(basket)[: 1 + q % ITEMS_PER_QUERY]))
    query, column, low, high = np.array(values, np.float64).reshape(-1, 4).T
    offsets = offsets_of([len(items) for items in chosen])
    ranges = QueryRange(query.astype(np.int64), column.astype(np.int64), low, high)
    queries = SearchQueries(ranges, offsets, np.concatenate([*chosen, np.zeros(0, np.int32)]), np.zeros(len(rows)))
    return queries._replace(actual=_counts(data, queries))


def _around(column: Column, row: int, half: float) -> tuple[float, float]:
    code = int(column.codes[row])
    if column.values is None:
        return code, code
    return float(column.values[code]) - half, float(column.values[code]) + half


def _counts(data: Dataset, queries: SearchQueries) -> Reals:
    """How many records each query counts."""
    t = data.linkable
    owner = np.repeat(np.arange(len(t)), t.lengths)
    order = np.argsort(t.items, kind="stable")
    starts = np.searchsorted(t.items[order], np.arange(len(t.domain) + 1))
    values = [c.codes if c.values is None else np.append(c.values, np.nan)[c.codes] for c in data.quasi]
    of_query = np.searchsorted(queries.values.query, np.arange(queries.n + 1))
    found = np.zeros(queries.n)
    for q in range(queries.n):
        fits = np.zeros(len(t), np.int64)
        for i in queries.items[queries.offsets[q] : queries.offsets[q + 1]]:
            fits[owner[order[starts[i] : starts[i + 1]]]] += 1
        there = np.flatnonzero(fits == queries.offsets[q + 1] - queries.offsets[q])
        for p in range(of_query[q], of_query[q + 1]):
            value = values[queries.values.column[p]][there]
            there = there[(value >= queries.values.low[p]) & (value <= queries.values.high[p])]
        found[q] = len(there)
    return found


def value_shares(data: Dataset, queries: SearchQueries, clusters: Sequence[Rows], recoding: str) -> Reals:
    """For each cluster and query the share of the published values, in the columns of the query, that the query asks for."""
    rows = np.concatenate(clusters)
    groups = np.repeat(np.arange(len(clusters)), [len(one) for one in clusters])
    first = offsets_of([len(one) for one in clusters])[:-1]
    found = np.ones((len(clusters), queries.n))
    for j, column in enumerate(data.quasi):
        here = np.flatnonzero(queries.values.column == j)
        if len(here):
            shown = generalize_column(column.take(rows), column, groups, recoding=recoding)
            by_label = _label_shares(column, shown, queries.values.low[here], queries.values.high[here])
            found[:, queries.values.query[here]] *= by_label[shown.codes[first]]
    return found


def _label_shares(column: Column, shown: PublishedColumn, low: Reals, high: Reals) -> Reals:
    """For each label (and last, for no value) and query the share of the values behind the label that the query asks for."""
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


class EvaluatedCluster(NamedTuple):
    """A protected cluster: what it shows, the NCP of a record of it, and what it contributes to the objective.

    blank[j] is the number of its records if column j says nothing there, else 0.
    """

    labelled: LabelledCluster
    loss: float
    contribution: Reals
    blank: Rows

    @property
    def rows(self) -> Rows:
        """Its records."""
        return self.labelled.rows

    @property
    def lost(self) -> float:
        """NCP summed over its records."""
        return self.loss * len(self.labelled.rows)


class Clustering(NamedTuple):
    """Clusters by number, the sum of their contributions, NCP summed over records, blanks of each column, and the value."""

    clusters: dict[int, EvaluatedCluster]
    total: Reals
    lost: float
    blank: Rows
    value: float

    def revalued(self, objective: Objective) -> "Clustering":
        """The same clusters with their value for another objective."""
        labelled = [cluster.labelled for cluster in self.clusters.values()]
        losses = np.array([cluster.loss for cluster in self.clusters.values()])
        total: Reals | float = 0.0
        for p in range(0, len(labelled), CLUSTERS_AT_ONCE):
            here = slice(p, p + CLUSTERS_AT_ONCE)
            total = total + objective.contributions(labelled[here], losses[here]).sum(axis=0)
        return self._replace(value=objective.value(np.asarray(total)))


class ClusterEvaluator:
    """Labels clusters and computes their value; contributions of single clusters are stored where these may change later."""

    def __init__(
        self, quasi: Quasi, n_items: int, labelling: Labelling, objective: Objective, *, changing: bool = True
    ) -> None:
        self.quasi, self.labelling = quasi, labelling
        self._n_items, self._objective, self._changing = n_items, objective, changing

    def evaluate(self, clusters: Sequence[Rows]) -> list[EvaluatedCluster | None]:
        """Each cluster, or None where it cannot be protected on its own."""
        labelled = self.labelling.label(clusters)
        evaluated = iter(self._evaluate([cluster for cluster in labelled if cluster is not None]))
        return [None if cluster is None else next(evaluated) for cluster in labelled]

    def _evaluate(self, labelled: Sequence[LabelledCluster]) -> list[EvaluatedCluster]:
        if not labelled:
            return []
        states, losses = cluster_states(self.quasi, [cluster.rows for cluster in labelled])
        contributions = self._objective.contributions(labelled, losses)
        blank = self._blank_columns(states)
        return [
            EvaluatedCluster(cluster, float(losses[c]), contributions[c], blank[c] * len(cluster.rows))
            for c, cluster in enumerate(labelled)
        ]

    def _blank_columns(self, states: States) -> Mask:
        """Which columns say nothing in each cluster."""
        columns = np.eye(len(self.quasi.kind))
        costs = [costs_of_states(self.quasi._replace(weight=only), states) for only in columns]
        return np.column_stack(costs) >= 1.0 - 1e-9

    def start(self, names: Sequence[int], labelled: Sequence[LabelledCluster]) -> Clustering:
        """The clustering of labelled clusters, by number."""
        clusters: dict[int, EvaluatedCluster] = {}
        total: Reals | float = 0.0
        for p in range(0, len(labelled), CLUSTERS_AT_ONCE):
            here = slice(p, p + CLUSTERS_AT_ONCE)
            evaluated = self._evaluate(labelled[here])
            total = total + np.sum([cluster.contribution for cluster in evaluated], axis=0)
            if not self._changing:
                evaluated = [cluster._replace(contribution=NO_CONTRIBUTION) for cluster in evaluated]
            clusters |= zip(names[here], evaluated, strict=True)
        return self._clustering(clusters, np.asarray(total))

    def clustering(self, clusters: Mapping[int, EvaluatedCluster]) -> Clustering:
        """The clustering of evaluated clusters, by number."""
        return self._clustering(clusters, np.sum([cluster.contribution for cluster in clusters.values()], axis=0))

    def _clustering(self, clusters: Mapping[int, EvaluatedCluster], total: Reals) -> Clustering:
        lost = sum(cluster.lost for cluster in clusters.values())
        blank = np.sum([cluster.blank for cluster in clusters.values()], axis=0)
        return Clustering(dict(clusters), total, lost, blank, self.value(total))

    def is_publishable(self, clustering: Clustering) -> bool:
        """Whether neither a column nor the items say "anything" in so large a share that a release would be refused."""
        labelled = [cluster.labelled for cluster in clustering.clusters.values()]
        n = sum(len(cluster.rows) for cluster in labelled)
        table = cluster_table(labelled)
        anything = np.diff(table.label_offsets)[table.labels] >= max(self._n_items, 2)
        lost = float(anything.mean()) if len(anything) else 0.0
        return int(clustering.blank.max(initial=0)) <= LOST_SHARE * n and lost <= LOST_SHARE

    def value(self, total: Reals) -> float:
        """The value of a sum of contributions; the lower the better."""
        return self._objective.value(total)
