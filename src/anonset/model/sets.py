"""Sets of codes, row after row in one array: row r holds members[offsets[r] : offsets[r + 1]]."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anonset.model.arrays import Ids, Mask, Offsets, Rows

Sets = tuple[Offsets, Ids]


def offsets_of(lengths: ArrayLike) -> Offsets:
    """Where each row of these lengths begins and, at the end, where the last one stops."""
    lengths = np.asarray(lengths)
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, dtype=np.int64, out=offsets[1:])
    return offsets


def offsets_of_rows(row: NDArray[np.integer[Any]], n: int) -> Offsets:
    """The offsets of n rows whose members, in the order of rows, belong to row[0], row[1], ..."""
    return offsets_of(np.bincount(row, minlength=n))


def rows_of(offsets: Offsets) -> Rows:
    """The row that each member belongs to."""
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))


def sets_of(rows: Sequence[Sequence[int] | NDArray[np.integer[Any]]]) -> Sets:
    """The rows one after the other."""
    members = np.concatenate([*rows, np.zeros(0, np.int32)]).astype(np.int32, copy=False)
    return offsets_of([len(row) for row in rows]), members


def take(offsets: Offsets, members: Ids, rows: Rows | Mask) -> Sets:
    """The given rows, in the given order; or those where a mask is true."""
    which = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    starts = offsets[which]
    lengths = offsets[which + 1] - starts  # not those of all rows: a few of many are taken, often
    taken = offsets_of(lengths)
    return taken, members[np.repeat(starts - taken[:-1], lengths) + np.arange(taken[-1])]


def filter_members(offsets: Offsets, members: Ids, kept: Mask) -> Sets:
    """The same rows with only the members where the mask is true."""
    return offsets_of(kept)[offsets], members[kept]
