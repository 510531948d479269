"""Group records whose values were replaced by nodes."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs

LAST_BITS = 2**40 - 1  # of a hash: times a million it still fits into 64 bits


@njit(cache=True, nogil=True)
def group_rows(codes: Ints, maps: Ints, first: Longs) -> tuple[Longs, int]:
    """Return the group 0, 1, ... of each row, and their number: rows are alike when all their values map to the same nodes.

    Value codes[r, j] maps to maps[first[j] + codes[r, j]]. Exact: rows that share a hash are compared.
    """
    n, v = codes.shape
    size = 16
    while size < 2 * n:
        size *= 2
    table = np.full(size, -1, np.int64)  # a row of the group that lives here
    group = np.empty(n, np.int64)
    row, count = np.empty(v, np.int32), 0
    for r in range(n):
        mixed = 0
        for j in range(v):
            row[j] = maps[first[j] + codes[r, j]]
            mixed = ((mixed * 1_000_003) ^ np.int64(row[j])) & LAST_BITS
        p = (mixed ^ (mixed >> 17)) & (size - 1)
        while True:
            other = table[p]
            if other < 0:
                table[p] = r
                group[r] = count
                count += 1
                break
            alike = True
            for j in range(v):
                if maps[first[j] + codes[other, j]] != row[j]:
                    alike = False
                    break
            if alike:
                group[r] = group[other]
                break
            p = (p + 1) & (size - 1)
    return group, count
