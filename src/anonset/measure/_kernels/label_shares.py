"""How likely records hold items that labels may stand for, and expected counts of item queries on generalized records."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs, Reals


@njit(cache=True, nogil=True)
def free_members(offsets: Longs, shown: Ints, label_offsets: Longs, members: Ints) -> Longs:
    """Return for each published label the number of its members that its record does not also publish exactly.

    Members of label a are members[label_offsets[a] : label_offsets[a + 1]], ascending. An exact label has one free member.
    """
    free = np.empty(len(shown), np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            begin, end = label_offsets[shown[p]], label_offsets[shown[p] + 1]
            free[p] = end - begin
            if free[p] == 1:
                continue
            for q in range(offsets[r], offsets[r + 1]):
                first = label_offsets[shown[q]]
                if label_offsets[shown[q] + 1] - first != 1:
                    continue
                place = begin + np.searchsorted(members[begin:end], members[first])
                if (
                    place < end
                    and members[place] == members[first]
                    and not _shown_before(offsets[r], q, shown, label_offsets, members)
                ):
                    free[p] -= 1
    return free


@njit(cache=True, nogil=True)
def _shown_before(start: int, q: int, shown: Ints, label_offsets: Longs, members: Ints) -> bool:
    """Return whether an exact label of the record before entry q shows the same item under another name."""
    for p in range(start, q):
        first = label_offsets[shown[p]]
        if label_offsets[shown[p] + 1] - first == 1 and members[first] == members[label_offsets[shown[q]]]:
            return True
    return False


@njit(cache=True, nogil=True)
def summed_item_shares(
    query: Ints,
    factors: Reals,
    item_offsets: Longs,
    item_labels: Ints,
    label_offsets: Longs,
    label_records: Longs,
    free: Reals,
    sizes: Longs,
    covered: Longs,
    total: Reals,
) -> tuple[Longs, Reals]:
    """Return the records that show a label for every item of a query, and how likely each holds them all.

    A record holds item i with the sum over its labels for i, at most 1; an exact label counts 1, another one
    min(1, factors[i] / free[p]) for the entry p of label_records (0 where nothing is free). Items are taken as independent.
    `covered` (n,) must be 0 and is 0 again after; `total` (n, items) is scratch.
    """
    found = np.empty(0, np.int64)
    for t in range(len(query)):
        i = query[t]
        room = 0
        for s in range(item_offsets[i], item_offsets[i + 1]):
            room += label_offsets[item_labels[s] + 1] - label_offsets[item_labels[s]]
        hits, reached = np.empty(room, np.int64), 0
        for s in range(item_offsets[i], item_offsets[i + 1]):
            label = item_labels[s]
            for p in range(label_offsets[label], label_offsets[label + 1]):
                r = label_records[p]
                share = 1.0
                if sizes[label] > 1:
                    share = min(1.0, factors[i] / free[p]) if free[p] > 0 else 0.0
                if covered[r] == t:
                    covered[r] = t + 1
                    total[r, t] = share
                    hits[reached] = r
                    reached += 1
                elif covered[r] == t + 1:
                    total[r, t] += share
        for r in found:
            if covered[r] == t:
                covered[r] = 0
        found = hits[:reached]
    shares = np.empty(len(found), np.float64)
    for h in range(len(found)):
        r = found[h]
        covered[r] = 0
        share = 1.0
        for t in range(len(query)):
            share *= min(1.0, total[r, t])
        shares[h] = share
    return found, shares


@njit(cache=True, nogil=True)
def item_factors(
    expected: Reals,
    item_offsets: Longs,
    item_labels: Ints,
    label_offsets: Longs,
    label_records: Longs,
    free: Reals,
    sizes: Longs,
    n: int,
) -> Reals:
    """Return for each item the factor with which it is in expected[i] records, those that show it exactly included.

    The factor f solves sum over the entries of its labels in the other records of min(1, f / free) = what is left to expect;
    where even all of them are too few, it is as large as it need be for all to count 1. NaN asks for no fitting: 1.
    """
    factors = np.ones(len(expected), np.float64)
    exact = np.zeros(n, np.bool_)
    largest = 1
    for p in range(len(free)):
        largest = max(largest, int(free[p]))
    times = np.zeros(largest + 1, np.int64)
    for i in range(len(expected)):
        if np.isnan(expected[i]):
            continue
        hidden = expected[i]
        for s in range(item_offsets[i], item_offsets[i + 1]):
            if sizes[item_labels[s]] == 1:
                for p in range(label_offsets[item_labels[s]], label_offsets[item_labels[s] + 1]):
                    hidden -= not exact[label_records[p]]
                    exact[label_records[p]] = True
        times[:] = 0
        weight = 0.0
        for s in range(item_offsets[i], item_offsets[i + 1]):
            if sizes[item_labels[s]] > 1:
                for p in range(label_offsets[item_labels[s]], label_offsets[item_labels[s] + 1]):
                    if free[p] > 0 and not exact[label_records[p]]:
                        times[int(free[p])] += 1
                        weight += 1.0 / free[p]
        for s in range(item_offsets[i], item_offsets[i + 1]):
            if sizes[item_labels[s]] == 1:
                for p in range(label_offsets[item_labels[s]], label_offsets[item_labels[s] + 1]):
                    exact[label_records[p]] = False
        factors[i] = _level(times, weight, max(0.0, hidden))
    return factors


@njit(cache=True, nogil=True)
def _level(times: Longs, weight: float, total: float) -> float:
    """Return the f with sum over n of times[n] * min(1, f / n) = total; weight is the sum of times[n] / n."""
    full = 0
    for n in range(1, len(times)):
        if times[n] == 0:
            continue
        if full + n * weight >= total:  # at f = n all up to n count 1
            return (total - full) / weight
        full += times[n]
        weight -= times[n] / n
    return float(len(times))


@njit(cache=True, nogil=True)
def item_query_shares(
    query: Ints,
    item_offsets: Longs,
    item_labels: Ints,
    label_offsets: Longs,
    label_records: Longs,
    sizes: Longs,
    covered: Longs,
    chosen: Ints,
) -> tuple[Longs, Reals]:
    """Return the records that show a label for every item of a query, and how likely each holds them all.

    The labels of item i are item_labels[item_offsets[i] : item_offsets[i + 1]], the records of label a likewise. q items
    behind one label of n count 2^(n-q) / (2^n - 1). `covered` (n,) must be 0 and is 0 again after; `chosen` (n, items) is
    scratch.
    """
    found = np.empty(0, np.int64)
    for t in range(len(query)):
        reached = np.int64(0)
        i = query[t]
        room = 0
        for s in range(item_offsets[i], item_offsets[i + 1]):
            room += label_offsets[item_labels[s] + 1] - label_offsets[item_labels[s]]
        hits = np.empty(room, np.int64)
        for s in range(item_offsets[i], item_offsets[i + 1]):
            label = item_labels[s]
            for p in range(label_offsets[label], label_offsets[label + 1]):
                r = label_records[p]
                if covered[r] == t:
                    covered[r] = t + 1
                    chosen[r, t] = label
                    hits[reached] = r
                    reached += 1
                elif covered[r] == t + 1 and sizes[label] < sizes[chosen[r, t]]:
                    chosen[r, t] = label
        for r in found:
            if covered[r] == t:
                covered[r] = 0
        found = hits[:reached]
    shares = np.empty(len(found), np.float64)
    for h in range(len(found)):
        r = found[h]
        covered[r] = 0
        share = 1.0
        for t in range(len(query)):
            label, q = chosen[r, t], 0
            first = True
            for u in range(len(query)):
                if chosen[r, u] == label:
                    q += 1
                    first = first and u >= t
            if first:
                n = float(sizes[label])
                share *= 2.0**-q / (1.0 - 2.0**-n)
        shares[h] = share
    return found, shares
