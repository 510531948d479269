"""Counts of queries: exact on exact records, expected on generalized ones."""

from dataclasses import dataclass

import numpy as np

from anonset.errors import InputError
from anonset.kernels.estimates import item_query_shares
from anonset.measure.published import groups
from anonset.measure.workload.queries import Query, Workload
from anonset.model.arrays import Reals
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges
from anonset.model.release import Release


@dataclass(frozen=True, slots=True, eq=False)
class QueryCounts:
    """The count of each query on the original and what a release makes of it."""

    workload: Workload
    actual: Reals
    estimate: Reals

    def relative_errors(self, sanity: float = 1.0) -> Reals:
        """abs(actual - estimate) / max(actual, sanity) of each query."""
        return np.abs(self.actual - self.estimate) / np.maximum(self.actual, sanity)


def count_queries(original: Dataset, release: Release, workload: Workload) -> QueryCounts:
    """The counts of a workload on both sides."""
    check_workload(original, workload)
    before = _Counter(original, original.columns, None)
    after = _Counter(original, release.columns, release.items if isinstance(release.items, GeneralizedItems) else None)
    if any(q.items for q in workload.queries) and not isinstance(release.items, GeneralizedItems):
        raise InputError("the workload asks for items, and the release has no generalized items to estimate them from")
    actual = np.array([before.count(query) for query in workload.queries], np.float64)
    return QueryCounts(workload, actual, np.array([after.count(query) for query in workload.queries], np.float64))


def check_workload(original: Dataset, workload: Workload) -> None:
    """Raise unless every query asks for columns and items the original has."""
    known = set(original.transactions.domain) if original.transactions is not None else set()
    for number, query in enumerate(workload.queries, 1):
        for name in query.ranges:
            if original.column(name).kind != "numeric":
                raise InputError(f"query {number} asks for a range of {name!r}, which is not numeric")
        for name in query.values:
            if original.column(name).kind != "categorical":
                raise InputError(f"query {number} asks for values of {name!r}, which is numeric: give a range")
        unknown = [item for item in query.items if item not in known]
        if unknown:
            raise InputError(f"query {number} asks for the item {unknown[0]!r}, which the data do not have")


class _Counter:
    """Prepared indexes over one side: groups of equal values, items to labels, labels to records."""

    def __init__(
        self, original: Dataset, columns: tuple[Column, ...] | tuple[PublishedColumn, ...], items: GeneralizedItems | None
    ):
        published = tuple(_exact(c) if isinstance(c, Column) else c for c in columns)
        self.columns = {column.name: column for column in published}
        self.originals = {column.name: column for column in original.columns}
        self.n = len(published[0]) if published else len(items) if items is not None else len(original)
        self.group, self.n_groups = groups(published, self.n)
        _, self.first = np.unique(self.group, return_index=True)
        self.group_sizes = np.bincount(self.group, minlength=self.n_groups).astype(np.float64)
        if original.transactions is None:
            return
        t = original.transactions
        self.code = {name: i for i, name in enumerate(t.domain)}
        if items is None:
            offsets, shown, d = t.offsets, t.items, len(t.domain)
            self.sizes = np.ones(d, np.int64)
            self.item_offsets, self.item_labels = np.arange(d + 1, dtype=np.int64), np.arange(d, dtype=np.int32)
        else:
            offsets, shown, d = items.offsets, items.shown, len(items.labels)
            self.sizes = items.labels.sizes
            codes = np.array([self.code.get(name, -1) for name in items.domain] or [-1])[items.labels.members]
            owner = np.repeat(np.arange(d, dtype=np.int32), self.sizes)
            owner, codes = owner[codes >= 0], codes[codes >= 0]
            self.item_labels = owner[np.argsort(codes, kind="stable")]
            self.item_offsets = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(t.domain)))]).astype(np.int64)
        record = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
        self.label_records = record[np.argsort(shown, kind="stable")]
        self.label_offsets = np.concatenate([[0], np.cumsum(np.bincount(shown, minlength=d))]).astype(np.int64)
        self.covered = np.zeros(self.n, np.int64)
        self.chosen = np.zeros((self.n, 0), np.int32)

    def count(self, query: Query) -> float:
        """The expected number of records the query finds."""
        share = np.ones(self.n_groups)
        asked: dict[str, tuple[float, float] | tuple[str, ...]] = {**query.ranges, **query.values}
        for name, wanted in asked.items():
            column = self.columns[name]
            by_label = np.append(label_shares(self.originals[name], column.labels, wanted), 0.0)
            share *= by_label[column.codes[self.first]]
        if not query.items:
            return float(share @ self.group_sizes)
        if self.chosen.shape[1] < len(query.items):
            self.chosen = np.zeros((self.n, len(query.items)), np.int32)
        wanted_items = np.array([self.code[item] for item in query.items], np.int32)
        found, shares = item_query_shares(
            wanted_items,
            self.item_offsets,
            self.item_labels,
            self.label_offsets,
            self.label_records,
            self.sizes,
            self.covered,
            self.chosen,
        )
        return float(share[self.group[found]] @ shares)


def label_shares(original: Column, labels: Labels | Ranges, wanted: tuple[float, float] | tuple[str, ...]) -> Reals:
    """For each label the share of what it stands for that the query wants."""
    if isinstance(labels, Ranges):
        low, high = float(wanted[0]), float(wanted[1])
        if original.is_integer:  # count whole numbers
            inside = np.floor(np.minimum(labels.high, high)) - np.ceil(np.maximum(labels.low, low)) + 1.0
            return np.maximum(inside, 0.0) / (np.floor(labels.high) - np.ceil(labels.low) + 1.0)
        length = labels.high - labels.low
        inside = np.maximum(np.minimum(labels.high, high) - np.maximum(labels.low, low), 0.0)
        point = (low <= labels.low) & (labels.high <= high)
        return np.where(length > 0, inside / np.where(length > 0, length, 1.0), point)
    names = set(wanted)
    asked = np.array([name in names for name in original.domain], np.float64)
    return np.add.reduceat(asked[labels.members], labels.offsets[:-1]) / labels.sizes if len(labels) else np.zeros(0)


def _exact(column: Column) -> PublishedColumn:
    """The column as if it were published as it is."""
    d = len(column.domain)
    labels: Labels | Ranges
    if column.values is not None:
        labels = Ranges(column.values.copy(), column.values.copy(), column.domain)
    else:
        labels = Labels(np.arange(d + 1, dtype=np.int64), np.arange(d, dtype=np.int32), column.domain)
    return PublishedColumn(column.name, column.role, column.codes, labels)
