"""Which published label stands for an original item."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def standing_labels(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    rows: NDArray[np.int64],
    shown_offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    label_offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    d: int,
) -> NDArray[np.int32]:
    """Return for each original occurrence the smallest label of its published record that stands for it.

    -1 where no label of the record does, -2 where the record itself was not published. members[q] are original items.
    """
    standing = np.full(len(items), -2, np.int32)
    place = np.full(d, -1, np.int64)
    for r in range(len(rows)):
        row = rows[r]
        for p in range(offsets[row], offsets[row + 1]):
            place[items[p]] = p
            standing[p] = -1
        for q in range(shown_offsets[r], shown_offsets[r + 1]):
            label = shown[q]
            size = label_offsets[label + 1] - label_offsets[label]
            for s in range(label_offsets[label], label_offsets[label + 1]):
                p = place[members[s]] if members[s] >= 0 else -1
                if p >= 0:
                    old = standing[p]
                    if old < 0 or size < label_offsets[old + 1] - label_offsets[old]:
                        standing[p] = label
        for p in range(offsets[row], offsets[row + 1]):
            place[items[p]] = -1
    return standing
