"""How many published records with uncertain items an original record matches ([004])."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Entries = NDArray[np.int32]


@njit(cache=True, nogil=True)
def matching_records(
    true: tuple[Rows, Entries],
    base: tuple[Rows, Entries],
    distance: tuple[Rows, Entries],
    threshold: Entries,
    holders: tuple[Rows, Rows],
    codes: NDArray[np.int32],
    labels: NDArray[np.int32],
    covers: NDArray[np.bool_],
) -> Rows:
    """Return for each original record the number of published ones it matches.

    A set matches a published one when it differs from the base in at most `threshold` items, all of them in the distance. The
    records with item i in base or distance are holders[1][holders[0][i] : holders[0][i + 1]]: of a set with items only those of
    its rarest item are looked at. In column c the value codes[r, c] (one more than the code; 0 missing) must be covered by the
    label labels[p, c] (likewise): covers[c, label, code].
    """
    n, m = len(true[0]) - 1, len(threshold)
    found, mine = np.zeros(n, np.int64), np.zeros(len(holders[0]) - 1, np.bool_)
    everybody = np.arange(m)
    for r in range(n):
        items = true[1][true[0][r] : true[0][r + 1]]
        candidates = everybody
        for i in items:
            mine[i] = True
            if holders[0][i + 1] - holders[0][i] < len(candidates):
                candidates = holders[1][holders[0][i] : holders[0][i + 1]]
        for q in range(len(candidates)):
            p = int(candidates[q])
            if _matches(len(items), p, base, distance, threshold, mine) and _covered(r, p, codes, labels, covers):
                found[r] += 1
        for i in items:
            mine[i] = False
    return found


@njit(cache=True, nogil=True)
def _matches(
    size: int,
    p: int,
    base: tuple[Rows, Entries],
    distance: tuple[Rows, Entries],
    threshold: Entries,
    mine: NDArray[np.bool_],
) -> bool:
    """Whether a set of so many items differs from base p in few enough, all of them uncertain."""
    first, last = base[0][p], base[0][p + 1]
    different = size + last - first
    if abs(size - (last - first)) > threshold[p]:
        return False
    for q in range(first, last):
        different -= 2 * mine[base[1][q]]
    if different > threshold[p]:
        return False
    explained, q = 0, first
    for s in range(distance[0][p], distance[0][p + 1]):
        i = distance[1][s]
        while q < last and base[1][q] < i:
            q += 1
        explained += (q < last and base[1][q] == i) != mine[i]
    return explained == different


@njit(cache=True, nogil=True)
def _covered(r: int, p: int, codes: NDArray[np.int32], labels: NDArray[np.int32], covers: NDArray[np.bool_]) -> bool:
    covered = True
    for c in range(codes.shape[1]):
        covered = covered and covers[c, labels[p, c], codes[r, c]]
    return covered
