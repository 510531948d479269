"""Which items are shown no lower than at a node, so that one of n is about right for those of its items that are frequent."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ids = NDArray[np.int32]
Longs = NDArray[np.int64]
Reals = NDArray[np.float64]

PRICE = 0.25  # how many wrong counts it takes to make up for an occurrence that was exact
SAME = 1e-9  # differences up to this are rounding


@njit(cache=True, nogil=True)
def lowest_nodes(paths: Ids, held: Reals, supports: Longs, low: Ids, high: Ids, sizes: Ids, least: float) -> Ids:
    """The lowest node that each item is shown as; paths[s, i] is the node s steps above item i, -1 above the root.

    held[s, i] is how often item i stands there now, and changes. A node takes all that stands below it where the counts of
    items with `least` occurrences, by reading a label of n items as 1/n of each, gain more than that costs.
    """
    d, shares = held.shape[1], np.zeros(len(sizes))  # what a node adds to the count of each of its items
    lowest = np.arange(d).astype(np.int32)
    for s in range(len(paths)):
        for i in range(d):
            if paths[s, i] >= 0:
                shares[paths[s, i]] += held[s, i] / sizes[paths[s, i]]
    for v in range(d, len(sizes) - 1):  # all but the root, from below
        total, cost, n = 0.0, 0.0, sizes[v]
        for i in range(low[v], high[v]):
            for s in range(_step(paths, i, v)):
                total += held[s, i]
                cost += held[s, i] * (1.0 / sizes[paths[s, i]] - 1.0 / n)
        gain = 0.0
        for i in range(low[v], high[v]):
            if supports[i] >= least:
                step, count, below = _step(paths, i, v), 0.0, 0.0
                for s in range(len(paths)):
                    if paths[s, i] >= 0:
                        count += shares[paths[s, i]]
                        below += shares[paths[s, i]] if s < step else 0.0
                gain += abs(count - supports[i]) - abs(count - below + total / n - supports[i])
        if gain > PRICE * cost + SAME:
            for i in range(low[v], high[v]):
                step, lowest[i] = _step(paths, i, v), v
                for s in range(step):
                    held[step, i] += held[s, i]
                    held[s, i] = shares[paths[s, i]] = 0.0
            shares[v] += total / n
    return lowest


@njit(cache=True, nogil=True)
def _step(paths: Ids, i: int, v: int) -> int:
    """How many steps node v is above item i; 0 where it is on no way up, as another one stands for the same items."""
    for s in range(len(paths)):
        if paths[s, i] == v:
            return s
    return 0
