"""Sets of published items that tell a sensitive item: it is in more than 1/l of the records that hold the set."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]


class SensitiveSets(NamedTuple):
    """Record r holds the sensitive items[offsets[r] : offsets[r + 1]], codes below n."""

    offsets: Longs
    items: Ints
    n: int


class DiversityLimits(NamedTuple):
    """Sets of at most m items are in k records at least; a sensitive item may be in 1/l of them."""

    k: int
    m: int
    l: int  # noqa: E741 - the papers' letter


@njit(cache=True, nogil=True)
def list_telling_sets(
    offsets: Longs, shown: Ints, d: int, secrets: SensitiveSets, limits: DiversityLimits, sets: Ints, supports: Longs
) -> int:
    """Write sets of 1 .. m items that tell a sensitive item, padded with -1, and their supports; return their number.

    Record r shows shown[offsets[r] : offsets[r + 1]], ascending, below d. It ends when the table is full, and adds no greater
    items to a listed set. Every set of at most m items that a record shows must be in k records: where no sensitive item is in
    more than k / l of the records of a set, no larger set tells.
    """
    k, m, l = limits  # noqa: E741
    total, found = len(shown), 0
    held = np.empty((m, total), np.int64)  # records of the sets looked at, by size; those of child c from starts[c] on
    kids, starts = np.empty((m, d), np.int32), np.zeros((m, d + 1), np.int64)
    count, tally = np.zeros(d, np.int64), np.zeros(secrets.n, np.int64)
    n_kids, cursor, path = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int32)
    records = np.arange(len(offsets) - 1)
    after, t = -1, 0
    while True:
        n_kids[t] = _expand(offsets, shown, records, after, count, kids[t], starts[t], held[t])
        cursor[t] = 0
        while t >= 0:
            if cursor[t] == n_kids[t]:
                t -= 1
                continue
            c = cursor[t]
            cursor[t] += 1
            records, after, path[t] = held[t, starts[t, c] : starts[t, c + 1]], kids[t, c], kids[t, c]
            most = _most(records, secrets, tally)
            if most * l > len(records):
                for p in range(sets.shape[1]):
                    sets[found, p] = path[p] if p <= t else -1
                supports[found] = len(records)
                found += 1
                if found == len(supports):
                    return found
            elif t < m - 1 and most * l > k:
                break
        if t < 0:
            return found
        t += 1


@njit(cache=True, nogil=True)
def tells(starts: Longs, holders: Ints, bounds: Longs, members: Ints, secrets: SensitiveSets, l: int, seen: Longs) -> bool:  # noqa: E741
    """Return whether a sensitive item is in more than 1/l of the records that hold an item of each cluster.

    Cluster c is members[bounds[c] : bounds[c + 1]], at least one; item i is in the records holders[starts[i] : starts[i + 1]].
    seen is 0 for each record, and is left so.
    """
    tally, last = np.zeros(secrets.n, np.int64), len(bounds) - 2
    size, most = 0, 0
    for c in range(last + 1):
        for i in members[bounds[c] : bounds[c + 1]]:
            for r in holders[starts[i] : starts[i + 1]]:
                if seen[r] == c:
                    seen[r] = c + 1
                    if c == last:
                        size += 1
                        for p in range(secrets.offsets[r], secrets.offsets[r + 1]):
                            tally[secrets.items[p]] += 1
                            most = max(most, tally[secrets.items[p]])
    for i in members[bounds[0] : bounds[1]]:
        for r in holders[starts[i] : starts[i + 1]]:
            seen[r] = 0
    return most * l > size


@njit(cache=True, nogil=True)
def _expand(
    offsets: Longs, shown: Ints, records: Longs, after: int, count: Longs, kids: Ints, starts: Longs, held: Longs
) -> int:
    """Write the items above `after` that the records show, and who shows each; return their number."""
    n = 0
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            if shown[p] <= after:
                break
            if count[shown[p]] == 0:
                kids[n] = shown[p]
                n += 1
            count[shown[p]] += 1
    starts[0] = 0
    for c in range(n):
        starts[c + 1] = starts[c] + count[kids[c]]
        count[kids[c]] = starts[c]
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            if shown[p] <= after:
                break
            held[count[shown[p]]] = r
            count[shown[p]] += 1
    for c in range(n):
        count[kids[c]] = 0
    return n


@njit(cache=True, nogil=True)
def _most(records: Longs, secrets: SensitiveSets, tally: Longs) -> int:
    """Return in how many of the records the commonest sensitive item is."""
    most = 0
    for r in records:
        for p in range(secrets.offsets[r], secrets.offsets[r + 1]):
            tally[secrets.items[p]] += 1
            most = max(most, tally[secrets.items[p]])
    for r in records:
        for p in range(secrets.offsets[r], secrets.offsets[r + 1]):
            tally[secrets.items[p]] = 0
    return most
