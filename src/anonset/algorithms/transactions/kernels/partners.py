"""With which other item of its record an occurrence is rarest."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def rarest_partners(
    offsets: NDArray[np.int64], items: NDArray[np.int32], wanted: NDArray[np.bool_], told: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return for each wanted occurrence of the items to tell of the item of its record that fewest records hold beside it.

    And how many do. The partner is -1 for occurrences that are alone in their record, which count as in all records of their
    item, and for others than the wanted ones.
    """
    d = len(told)
    partner, support = np.full(len(items), -1, np.int32), np.zeros(len(items), np.int64)
    record, starts, places = _by_item(offsets, items, d)
    together, touched = np.zeros(d, np.int64), np.empty(d, np.int32)
    for i in np.flatnonzero(told):
        n = 0
        for s in range(starts[i], starts[i + 1]):
            for q in range(offsets[record[s]], offsets[record[s] + 1]):
                if together[items[q]] == 0:
                    touched[n] = items[q]
                    n += 1
                together[items[q]] += 1
        for s in range(starts[i], starts[i + 1]):
            p = places[s]
            if wanted[p]:
                support[p] = together[i]
                for q in range(offsets[record[s]], offsets[record[s] + 1]):
                    if q != p and (partner[p] < 0 or together[items[q]] < support[p]):
                        partner[p], support[p] = items[q], together[items[q]]
        for t in range(n):
            together[touched[t]] = 0
    return partner, support


@njit(cache=True, nogil=True)
def _by_item(
    offsets: NDArray[np.int64], items: NDArray[np.int32], d: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The records and the places of each item i, from starts[i] on."""
    starts = np.zeros(d + 1, np.int64)
    for i in items:
        starts[i + 1] += 1
    for i in range(d):
        starts[i + 1] += starts[i]
    free = starts[:-1].copy()
    record, places = np.empty(len(items), np.int64), np.empty(len(items), np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            record[free[items[p]]], places[free[items[p]]] = r, p
            free[items[p]] += 1
    return record, starts, places
