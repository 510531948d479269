"""Walk depth first through the sets of labels that records show, each set with the records that show it.

Level t of a walk holds the sets that add one label to a set of t labels: the c-th adds kids[t, c], and the records that show it
are held[t, starts[t, c] : starts[t, c + 1]]. A walk over all sets of at most m labels (a stack instead of recursion: a compiled
function that calls itself does not survive the cache):

    walk, records, after, t = set_walk(m, len(labels), d), np.arange(n), -1, 0
    while t >= 0:
        add_label(walk, t, offsets, labels, records, after, d)
        ...  # look at the sets of level t
        t = next_level(walk, t if t < m - 1 else t - 1)
        if t >= 0:
            records, after = next_set(walk, t)
            t += 1
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs


class SetLimits(NamedTuple):
    """Every set of at most m labels is shown by k records, and no sensitive item is in more than 1/l of these."""

    k: int
    m: int
    l: int  # noqa: E741 - the papers' letter


class SensitiveItems(NamedTuple):
    """Record r holds the sensitive items[offsets[r] : offsets[r + 1]], codes below n."""

    offsets: Longs
    items: Ints
    n: int


class SetWalk(NamedTuple):
    """The sets of each level, and how far the walk went through them."""

    held: Longs  # (m, occurrences)
    kids: Ints  # (m, d)
    starts: Longs  # (m, d + 1)
    n_kids: Longs  # (m,) sets of the level
    cursor: Longs  # (m,) how many of these were visited
    count: Longs  # (d,) room to count labels in, all 0 between calls


@njit(cache=True, nogil=True)
def set_walk(m: int, occurrences: int, d: int) -> SetWalk:
    """Return room for a walk over sets of at most m of the labels 0..d-1; `occurrences` is how many the records have in all."""
    held, kids, starts = np.empty((m, occurrences), np.int64), np.empty((m, d), np.int32), np.zeros((m, d + 1), np.int64)
    return SetWalk(held, kids, starts, np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(d, np.int64))


@njit(cache=True, nogil=True)
def add_label(walk: SetWalk, t: int, offsets: Longs, labels: Ints, records: Longs, after: int, limit: int) -> None:
    """Fill level t: the labels above `after` and below `limit` that the records show, in the order they are met."""
    kids, starts = walk.kids[t], walk.starts[t]
    held, count = walk.held[t], walk.count
    n = count_labels(offsets, labels, records, after, limit, count, kids)
    starts[0] = 0
    for c in range(n):
        starts[c + 1] = starts[c] + count[kids[c]]
        count[kids[c]] = starts[c]
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = labels[p]
            if label <= after:
                break
            if label < limit:
                held[count[label]] = r
                count[label] += 1
    for c in range(n):
        count[kids[c]] = 0
    walk.n_kids[t], walk.cursor[t] = n, 0


@njit(cache=True, nogil=True)
def count_labels(offsets: Longs, labels: Ints, records: Longs, after: int, limit: int, count: Longs, met: Ints) -> int:
    """Count the labels above `after` and below `limit` in the records; write those met, and return how many there are."""
    n = 0
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = labels[p]
            if label <= after:
                break
            if label < limit:
                if count[label] == 0:
                    met[n] = label
                    n += 1
                count[label] += 1
    return n


@njit(cache=True, nogil=True)
def next_level(walk: SetWalk, t: int) -> int:
    """Return the deepest level, t or above it, that has a set not visited yet; -1 where none has."""
    while t >= 0 and walk.cursor[t] == walk.n_kids[t]:
        t -= 1
    return t


@njit(cache=True, nogil=True)
def next_set(walk: SetWalk, t: int) -> tuple[Longs, int]:
    """Visit the next set of level t: return the records that show it, and the label that it adds."""
    c = walk.cursor[t]
    walk.cursor[t] += 1
    return walk.held[t, walk.starts[t, c] : walk.starts[t, c + 1]], np.int64(walk.kids[t, c])


@njit(cache=True, nogil=True)
def commonest_sensitive(records: Longs, offsets: Longs, items: Ints, tally: Longs) -> int:
    """Return in how many of the records the commonest sensitive item is; `tally`, by item, is 0 before and after."""
    most = 0
    for r in records:
        for p in range(offsets[r], offsets[r + 1]):
            tally[items[p]] += 1
            most = max(most, tally[items[p]])
    for r in records:
        for p in range(offsets[r], offsets[r + 1]):
            tally[items[p]] = 0
    return most


@njit(cache=True, nogil=True)
def is_diverse(records: Longs, offsets: Longs, items: Ints, tally: Longs, l: int) -> bool:  # noqa: E741 - the papers' letter
    """Return whether no sensitive item is in more than 1/l of the records."""
    return l <= 1 or len(tally) == 0 or commonest_sensitive(records, offsets, items, tally) * l <= len(records)
