"""Replace the entries of records by labels, with set semantics."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

SHORT = 32  # records up to this length are sorted by insertion


@njit(cache=True, nogil=True)
def collapse(offsets: NDArray[np.int64], labels: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the records with each entry p replaced by labels[p], ascending, without repeats; -1 drops an entry."""
    n = len(offsets) - 1
    starts = np.zeros(n + 1, np.int64)
    shown = np.empty(len(labels), np.int32)
    end = 0
    for r in range(n):
        begin = end
        row = labels[offsets[r] : offsets[r + 1]]
        if len(row) > SHORT:
            for label in np.sort(row):
                if label >= 0 and (end == begin or shown[end - 1] != label):
                    shown[end] = label
                    end += 1
        else:
            end = _insert(row, shown, begin)
        starts[r + 1] = end
    return starts, shown[:end].copy()


@njit(cache=True, nogil=True)
def _insert(row: NDArray[np.int32], shown: NDArray[np.int32], begin: int) -> int:
    """Write the labels of a row from `begin` on, ascending, without repeats; return where they end."""
    end = begin
    for label in row:
        p = end
        while p > begin and shown[p - 1] > label:
            p -= 1
        if label < 0 or (p > begin and shown[p - 1] == label):
            continue
        for q in range(end, p, -1):
            shown[q] = shown[q - 1]
        shown[p] = label
        end += 1
    return end
