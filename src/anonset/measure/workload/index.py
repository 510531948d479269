"""An index over one side of a comparison: which records a query may find, and how likely each."""

from collections.abc import Mapping

import numpy as np

from anonset.measure.published import groups
from anonset.measure.workload.item_shares import Estimator, ItemShares, item_shares
from anonset.measure.workload.label_index import LabelIndex
from anonset.measure.workload.queries import Query
from anonset.model.arrays import Ids, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges
from anonset.model.release import Release


class RecordIndex:
    """Groups of equal values, items to labels, labels to records: of the original (exact) or of a release."""

    def __init__(self, original: Dataset, release: Release | None = None, estimator: Estimator = "subsets") -> None:
        items = None if release is None else release.items
        assert items is None or isinstance(items, GeneralizedItems), "uncertain items have no labels to index"
        self.n = len(original) if release is None else len(release)
        published = tuple(map(_exact, original.columns)) if release is None else release.columns
        self.originals = {column.name: column for column in original.columns}
        texts = [column for column in original.columns if column.values is None]
        self.places = {column.name: {text: i for i, text in enumerate(column.domain)} for column in texts}
        self.columns = {column.name: _anything(column, self.n) for column in original.columns}  # what is not published
        self.columns |= {column.name: column for column in published}
        self.group, self.n_groups = groups(published, self.n)
        _, self.first = np.unique(self.group, return_index=True)
        self.group_sizes = np.bincount(self.group, minlength=self.n_groups).astype(np.float64)
        if original.transactions is None:
            return
        if release is not None and items is None:
            items = _any_items(original.transactions.domain, self.n)
        self.labels = LabelIndex(original.transactions, items)
        self.shares: ItemShares = item_shares(estimator, self.labels, None if release is None else release.margins)

    def count(self, query: Query) -> float:
        """The expected number of records the query finds."""
        if not query.items and not query.absent:
            return float(self._group_shares(query) @ self.group_sizes)
        return float(self.matches(query)[1].sum())

    def matches(self, query: Query) -> tuple[Rows, Reals]:
        """The records the query may find, and how likely it finds each (above 0)."""
        share = self._group_shares(query)
        if query.items:
            records, shares = self.shares.present(self._codes(query.items))
            shares = shares * share[self.group[records]]
        else:
            records, shares = np.arange(self.n), share[self.group]
            shares = shares * self.shares.absent(self._codes(query.absent)) if query.absent else shares
        return records[shares > 0], shares[shares > 0]

    def _codes(self, items: tuple[str, ...]) -> Ids:
        return np.array([self.labels.code[item] for item in items], np.int32)

    def _group_shares(self, query: Query) -> Reals:
        share = np.ones(self.n_groups)
        asked: dict[str, tuple[float, float] | tuple[str, ...]] = {**query.ranges, **query.values}
        for name, wanted in asked.items():
            column = self.columns[name]
            by_label = np.append(label_shares(self.originals[name], column.labels, wanted, self.places.get(name)), 0.0)
            share *= by_label[column.codes[self.first]]
        return share


def label_shares(
    original: Column,
    labels: Labels | Ranges,
    wanted: tuple[float, float] | tuple[str, ...],
    places: Mapping[str, int] | None = None,
) -> Reals:
    """For each label the share of what it stands for that the query wants; `places`: those of the values in the domain."""
    if isinstance(labels, Ranges):
        low, high = float(wanted[0]), float(wanted[1])
        if original.is_integer:  # count whole numbers
            inside = np.floor(np.minimum(labels.high, high)) - np.ceil(np.maximum(labels.low, low)) + 1.0
            return np.maximum(inside, 0.0) / (np.floor(labels.high) - np.ceil(labels.low) + 1.0)
        length = labels.high - labels.low
        inside = np.maximum(np.minimum(labels.high, high) - np.maximum(labels.low, low), 0.0)
        point = (low <= labels.low) & (labels.high <= high)
        return np.where(length > 0, inside / np.where(length > 0, length, 1.0), point)
    known = {text: i for i, text in enumerate(original.domain)} if places is None else places
    asked = np.zeros(len(original.domain))
    asked[[known[text] for text in map(str, wanted) if text in known]] = 1.0
    return np.add.reduceat(asked[labels.members], labels.offsets[:-1]) / labels.sizes if len(labels) else np.zeros(0)


def _anything(column: Column, n: int) -> PublishedColumn:
    """The column as if each of n records said "anything"."""
    labels: Labels | Ranges = _all_of(len(column.domain))
    if column.values is not None and len(column.values):
        labels = Ranges(column.values.min(keepdims=True), column.values.max(keepdims=True), ("*",))
    return PublishedColumn(column.name, column.role, np.full(n, len(labels) - 1, np.int32), labels)


def _any_items(domain: tuple[str, ...], n: int) -> GeneralizedItems:
    """The items as if each of n records said "at least one of all"."""
    labels = _all_of(len(domain))
    shown = np.zeros(n * len(labels), np.int32)
    return GeneralizedItems(np.arange(n + 1) * len(labels), shown, labels, domain, np.zeros(0, np.int32))


def _all_of(d: int) -> Labels:
    """One label for all of d values, or none where there is no value."""
    return Labels.from_groups([range(d)], ["*"]) if d else Labels.from_groups([], [])


def _exact(column: Column) -> PublishedColumn:
    """The column as if it were published as it is."""
    d = len(column.domain)
    labels: Labels | Ranges
    if column.values is not None:
        labels = Ranges(column.values.copy(), column.values.copy(), column.domain)
    else:
        labels = Labels(np.arange(d + 1, dtype=np.int64), np.arange(d, dtype=np.int32), column.domain)
    return PublishedColumn(column.name, column.role, column.codes, labels)
