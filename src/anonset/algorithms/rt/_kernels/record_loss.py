"""Utility loss of records by the sizes of their labels ([000] section 5), of one cluster or of many."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def summed_loss(
    offsets: NDArray[np.int64], shown: NDArray[np.int32], sizes: NDArray[np.int64], exact_weight: float
) -> tuple[float, int]:
    """Return UL summed over records, and how many labels with more than one member are shown.

    UL(r) = sum(2^size - 1) / (2^(sum of sizes) - 1); a label of size 0 (a sensitive item) does not count. No power overflows:
    (2^a - 1) / (2^b - 1) = 2^(a - b) * (1 - 2^-a) / (1 - 2^-b).
    """
    return _summed(offsets, shown, sizes, exact_weight, int(np.int64(0)), len(offsets) - 1)


@njit(cache=True, nogil=True)
def summed_losses(
    bounds: NDArray[np.int64],
    offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    sizes: NDArray[np.int64],
    exact_weight: float,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the same for each cluster: the records bounds[c] .. bounds[c + 1] - 1."""
    n = len(bounds) - 1
    lost, general = np.empty(n), np.empty(n, np.int64)
    for c in range(n):
        lost[c], general[c] = _summed(offsets, shown, sizes, exact_weight, bounds[c], bounds[c + 1])
    return lost, general


@njit(cache=True, nogil=True)
def own_offsets(bounds: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the offsets of each cluster as they are on its own, from 0 on, one cluster after the other."""
    own, p = np.empty(len(offsets) + len(bounds) - 2, np.int64), 0
    for c in range(len(bounds) - 1):
        for r in range(bounds[c], bounds[c + 1] + 1):
            own[p] = offsets[r] - offsets[bounds[c]]
            p += 1
    return own


@njit(cache=True, nogil=True)
def _summed(
    offsets: NDArray[np.int64], shown: NDArray[np.int32], sizes: NDArray[np.int64], exact_weight: float, first: int, last: int
) -> tuple[float, int]:
    lost, general = 0.0, 0
    for r in range(first, last):
        sigma = 0
        for p in range(offsets[r], offsets[r + 1]):
            sigma += sizes[shown[p]]
        for p in range(offsets[r], offsets[r + 1]):
            size = sizes[shown[p]]
            if size == 1:
                lost += exact_weight * 2.0 ** (1 - sigma) * 0.5 / (1.0 - 2.0**-sigma)
            elif size > 1:
                lost += 2.0 ** (size - sigma) * (1.0 - 2.0**-size) / (1.0 - 2.0**-sigma)
                general += 1
    return lost, general
