"""Flat arrays: their types, longer copies of them, sorting a stretch in place, and counting the bits of a word."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]  # of 64 bits each
Numbers = NDArray[Any]  # Ints or Longs

SHORT = 32  # entries: shorter stretches are sorted by comparing neighbours alone


@njit(cache=True, nogil=True)
def with_room(values: Numbers, n: int) -> Numbers:
    """Return the array, or a copy at least twice as long with room for n entries."""
    if n <= len(values):
        return values
    longer = np.empty(max(n, 2 * len(values)), values.dtype)
    for p in range(len(values)):
        longer[p] = values[p]
    return longer


@njit(cache=True, nogil=True, inline="always")
def sort_stretch(values: Numbers, begin: int, end: int) -> None:
    """Sort values[begin:end] in place (Shell sort): entries far apart first, then nearer ones, neighbours last.

    Not `np.sort`, which compiles for seconds and allocates a copy for each record.
    """
    step = 1
    while SHORT * step < end - begin:
        step = 3 * step + 1
    while step > 0:
        for p in range(begin + step, end):
            value = values[p]
            q = p
            while q >= begin + step and values[q - step] > value:
                values[q] = values[q - step]
                q -= step
            values[q] = value
        step //= 3


@njit(cache=True, nogil=True, inline="always")
def bit_count(word: int) -> int:
    """Return how many bits of an unsigned word are set: summed in pairs, in fours, in bytes, and the bytes added up."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(word % np.uint64(255))  # 256 leaves 1, so what is left is the sum of the bytes
