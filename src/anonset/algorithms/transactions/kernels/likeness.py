"""How records differ from their neighbours in an order."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def first_differences(
    offsets: NDArray[np.int64], items: NDArray[np.int32], order: NDArray[np.int64], d: int
) -> NDArray[np.int64]:
    """Return, for each neighbouring pair of the order, the smallest item that only one of the two holds; d where none is."""
    found = np.full(max(0, len(order) - 1), d, np.int64)
    for place in range(len(order) - 1):
        a, b = order[place], order[place + 1]
        p, q = offsets[a], offsets[b]
        while p < offsets[a + 1] and q < offsets[b + 1] and items[p] == items[q]:
            p, q = p + 1, q + 1
        if p < offsets[a + 1]:
            found[place] = items[p]
        if q < offsets[b + 1]:
            found[place] = min(found[place], items[q])
    return found
