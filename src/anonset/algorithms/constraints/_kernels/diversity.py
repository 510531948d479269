"""Sets of published items that tell a sensitive item: it is in more than 1/l of the records that hold the set."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs
from anonset.kernels.set_walk import (
    SensitiveItems,
    SetLimits,
    add_label,
    commonest_sensitive,
    next_level,
    next_set,
    set_walk,
)


@njit(cache=True, nogil=True)
def list_telling_sets(
    offsets: Longs, shown: Ints, d: int, secrets: SensitiveItems, limits: SetLimits, sets: Ints, supports: Longs
) -> int:
    """Write sets of 1 .. m items that tell a sensitive item, padded with -1, and their supports; return their number.

    Record r shows shown[offsets[r] : offsets[r + 1]], ascending, below d. It ends when the table is full, and adds no greater
    items to a listed set. Every set of at most m items that a record shows must be in k records: where no sensitive item is in
    more than k / l of the records of a set, no larger set tells.
    """
    k, m, l = limits  # noqa: E741 - the papers' letter
    walk = set_walk(m, len(shown), d)
    tally = np.zeros(secrets.n, np.int64)
    path = np.zeros(m, np.int32)  # the items of the set that is visited
    found = 0
    add_label(walk, 0, offsets, shown, np.arange(len(offsets) - 1), -1, d)
    t = next_level(walk, 0)
    while t >= 0:
        records, item = next_set(walk, t)
        path[t] = item
        most = commonest_sensitive(records, secrets.offsets, secrets.items, tally)
        if most * l > len(records):
            for p in range(sets.shape[1]):
                sets[found, p] = path[p] if p <= t else -1
            supports[found] = len(records)
            found += 1
            if found == len(supports):
                return found
        elif t < m - 1 and most * l > k:
            t += 1
            add_label(walk, t, offsets, shown, records, item, d)
        t = next_level(walk, t)
    return found


@njit(cache=True, nogil=True)
def tells(starts: Longs, holders: Ints, bounds: Longs, members: Ints, secrets: SensitiveItems, l: int, seen: Longs) -> bool:  # noqa: E741
    """Return whether a sensitive item is in more than 1/l of the records that hold an item of each cluster.

    Cluster c is members[bounds[c] : bounds[c + 1]], at least one; item i is in the records holders[starts[i] : starts[i + 1]].
    seen is 0 for each record before and after.
    """
    tally = np.zeros(secrets.n, np.int64)
    last = len(bounds) - 2
    size, most = 0, 0
    for c in range(last + 1):
        for i in members[bounds[c] : bounds[c + 1]]:
            for r in holders[starts[i] : starts[i + 1]]:
                if seen[r] == c:  # it holds an item of each cluster before c, and none of c was met yet
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
