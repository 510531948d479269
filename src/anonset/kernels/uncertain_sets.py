"""Uncertain item sets ([004]) in one list a record: the items of its base and those that may be wrong, and which is which."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from anonset.kernels.arrays import Ints, Longs

Marks = NDArray[np.int8]

CERTAIN, DOUBTED, POSSIBLE = 1, 2, 3  # in the base; in the base but perhaps wrong; not in the base but perhaps wrong


@njit(cache=True, nogil=True)
def merged_items(base: tuple[Longs, Ints], distance: tuple[Longs, Ints]) -> tuple[Longs, Ints, Marks]:
    """Return for each published record the items of its base and its distance, ascending, and how certain each is."""
    n, most = len(base[0]) - 1, len(base[1]) + len(distance[1])
    starts, items, marks = np.zeros(n + 1, np.int64), np.empty(most, np.int32), np.empty(most, np.int8)
    end = 0
    for p in range(n):
        b, b_end = base[0][p], base[0][p + 1]
        s, s_end = distance[0][p], distance[0][p + 1]
        while b < b_end or s < s_end:
            in_base = b < b_end and (s == s_end or base[1][b] <= distance[1][s])
            unsure = s < s_end and (b == b_end or distance[1][s] <= base[1][b])
            items[end] = base[1][b] if in_base else distance[1][s]
            marks[end] = POSSIBLE if not in_base else DOUBTED if unsure else CERTAIN
            b, s, end = b + in_base, s + unsure, end + 1
        starts[p + 1] = end
    return starts, items[:end], marks[:end]
