"""What published clusters lose: the utility loss of records ([000] section 5), and the expected counts of queries."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs, Reals


@njit(cache=True, nogil=True)
def summed_loss(offsets: Longs, shown: Ints, sizes: Longs, exact_weight: float) -> tuple[float, int]:
    """Return UL summed over records, and how many labels with more than one member are shown.

    UL(r) = sum(2^size - 1) / (2^(sum of sizes) - 1); a label of size 0 (a sensitive item) does not count. No power overflows:
    (2^a - 1) / (2^b - 1) = 2^(a - b) * (1 - 2^-a) / (1 - 2^-b).
    """
    return _summed(offsets, shown, sizes, exact_weight, int(np.int64(0)), len(offsets) - 1)


@njit(cache=True, nogil=True)
def summed_losses(bounds: Longs, offsets: Longs, shown: Ints, sizes: Longs, exact_weight: float) -> tuple[Reals, Longs]:
    """Return the same for each cluster: the records bounds[c] .. bounds[c + 1] - 1."""
    n = len(bounds) - 1
    lost, general = np.empty(n), np.empty(n, np.int64)
    for c in range(n):
        lost[c], general[c] = _summed(offsets, shown, sizes, exact_weight, bounds[c], bounds[c + 1])
    return lost, general


@njit(cache=True, nogil=True)
def _summed(offsets: Longs, shown: Ints, sizes: Longs, exact_weight: float, first: int, last: int) -> tuple[float, int]:
    """Return UL summed over the records first .. last - 1, and how many general labels they show."""
    lost, general = 0.0, 0
    for r in range(first, last):
        sigma = 0
        for p in range(offsets[r], offsets[r + 1]):
            sigma += sizes[shown[p]]
        for p in range(offsets[r], offsets[r + 1]):
            size = sizes[shown[p]]
            if size == 1:
                lost += exact_weight * 2.0 ** (1 - sigma) * 0.5 / (1.0 - 2.0**-sigma)
            elif size > 1:
                lost += 2.0 ** (size - sigma) * (1.0 - 2.0**-size) / (1.0 - 2.0**-sigma)
                general += 1
    return lost, general


@njit(cache=True, nogil=True)
def own_offsets(bounds: Longs, offsets: Longs) -> Longs:
    """Return the offsets of each cluster counted from 0, one cluster after the other."""
    own = np.empty(len(offsets) + len(bounds) - 2, np.int64)
    p = 0
    for c in range(len(bounds) - 1):
        for r in range(bounds[c], bounds[c + 1] + 1):
            own[p] = offsets[r] - offsets[bounds[c]]
            p += 1
    return own


@njit(cache=True, nogil=True)
def expected_matches(
    bounds: Longs,
    offsets: Longs,
    labels: Ints,
    label_offsets: Longs,
    members: Ints,
    d: int,
    shares: Reals,
    query_offsets: Longs,
    query_items: Ints,
) -> Reals:
    """Return for each cluster and query the expected number of records that match.

    Cluster c has the records bounds[c] .. bounds[c + 1]-1, record r shows labels[offsets[r] : offsets[r + 1]], repeats allowed;
    shares[c, q] of a cluster's records have the values that query q asks for. A record holds an item of a label with n members,
    f of which the record also publishes exactly, with probability 1 / (n - f), summed over its labels, at most 1; items count
    as independent.
    """
    matches = np.zeros(shares.shape)
    likely = np.zeros(d)
    exact = np.zeros(d, np.int64)
    seen = np.full(max(1, len(label_offsets) - 1), -1, np.int64)
    for c in range(len(bounds) - 1):
        queries = np.flatnonzero(shares[c])
        if len(queries) == 0:
            continue
        for r in range(bounds[c], bounds[c + 1]):
            row = labels[offsets[r] : offsets[r + 1]]
            _add_probabilities(row, r, label_offsets, members, likely, exact, seen)
            for q in queries:
                share = shares[c, q]
                for p in range(query_offsets[q], query_offsets[q + 1]):
                    share *= min(1.0, likely[query_items[p]])
                    if share == 0.0:
                        break
                matches[c, q] += share
            for label in row:
                for p in range(label_offsets[label], label_offsets[label + 1]):
                    likely[members[p]] = 0.0
    return matches


@njit(cache=True, nogil=True)
def _add_probabilities(
    row: Ints, r: int, label_offsets: Longs, members: Ints, likely: Reals, exact: Longs, seen: Longs
) -> None:
    """Add to `likely` the probability that record r holds each item behind its labels; `exact` is 0 before and after."""
    for label in row:
        if label_offsets[label + 1] - label_offsets[label] == 1:
            exact[members[label_offsets[label]]] = 1
            likely[members[label_offsets[label]]] = 1.0
    for label in row:
        if label_offsets[label + 1] - label_offsets[label] > 1 and seen[label] != r:
            seen[label] = r
            free = 0
            for p in range(label_offsets[label], label_offsets[label + 1]):
                free += 1 - exact[members[p]]
            for p in range(label_offsets[label], label_offsets[label + 1]):
                if exact[members[p]] == 0:
                    likely[members[p]] += 1.0 / free
    for label in row:
        if label_offsets[label + 1] - label_offsets[label] == 1:
            exact[members[label_offsets[label]]] = 0
