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
    signs: NDArray[np.uint64],
    holders: tuple[Rows, Rows],
    codes: NDArray[np.int32],
    labels: NDArray[np.int32],
    covers: NDArray[np.bool_],
    rows: tuple[int, int],
) -> Rows:
    """Return for each original record from rows[0] to rows[1] - 1 the number of published ones it matches.

    A set matches a published one when it differs from the base in at most `threshold` items, all of them in the distance. The
    records with item i in base or distance are holders[1][holders[0][i] : holders[0][i + 1]]: of a set with items only those of
    its rarest item are looked at, and of these only those whose signature (`signatures`) does not speak against it. In column c
    the value codes[r, c] (one more than the code; 0 missing) must be covered by the label labels[p, c] (likewise):
    covers[c, label, code].
    """
    first, last = rows
    found, mine = np.zeros(last - first, np.int64), np.zeros(len(holders[0]) - 1, np.bool_)
    everybody = np.arange(len(threshold))
    for r in range(first, last):
        items = true[1][true[0][r] : true[0][r + 1]]
        candidates, sign = everybody, np.uint64(0)
        for i in items:
            mine[i] = True
            sign |= _sign(i)
            if holders[0][i + 1] - holders[0][i] < len(candidates):
                candidates = holders[1][holders[0][i] : holders[0][i + 1]]
        for q in range(len(candidates)):
            p = int(candidates[q])
            if (sign & ~signs[p, 0]) | (signs[p, 1] & ~sign):
                continue
            if _matches(len(items), p, base, distance, threshold, mine) and _covered(r, p, codes, labels, covers):
                found[r - first] += 1
        for i in items:
            mine[i] = False
    return found


@njit(cache=True, nogil=True)
def signatures(base: tuple[Rows, Entries], distance: tuple[Rows, Entries]) -> NDArray[np.uint64]:
    """Return for each published record a bit for every item it may hold, and one for every item it surely holds."""
    n = len(base[0]) - 1
    signs = np.zeros((n, 2), np.uint64)
    for p in range(n):
        s = distance[0][p]
        for q in range(base[0][p], base[0][p + 1]):
            i = base[1][q]
            signs[p, 0] |= _sign(i)
            while s < distance[0][p + 1] and distance[1][s] < i:
                s += 1
            if s == distance[0][p + 1] or distance[1][s] != i:
                signs[p, 1] |= _sign(i)
        for s in range(distance[0][p], distance[0][p + 1]):
            signs[p, 0] |= _sign(distance[1][s])
    return signs


@njit(cache=True, nogil=True)
def _sign(item: int) -> int:
    """One of 64 bits; several items share it."""
    return np.uint64(1) << np.uint64(item % 64)


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
