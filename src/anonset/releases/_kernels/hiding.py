"""How many records may hide an item behind a label."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs


@njit(cache=True, nogil=True)
def hiding_records(
    offsets: Longs,
    shown: Ints,
    label_offsets: Longs,
    members: Ints,
    d: int,
) -> Longs:
    """Return for each item the number of records that show a larger label for it and do not show it exactly.

    members[label_offsets[a] : label_offsets[a + 1]] are the items of label a; an item below 0 is nobody's.
    """
    hiding = np.zeros(d, np.int64)
    counted = np.full(d, -1, np.int64)  # the last record that was counted for an item, or that shows it exactly
    for r in range(len(offsets) - 1):
        for exact in (True, False):
            for p in range(offsets[r], offsets[r + 1]):
                begin, end = label_offsets[shown[p]], label_offsets[shown[p] + 1]
                if (end - begin == 1) != exact:
                    continue
                for s in range(begin, end):
                    i = members[s]
                    if i >= 0 and counted[i] != r:
                        counted[i] = r
                        hiding[i] += not exact
    return hiding
