"""Replace the entries of records by labels, with set semantics."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def collapse(offsets: NDArray[np.int64], labels: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the records with each entry p replaced by labels[p], ascending, without repeats; -1 drops an entry."""
    n = len(offsets) - 1
    starts = np.zeros(n + 1, np.int64)
    shown = np.empty(len(labels), np.int32)
    end = 0
    for r in range(n):
        begin = end
        row = np.sort(labels[offsets[r] : offsets[r + 1]])
        for label in row:
            if label >= 0 and (end == begin or shown[end - 1] != label):
                shown[end] = label
                end += 1
        starts[r + 1] = end
    return starts, shown[:end].copy()
