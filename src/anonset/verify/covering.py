"""Whether published cells stand for original values."""

import numpy as np

from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.columns import Column
from anonset.model.labels import Labels, PublishedColumn, Ranges
from anonset.verify.sets import is_among


def covers(column: Column, published: PublishedColumn, originals: Rows, records: Rows) -> Mask:
    """Whether the cell of published record records[e] stands for the value of original record originals[e], for every e.

    A missing value is covered by a missing one and by a label for anything.
    """
    codes, shown = column.codes[originals], published.codes[records]
    answers: Mask = (codes < 0) & (shown < 0)
    both, hidden = np.flatnonzero((codes >= 0) & (shown >= 0)), np.flatnonzero((codes < 0) & (shown >= 0))
    answers[both] = _covers_value(column, published.labels, codes[both], shown[both])
    answers[hidden] = _anything(column, published.labels)[shown[hidden]]
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


def _anything(column: Column, labels: Labels | Ranges) -> Mask:
    """Which labels stand for the whole domain, or for the whole range that occurs."""
    whole: Mask
    if isinstance(labels, Labels):
        whole = labels.sizes == len(column.domain)
    else:
        low, high = column.span if column.values is not None else (-np.inf, np.inf)
        whole = (labels.low <= low) & (high <= labels.high)
    return whole
