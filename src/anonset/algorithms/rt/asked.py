"""Queries drawn from the data, for values and items together, and which share of a cluster has the values asked for."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anonset.algorithms.relational.generalize import generalize_column
from anonset.model.arrays import Ids, Offsets, Reals, Rows
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.labels import PublishedColumn, Ranges

EACH = 20  # queries at most for a record
WIDTH = 0.1  # of a column's span, around the value of a record


class Asked(NamedTuple):
    """Query q wants column[q] between low[q] and high[q] (categories by code), and items[offsets[q] : offsets[q + 1]]."""

    column: Rows
    low: Reals
    high: Reals
    offsets: Offsets
    items: Ids
    actual: Reals

    @property
    def n(self) -> int:
        """The number of queries."""
        return len(self.column)


def draw(data: Dataset, n: int, most_items: int, seed: int | None) -> Asked:
    """n queries for one quasi value and 1 .. most_items items of random records; each counts somebody. Few records, fewer."""
    t, rng = data.linkable, np.random.default_rng(seed)
    holders = np.flatnonzero(t.lengths > 0)
    rows = rng.choice(holders, min(n, EACH * len(holders))) if len(holders) else np.zeros(0, np.int64)
    column = np.zeros(len(rows), np.int64)
    low, high = np.zeros(len(rows)), np.zeros(len(rows))
    chosen = []
    for q, row in enumerate(rows):
        known = [j for j, c in enumerate(data.quasi) if c.codes[row] >= 0] or [0]
        column[q] = known[int(rng.integers(len(known)))]
        low[q], high[q] = _around(data.quasi[column[q]], int(row))
        basket = t.items[t.offsets[row] : t.offsets[row + 1]]
        chosen.append(np.sort(rng.permutation(basket)[: 1 + q % most_items]))
    offsets = np.concatenate([[0], np.cumsum([len(items) for items in chosen])]).astype(np.int64)
    asked = Asked(column, low, high, offsets, np.concatenate([*chosen, np.zeros(0, np.int32)]), np.zeros(len(rows)))
    return asked._replace(actual=_counts(data, asked))


def _around(column: Column, row: int) -> tuple[float, float]:
    code = int(column.codes[row])
    if column.values is None or code < 0:
        return code, code
    half = WIDTH / 2 * (column.span[1] - column.span[0])
    return float(column.values[code]) - half, float(column.values[code]) + half


def _counts(data: Dataset, asked: Asked) -> Reals:
    """How many records each query counts."""
    t = data.linkable
    owner = np.repeat(np.arange(len(t)), t.lengths)
    order = np.argsort(t.items, kind="stable")
    starts = np.searchsorted(t.items[order], np.arange(len(t.domain) + 1))
    found = np.zeros(asked.n)
    for q in range(asked.n):
        column = data.quasi[asked.column[q]]
        value = column.codes if column.values is None else np.append(column.values, np.nan)[column.codes]
        fits = np.zeros(len(t), np.int64)
        for i in asked.items[asked.offsets[q] : asked.offsets[q + 1]]:
            fits[owner[order[starts[i] : starts[i + 1]]]] += 1
        there = np.flatnonzero(fits == asked.offsets[q + 1] - asked.offsets[q])
        found[q] = ((value[there] >= asked.low[q]) & (value[there] <= asked.high[q])).sum()
    return found


def shares(data: Dataset, asked: Asked, clusters: Sequence[Rows], recoding: str) -> Reals:
    """For each cluster and query the share of what its records publish in the asked column that is wanted."""
    rows = np.concatenate(clusters)
    groups = np.repeat(np.arange(len(clusters)), [len(one) for one in clusters])
    first = np.concatenate([[0], np.cumsum([len(one) for one in clusters])])[:-1]
    found = np.zeros((len(clusters), asked.n))
    for j, column in enumerate(data.quasi):
        queries = np.flatnonzero(asked.column == j)
        if len(queries):
            shown = generalize_column(column.take(rows), column, groups, recoding=recoding)
            by_label = _label_shares(column, shown, asked.low[queries], asked.high[queries])
            found[:, queries] = by_label[shown.codes[first]]
    return found


def _label_shares(column: Column, shown: PublishedColumn, low: Reals, high: Reals) -> Reals:
    """For each label (and last, for no value) and query the share of what the label stands for that is wanted."""
    labels = shown.labels
    if isinstance(labels, Ranges):
        return np.vstack([_overlaps(column, labels, low, high), np.zeros((1, len(low)))])
    found = np.zeros((len(labels.sizes) + 1, len(low)))
    owner = np.repeat(np.arange(len(labels.sizes)), labels.sizes)
    of_code: dict[int, list[int]] = {}
    for q, code in enumerate(low):
        of_code.setdefault(int(code), []).append(q)
    for label, code in zip(owner, labels.members, strict=True):
        for q in of_code.get(int(code), ()):
            found[label, q] = 1.0 / labels.sizes[label]
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
