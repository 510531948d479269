"""How many published records with uncertain items an original record matches ([004])."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs
from anonset.kernels.uncertain_sets import CERTAIN, DOUBTED, POSSIBLE, Marks


@njit(cache=True, nogil=True)
def matching_records(
    true: tuple[Longs, Ints],
    shown: tuple[Longs, Ints, Marks],
    threshold: Ints,
    holders: tuple[Longs, Longs],
    rarest: tuple[Longs, Longs],
    codes: Ints,
    labels: Ints,
    covers: Flags,
    some: tuple[int, int],
) -> Longs:
    """Return for each original record whose rarest item is one from some[0] to some[1] - 1 how many published ones it matches.

    A set matches a published one when it differs from the base in at most `threshold` items, all of them in the distance. The
    published records that show item i are holders[1][holders[0][i] : holders[0][i + 1]], the originals of which it is the
    rarest rarest[1][rarest[0][i] : rarest[0][i + 1]]; behind the last item there are those of no item. Each published record
    meets, of the originals with that item, only those whose second rarest item it shows too. In column c the value codes[r, c]
    (one more than the code; 0 missing) must be covered by the label labels[p, c] (likewise): covers[c, label, code].
    """
    n, none = len(threshold), len(holders[0]) - 1
    found, after = np.zeros(len(true[0]) - 1, np.int64), np.empty(len(true[0]) - 1, np.int64)
    waiting, marks = np.empty(none + 1, np.int64), np.zeros(none + 1, np.int8)  # the first original with each second item
    for i in range(none + 1):
        waiting[i] = -1
    for i in range(some[0], some[1]):
        group = rarest[1][rarest[0][i] : rarest[0][i + 1]]
        if len(group) == 0:
            continue
        for r in group:
            second = _second(true, holders[0], r, i)
            after[r], waiting[second] = waiting[second], r
        for q in range(n if i == none else holders[0][i + 1] - holders[0][i]):
            p = q if i == none else holders[1][holders[0][i] + q]
            certain, doubted = _mark(shown, p, marks)
            for s in range(shown[0][p], shown[0][p + 1] + 1):  # the last one is no item: those with no second one
                r = waiting[none if s == shown[0][p + 1] else shown[1][s]]
                while r >= 0:
                    if _matches(true, r, marks, certain, doubted, threshold[p]) and _covered(r, p, codes, labels, covers):
                        found[r] += 1
                    r = after[r]
            for s in range(shown[0][p], shown[0][p + 1]):
                marks[shown[1][s]] = 0
        for r in group:
            waiting[_second(true, holders[0], r, i)] = -1
    return found


@njit(cache=True, nogil=True)
def _second(true: tuple[Longs, Ints], starts: Longs, r: int, first: int) -> int:
    """Return the item of record r that, but for the first, the fewest show; the number behind the last item for none."""
    found = len(starts) - 1
    for q in range(true[0][r], true[0][r + 1]):
        i = np.int64(true[1][q])
        if i != first and (found == len(starts) - 1 or starts[i + 1] - starts[i] < starts[found + 1] - starts[found]):
            found = i
    return found


@njit(cache=True, nogil=True, inline="always")
def _mark(shown: tuple[Longs, Ints, Marks], p: int, marks: Marks) -> tuple[int, int]:
    """Mark the items of published record p; return how many are certain, and how many doubted."""
    certain, doubted = 0, 0
    for s in range(shown[0][p], shown[0][p + 1]):
        mark = shown[2][s]
        marks[shown[1][s]] = mark
        certain += mark == CERTAIN
        doubted += mark == DOUBTED
    return certain, doubted


@njit(cache=True, nogil=True, inline="always")
def _matches(true: tuple[Longs, Ints], r: int, marks: Marks, certain: int, doubted: int, most: int) -> bool:
    """Return whether original record r has all certain items, only marked ones, and at most `most` others than the base."""
    wrong = doubted
    for q in range(true[0][r], true[0][r + 1]):
        mark = marks[true[1][q]]
        if mark == 0:
            return False
        certain -= mark == CERTAIN
        wrong += 1 if mark == POSSIBLE else 0
        wrong -= 1 if mark == DOUBTED else 0
    return certain == 0 and wrong <= most


@njit(cache=True, nogil=True, inline="always")
def _covered(r: int, p: int, codes: Ints, labels: Ints, covers: Flags) -> bool:
    covered = True
    for c in range(codes.shape[1]):
        covered = covered and covers[c, labels[p, c], codes[r, c]]
    return covered
