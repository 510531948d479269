"""Assignments from the complete graph by closed walks with greedy picks ([004] Algorithms 1 and 2).

Records are numbered by their place in the order: original x and published record x are at the same place.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]  # (n + 1,)
Items = NDArray[np.int32]  # ascending within a record
Labels = NDArray[np.int32]  # (n,)
Posts = NDArray[np.int32]  # (n, l) the published records that each original was matched with, one an assignment
Places = NDArray[np.int64]

STEPS = 50  # that a walk may take for each record before it is given up


@njit(cache=True, nogil=True)
def greedy_assignment(
    offsets: Offsets, items: Items, labels: Labels, posts: Posts, done: int, starts: Places
) -> tuple[Places, int]:
    """Return the next assignment, given the first `done` columns of posts, and the steps walked; -1 steps where none is found.

    Walks start from the given originals in turn, as long as they have no match. Everyone on a walk takes the record picked
    for them; a record the walk comes back to forgets the detour.
    """
    n = len(labels)
    owner, assigned = np.arange(n), np.full(n, -1, np.int64)
    reached, child = np.full(n, -1, np.int64), np.empty(n, np.int64)
    newest = np.full(n, -1, np.int64)  # of the picks that each original made on this walk
    picks, before = np.empty(STEPS * n + 1, np.int64), np.empty(STEPS * n + 1, np.int64)
    steps = 0
    for start in starts:
        if assigned[start] >= 0:
            continue
        newest[:] = -1
        x, node, here = start, -1, 0
        while node != start and here <= STEPS * n:
            following = greedy_pick(x, offsets, items, labels, posts, done, reached, start, newest[x], picks, before)
            if following < 0:
                return assigned, -1
            picks[here], before[here], newest[x] = following, newest[x], here
            child[node if node >= 0 else start] = following
            node, here = following, here + 1
            reached[node] = start
            x = owner[node]
        steps += here
        if node != start:
            return assigned, -1
        x = start
        while True:  # along the walk without its detours
            node = child[node]
            x, owner[node] = owner[node], x
            assigned[owner[node]] = node
            if node == start:
                break
    return assigned, steps


@njit(cache=True, nogil=True)
def greedy_pick(
    x: int,
    offsets: Offsets,
    items: Items,
    labels: Labels,
    posts: Posts,
    done: int,
    reached: Places,
    walk: int,
    newest: int,
    picks: Places,
    before: Places,
) -> int:
    """Return the nearest place with a label that x has not met, rather one this walk has not reached; -1 where there is none.

    Of the two places equally far along the order the one with the more similar record is taken. A place that x has picked on
    this walk before is left out, lest the same detour be made again: its picks are picks[newest], picks[before[newest]], ...
    """
    n, last = len(labels), -1
    for j in range(n // 2 + 1):
        one, two = (x + j) % n, (x - j) % n
        if not eligible(x, one, labels, posts, done, newest, picks, before):
            one = -1
        if not eligible(x, two, labels, posts, done, newest, picks, before):
            two = -1
        if one < 0 and two < 0:
            continue
        found = one if two < 0 else two if one < 0 else nearer(x, one, two, offsets, items)
        if reached[found] != walk:
            return found
        if last < 0:
            last = found
    return last


@njit(cache=True, nogil=True)
def eligible(x: int, place: int, labels: Labels, posts: Posts, done: int, newest: int, picks: Places, before: Places) -> bool:
    """Whether original x was not matched with a record of this label before, nor picked this place on this walk."""
    for a in range(done):
        if posts[x, a] == place or labels[posts[x, a]] == labels[place]:
            return False
    while newest >= 0:
        if picks[newest] == place:
            return False
        newest = before[newest]
    return True


@njit(cache=True, nogil=True)
def nearer(x: int, one: int, two: int, offsets: Offsets, items: Items) -> int:
    """Return which of two records differs from x in fewer items; the first where both do alike."""
    return one if difference(x, one, offsets, items) <= difference(x, two, offsets, items) else two


@njit(cache=True, nogil=True)
def difference(x: int, y: int, offsets: Offsets, items: Items) -> int:
    """Return the number of items that only one of two records holds."""
    p, q, both = offsets[x], offsets[y], 0
    while p < offsets[x + 1] and q < offsets[y + 1]:
        if items[p] == items[q]:
            both, p, q = both + 1, p + 1, q + 1
        elif items[p] < items[q]:
            p += 1
        else:
            q += 1
    return (offsets[x + 1] - offsets[x]) + (offsets[y + 1] - offsets[y]) - 2 * both
