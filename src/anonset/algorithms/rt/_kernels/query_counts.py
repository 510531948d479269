"""Expected counts of queries on clusters: of which values a cluster has, and how likely its records hold the items."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Ids = NDArray[np.int32]
Reals = NDArray[np.float64]


@njit(cache=True, nogil=True)
def expected_matches(
    bounds: Offsets,
    offsets: Offsets,
    labels: Ids,
    label_offsets: Offsets,
    members: Ids,
    d: int,
    shares: Reals,
    asked_offsets: Offsets,
    asked: Ids,
) -> Reals:
    """Return for each cluster and query the expected number of records that match.

    Cluster c has the records bounds[c] .. bounds[c + 1]-1, record r shows labels[offsets[r] : offsets[r + 1]], repeats allowed;
    shares[c, q] of a cluster's records have the values query q wants. A record holds an item of a label with n members, f of
    them shown exactly beside it, with 1 / (n - f), summed over its labels, at most 1; items are taken as independent.
    """
    found = np.zeros(shares.shape)
    likely = np.zeros(d)
    exact = np.zeros(d, np.int64)
    seen = np.full(max(1, len(label_offsets) - 1), -1, np.int64)
    for c in range(len(bounds) - 1):
        wanted = np.flatnonzero(shares[c])
        if len(wanted) == 0:
            continue
        for r in range(bounds[c], bounds[c + 1]):
            row = labels[offsets[r] : offsets[r + 1]]
            _expect(row, r, label_offsets, members, likely, exact, seen)
            for q in wanted:
                share = shares[c, q]
                for p in range(asked_offsets[q], asked_offsets[q + 1]):
                    share *= min(1.0, likely[asked[p]])
                    if share == 0.0:
                        break
                found[c, q] += share
            for label in row:
                for p in range(label_offsets[label], label_offsets[label + 1]):
                    likely[members[p]] = 0.0
    return found


@njit(cache=True, nogil=True)
def _expect(
    row: Ids, r: int, label_offsets: Offsets, members: Ids, likely: Reals, exact: NDArray[np.int64], seen: NDArray[np.int64]
) -> None:
    """Write how likely record r holds each item behind its labels."""
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
