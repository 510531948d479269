"""Which label of its record stands for each item, with none of the labels left over."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Ids = NDArray[np.int32]


@njit(cache=True, nogil=True)
def assigned_labels(
    offsets: Offsets, items: Ids, shown_offsets: Offsets, shown: Ids, label_offsets: Offsets, members: Ids, d: int
) -> Ids:
    """Return for each occurrence a label that its record shows and that stands for it, so that every label stands for some.

    Of any two labels of a record one contains the other, or they share nothing. The smallest comes first and takes an item that
    has no label yet; any will do, since the larger ones have them all, too. Other items get the smallest label there is.
    """
    found = np.full(len(items), -1, np.int32)
    place = np.full(d, -1, np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            place[items[p]] = p
        row = shown[shown_offsets[r] : shown_offsets[r + 1]].astype(np.int64)
        row = np.sort(((label_offsets[row + 1] - label_offsets[row]) << 32) | row) & 0xFFFFFFFF
        for everyone in (False, True):
            for label in row:
                for q in range(label_offsets[label], label_offsets[label + 1]):
                    p = place[members[q]]
                    if p >= 0 and found[p] < 0:
                        found[p] = label
                        if not everyone:
                            break
        for p in range(offsets[r], offsets[r + 1]):
            place[items[p]] = -1
    return found
