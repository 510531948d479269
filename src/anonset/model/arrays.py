"""The array shapes that all values share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.errors import InputError

Offsets = NDArray[np.int64]  # (n + 1,) starts at 0, ends at the number of entries, never falls
Ids = NDArray[np.int32]  # codes of values, items, labels or nodes
Rows = NDArray[np.int64]  # (n,) rows of the input
Mask = NDArray[np.bool_]
Reals = NDArray[np.float64]


def freeze(*arrays: NDArray[Any] | None) -> None:
    """Make arrays read-only for ever."""
    for array in arrays:
        if array is not None:
            array.setflags(write=False)


def check_rows_of_sets(offsets: Offsets, entries: Ids, d: int, *, what: str) -> None:
    """Raise unless (offsets, entries) holds ascending sets without repeats of values in 0..d-1."""
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(entries) or (np.diff(offsets) < 0).any():
        raise InputError(f"offsets of {what} must start at 0, never fall and end at the number of entries")
    if len(entries) == 0:
        return
    if entries.min() < 0 or entries.max() >= d:
        raise InputError(f"{what} must be numbers from 0 to {d - 1}")
    rising = np.diff(entries) > 0
    starts = offsets[1:-1]
    starts = starts[(starts > 0) & (starts < len(entries))]
    rising[starts - 1] = True
    if not rising.all():
        raise InputError(f"{what} of a record must ascend without repeats")
