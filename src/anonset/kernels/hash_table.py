"""Hash tables with open addressing for whole numbers from 0 to 2^62: their size is a power of two, keys are compared whole."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Longs

FREE = np.int64(-1)  # no key
LOW = np.int64(0x7FFFFFFF)
GOLDEN = np.int64(0x9E3779B9)  # its product with LOW fits into 63 bits: the same compiled or not


@njit(cache=True, nogil=True, inline="always")
def scattered(key: int) -> int:
    """Return a number whose bits from the 16th on depend on all bits of the key."""
    return ((key ^ (key >> 31)) & LOW) * GOLDEN


@njit(cache=True, nogil=True)
def place_of(key: int, keys: Longs) -> int:
    """Return where the key is in a table of keys, or the free place where it goes."""
    mask = len(keys) - 1
    at = (scattered(key) >> 16) & mask
    while keys[at] != key and keys[at] != FREE:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def cell_of(key: int, cells: Longs) -> int:
    """Return the even place where the key is, or goes, in a table that has the count of each key behind it."""
    mask = len(cells) - 2
    at = (scattered(key) >> 24) & mask
    while cells[at] != key and cells[at] != FREE:
        at = (at + 2) & mask
    return at
