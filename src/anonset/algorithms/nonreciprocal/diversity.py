"""Sensitive labels: which record has which, whether they can be kept l-diverse, and an order that keeps equal ones apart."""

from typing import NamedTuple

import numpy as np

from anonset.algorithms.nonreciprocal.kernels.spacing import spread
from anonset.algorithms.nonreciprocal.rings import refuse_large
from anonset.errors import InfeasibleError, InputError
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset


class RecordLabels(NamedTuple):
    """The label of each record, from 0 to n_labels - 1, and what they are the values of."""

    codes: Ids
    n_labels: int
    column: str = ""


def sensitive_labels(data: Dataset) -> RecordLabels:
    """The values of the one sensitive column; a missing value is a label too."""
    columns = data.with_role("sensitive")
    if len(columns) != 1:
        names = ", ".join(column.name for column in columns) or "none"
        raise InputError(f"this needs exactly one sensitive column; there are {len(columns)}: {names}")
    used, codes = np.unique(columns[0].codes, return_inverse=True)
    return RecordLabels(codes.astype(np.int32), len(used), columns[0].name)


def all_different(n: int) -> RecordLabels:
    """A label of its own for each of n records."""
    return RecordLabels(np.arange(n, dtype=np.int32), n)


def refuse_ineligible(labels: RecordLabels, l: int) -> None:  # noqa: E741 - the papers' letter
    """Raise where some label is in more than 1/l of the records."""
    n = len(labels.codes)
    refuse_large("l", l, n)
    most = int(np.bincount(labels.codes).max())
    if most * l > n:
        raise InfeasibleError(
            f"the most frequent value of {labels.column!r} is in {most} of {n} records, more than 1/{l}; "
            f"l can be at most {n // most}"
        )


def spread_rows(rows: Rows, labels: RecordLabels, spacing: int) -> Rows:
    """The cyclic order with as little moved as needed to keep equal labels `spacing` places apart."""
    places, placed = spread(labels.codes[rows], labels.n_labels, spacing)
    if not placed:
        raise InfeasibleError(f"no order was found that keeps equal values of {labels.column!r} {spacing} records apart")
    return rows[places]
