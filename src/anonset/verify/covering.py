"""Whether published cells stand for original values."""

import numpy as np

from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.columns import Column
from anonset.model.labels import Labels, PublishedColumn, Ranges
from anonset.verify.sets import is_among


def covers(column: Column, published: PublishedColumn, originals: Rows, records: Rows, among: Rows | None = None) -> Mask:
    """Whether the cell of published record records[e] stands for the value of original record originals[e], for every e.

    A missing value is covered by a missing one and by a label for anything: for all values of the records `among` which it is
    (all records where it is not said), or for all leaves of a hierarchy that everybody knows.
    """
    codes, shown = column.codes[originals], published.codes[records]
    answers: Mask = (codes < 0) & (shown < 0)
    both, hidden = np.flatnonzero((codes >= 0) & (shown >= 0)), np.flatnonzero((codes < 0) & (shown >= 0))
    answers[both] = _covers_value(column, published.labels, codes[both], shown[both])
    answers[hidden] = _anything(column, published.labels, among)[shown[hidden]]
    return answers


def is_exact(published: PublishedColumn) -> Mask:
    """Which cells show one value only, or that there is none."""
    labels = published.labels
    single: Mask = labels.low == labels.high if isinstance(labels, Ranges) else labels.sizes == 1
    return np.append(single, True)[published.codes]


def _covers_value(column: Column, labels: Labels | Ranges, codes: Ids, shown: Ids) -> Mask:
    """Whether each label stands for the value, and for nothing that is no value of the column."""
    if isinstance(labels, Ranges):
        if column.values is None:
            return np.zeros(len(codes), np.bool_)
        inside: Mask = (labels.low[shown] <= column.values[codes]) & (column.values[codes] <= labels.high[shown])
        return inside
    known = np.ones(len(labels), np.bool_)
    owners = np.repeat(np.arange(len(labels)), labels.sizes)
    known[owners[labels.members >= len(column.domain)]] = False
    d = max(len(column.domain), int(labels.members.max(initial=0)) + 1)
    return known[shown] & is_among(shown.astype(np.int64) * d + codes, owners * d + labels.members)


def _anything(column: Column, labels: Labels | Ranges, among: Rows | None) -> Mask:
    """Which labels stand for every value there is to stand for."""
    codes = column.codes if among is None else column.codes[among]
    held = np.unique(codes[codes >= 0])
    if isinstance(labels, Ranges):
        if column.values is None or len(held) == 0:
            return np.ones(len(labels), np.bool_)
        numbers = column.values[held]
        whole: Mask = (labels.low <= numbers.min()) & (numbers.max() <= labels.high)
        return whole
    if column.hierarchy is not None and not column.hierarchy.derived:
        held = np.arange(len(column.domain), dtype=np.int32)
    wanted = np.zeros(max(len(column.domain), int(labels.members.max(initial=-1)) + 1), np.bool_)
    wanted[held] = True
    owners = np.repeat(np.arange(len(labels)), labels.sizes)
    all_of_them: Mask = np.bincount(owners[wanted[labels.members]], minlength=len(labels)) == len(held)
    return all_of_them
