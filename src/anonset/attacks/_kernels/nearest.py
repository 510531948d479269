"""Find the released record that is nearest to what is known of a person, and count the people whom a description fits.

A released record shows, for each numeric column, a range low .. high; for each other column, a label; and labels of items. The
table `fits` says which labels may stand for which codes: label l of column c may stand for code v if fits[starts[c] + l *
widths[c] + v]. Codes and labels are shifted by one: 0 is a missing value. Label l of items stands for members[offsets[l] :
offsets[l + 1]]; `holders` and `labels` are the same list the other way round: labels[holders[i] : holders[i + 1]] stand for i.
"""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs, Reals


@njit(cache=True, nogil=True, inline="always")
def range_distance(value: float, low: float, high: float) -> float:
    """Return how far a number is outside a range, at most 1; missing values (nan) match each other alone."""
    if np.isnan(value) or np.isnan(low):
        return 0.0 if np.isnan(value) and np.isnan(low) else 1.0
    return min(1.0, max(0.0, max(low - value, value - high)))


@njit(cache=True, nogil=True)
def nearest_records(
    numbers: Reals,
    codes: Ints,
    offsets: Longs,
    items: Ints,
    low: Reals,
    high: Reals,
    labels: Ints,
    fits: Flags,
    starts: Longs,
    widths: Longs,
    shown_offsets: Longs,
    shown: Ints,
    holders: Longs,
    holding: Ints,
    column_weight: float,
    item_weight: float,
    whole: bool,
    order: Longs,
    begins: Longs,
) -> tuple[Longs, Reals]:
    """Return the nearest released record of each person, and its distance; the first in order[begins[t]:] of those as near.

    The distance adds column_weight for each column that does not fit (for numbers, the part of it that they are apart) and
    item_weight times 1 - matched / (known + strangers): `matched` of the known items are behind the labels of the record, and
    `strangers` of its labels stand for none of them; where not the whole set is known, strangers do not count.
    """
    n, records = len(offsets) - 1, len(shown_offsets) - 1
    found, distance = np.empty(n, np.int64), np.empty(n, np.float64)
    most = 0  # number of the last label, shown or not
    for label in shown:
        most = max(most, label)
    for label in holding:
        most = max(most, label)
    behind = np.zeros(most + 1, np.int32)  # known items behind each label
    for t in range(n):
        begin, end = offsets[t], offsets[t + 1]
        known = end - begin
        for p in range(begin, end):
            if items[p] < len(holders) - 1:
                for q in range(holders[items[p]], holders[items[p] + 1]):
                    behind[holding[q]] += 1
        best, best_distance = -1, np.inf
        for step in range(records):
            r = order[(begins[t] + step) % records]
            far = 0.0
            for c in range(numbers.shape[1]):
                far += column_weight * range_distance(numbers[t, c], low[r, c], high[r, c])
            for c in range(codes.shape[1]):
                if not fits[starts[c] + labels[r, c] * widths[c] + codes[t, c]]:
                    far += column_weight
            if far < best_distance and item_weight > 0.0:
                matched, strangers = 0, 0
                for p in range(shown_offsets[r], shown_offsets[r + 1]):
                    matched += behind[shown[p]]
                    strangers += behind[shown[p]] == 0
                of = known + strangers if whole else known
                if of > 0:
                    far += item_weight * (1.0 - min(matched, known) / of)
            if far < best_distance:
                best, best_distance = r, far
                if far == 0.0:
                    break
        found[t], distance[t] = best, best_distance
        for p in range(begin, end):
            if items[p] < len(holders) - 1:
                for q in range(holders[items[p]], holders[items[p] + 1]):
                    behind[holding[q]] = 0
    return found, distance


@njit(cache=True, nogil=True)
def people_described(
    numbers: Reals,
    codes: Ints,
    offsets: Longs,
    items: Ints,
    low: Reals,
    high: Reals,
    labels: Ints,
    fits: Flags,
    starts: Longs,
    widths: Longs,
    shown_offsets: Longs,
    shown: Ints,
    member_offsets: Longs,
    members: Ints,
    d: int,
    used: Flags,
    most: int,
) -> Longs:
    """Return how many people each description fits, counting no further than `most`.

    A description has the numeric columns used[:a] and the others used[a:] of a released record, and up to 31 labels of items,
    each of which stands for an item that the person has; used[q, c] is for description q.
    """
    n, numeric = len(offsets) - 1, numbers.shape[1]
    counts = np.zeros(len(shown_offsets) - 1, np.int64)
    bits = np.zeros(d, np.int32)
    for q in range(len(counts)):
        first, last = shown_offsets[q], shown_offsets[q + 1]
        for s in range(first, last):
            for p in range(member_offsets[shown[s]], member_offsets[shown[s] + 1]):
                bits[members[p]] |= 1 << (s - first)
        all_bits = (1 << (last - first)) - 1
        for t in range(n):
            suits = True
            for c in range(numeric):
                if used[q, c] and range_distance(numbers[t, c], low[q, c], high[q, c]) > 0.0:
                    suits = False
                    break
            if suits:
                for c in range(codes.shape[1]):
                    if used[q, numeric + c] and not fits[starts[c] + labels[q, c] * widths[c] + codes[t, c]]:
                        suits = False
                        break
            if suits and all_bits:
                seen = 0
                for p in range(offsets[t], offsets[t + 1]):
                    if items[p] < d:
                        seen |= bits[items[p]]
                suits = seen == all_bits
            if suits:
                counts[q] += 1
                if counts[q] >= most:
                    break
        for s in range(first, last):
            for p in range(member_offsets[shown[s]], member_offsets[shown[s] + 1]):
                bits[members[p]] = 0
    return counts
