"""An index over one side of a comparison: which records a query may find, and how likely each."""

import numpy as np

from anonset.measure.kernels.estimates import item_query_shares
from anonset.measure.published import groups
from anonset.measure.workload.queries import Query
from anonset.model.arrays import Reals, Rows
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges
from anonset.model.release import Release


class RecordIndex:
    """Groups of equal values, items to labels, labels to records: of the original (exact) or of a release."""

    def __init__(self, original: Dataset, release: Release | None = None) -> None:
        items = None if release is None else release.items
        assert items is None or isinstance(items, GeneralizedItems), "uncertain items have no labels to index"
        columns: tuple[Column, ...] | tuple[PublishedColumn, ...] = original.columns if release is None else release.columns
        published = tuple(_exact(c) if isinstance(c, Column) else c for c in columns)
        self.columns = {column.name: column for column in published}
        self.originals = {column.name: column for column in original.columns}
        self.n = len(original) if release is None else len(release)
        self.group, self.n_groups = groups(published, self.n)
        _, self.first = np.unique(self.group, return_index=True)
        self.group_sizes = np.bincount(self.group, minlength=self.n_groups).astype(np.float64)
        if original.transactions is None or (release is not None and items is None):
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
        if not query.items and not query.absent:
            return float(self._group_shares(query) @ self.group_sizes)
        return float(self.matches(query)[1].sum())

    def matches(self, query: Query) -> tuple[Rows, Reals]:
        """The records the query may find, and how likely it finds each (above 0)."""
        share = self._group_shares(query)
        if not query.items:
            records, shares = np.arange(self.n), share[self.group] * self._absent_shares(query.absent)
        else:
            if self.chosen.shape[1] < len(query.items):
                self.chosen = np.zeros((self.n, len(query.items)), np.int32)
            wanted = np.array([self.code[item] for item in query.items], np.int32)
            labels = (self.item_offsets, self.item_labels, self.label_offsets, self.label_records, self.sizes)
            records, shares = item_query_shares(wanted, *labels, self.covered, self.chosen)
            shares = shares * share[self.group[records]]
        return records[shares > 0], shares[shares > 0]

    def _absent_shares(self, absent: tuple[str, ...]) -> Reals:
        """How likely each record holds none of the items: (2^(n-q) - 1) / (2^n - 1) for q of them behind a label of n."""
        share = np.ones(self.n)
        if not absent:
            return share
        asked = np.zeros(len(self.sizes), np.int64)
        for item in absent:
            i = self.code[item]
            np.add.at(asked, self.item_labels[self.item_offsets[i] : self.item_offsets[i + 1]], 1)
        for a in np.flatnonzero(asked):
            whole, gone = float(self.sizes[a]), float(asked[a])
            holders = self.label_records[self.label_offsets[a] : self.label_offsets[a + 1]]
            share[holders] *= (2.0**-gone - 2.0**-whole) / (1.0 - 2.0**-whole)
        return share

    def _group_shares(self, query: Query) -> Reals:
        share = np.ones(self.n_groups)
        asked: dict[str, tuple[float, float] | tuple[str, ...]] = {**query.ranges, **query.values}
        for name, wanted in asked.items():
            column = self.columns[name]
            by_label = np.append(label_shares(self.originals[name], column.labels, wanted), 0.0)
            share *= by_label[column.codes[self.first]]
        return share


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
