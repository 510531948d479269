"""Utility loss of records by the sizes of their labels ([000] section 5)."""

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
    lost, general = 0.0, 0
    for r in range(len(offsets) - 1):
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
