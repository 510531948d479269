"""Expected counts of item queries on generalized records."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def item_query_shares(
    wanted: NDArray[np.int32],
    item_offsets: NDArray[np.int64],
    item_labels: NDArray[np.int32],
    label_offsets: NDArray[np.int64],
    label_records: NDArray[np.int64],
    sizes: NDArray[np.int64],
    covered: NDArray[np.int64],
    chosen: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the records that show a label for every wanted item, and how likely each holds them all.

    The labels of item i are item_labels[item_offsets[i] : item_offsets[i + 1]], the records of label a likewise. q wanted items
    behind one label of n count 2^(n-q) / (2^n - 1). `covered` (n,) must be 0 and is 0 again after; `chosen` (n, items) is
    scratch.
    """
    found = np.empty(0, np.int64)
    for t in range(len(wanted)):
        reached = np.int64(0)
        i = wanted[t]
        room = 0
        for s in range(item_offsets[i], item_offsets[i + 1]):
            room += label_offsets[item_labels[s] + 1] - label_offsets[item_labels[s]]
        hits = np.empty(room, np.int64)
        for s in range(item_offsets[i], item_offsets[i + 1]):
            label = item_labels[s]
            for p in range(label_offsets[label], label_offsets[label + 1]):
                r = label_records[p]
                if covered[r] == t:
                    covered[r] = t + 1
                    chosen[r, t] = label
                    hits[reached] = r
                    reached += 1
                elif covered[r] == t + 1 and sizes[label] < sizes[chosen[r, t]]:
                    chosen[r, t] = label
        for r in found:
            if covered[r] == t:
                covered[r] = 0
        found = hits[:reached]
    shares = np.empty(len(found), np.float64)
    for h in range(len(found)):
        r = found[h]
        covered[r] = 0
        share = 1.0
        for t in range(len(wanted)):
            label, q = chosen[r, t], 0
            first = True
            for u in range(len(wanted)):
                if chosen[r, u] == label:
                    q += 1
                    first = first and u >= t
            if first:
                n = float(sizes[label])
                share *= 2.0**-q / (1.0 - 2.0**-n)
        shares[h] = share
    return found, shares
