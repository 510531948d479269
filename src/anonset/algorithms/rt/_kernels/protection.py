"""Whether records are k^m-anonymous and l^m-diverse as they are, and which of them hold rare sets."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs
from anonset.kernels.set_walk import add_label, is_diverse, next_level, next_set, set_walk


@njit(cache=True, nogil=True)
def is_protected(
    offsets: Longs,
    shown: Ints,
    d: int,
    k: int,
    m: int,
    secret_offsets: Longs,
    secrets: Ints,
    n_secrets: int,
    l: int,  # noqa: E741 - the papers' letter
) -> bool:
    """Return whether every set of at most m labels that a record shows is shown by k records, and hides their secrets.

    Labels are 0..d-1. A set hides the secrets 0..n_secrets-1 when none is in more than 1/l of the records that show it; the
    empty set must, too.
    """
    tally = np.zeros(n_secrets, np.int64)
    records = np.arange(len(offsets) - 1)
    if not is_diverse(records, secret_offsets, secrets, tally, l):
        return False
    walk = set_walk(m, len(shown), d)
    held, starts = walk.held, walk.starts
    after, t = -1, 0
    while t >= 0:
        add_label(walk, t, offsets, shown, records, after, d)
        for c in range(walk.n_kids[t]):
            first, last = starts[t, c], starts[t, c + 1]
            if last - first < k or not is_diverse(held[t, first:last], secret_offsets, secrets, tally, l):
                return False
        t = next_level(walk, t if t < m - 1 else t - 1)
        if t >= 0:
            records, after = next_set(walk, t)
            t += 1
    return True


@njit(cache=True, nogil=True)
def rare_holders(offsets: Longs, shown: Ints, d: int, k: int, m: int) -> Flags:
    """Return which records show a set of at most m labels that fewer than k records show. Labels are 0..d-1."""
    records = np.arange(len(offsets) - 1)
    rare = np.zeros(len(records), np.bool_)
    walk = set_walk(m, len(shown), d)
    held, starts = walk.held, walk.starts
    after, t = -1, 0
    while t >= 0:
        add_label(walk, t, offsets, shown, records, after, d)
        for c in range(walk.n_kids[t]):
            if starts[t, c + 1] - starts[t, c] < k:
                for p in range(starts[t, c], starts[t, c + 1]):
                    rare[held[t, p]] = True
        t = next_level(walk, t if t < m - 1 else t - 1)
        if t >= 0:
            records, after = next_set(walk, t)
            t += 1
    return rare
