"""The smallest support of any set of labels that records show."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def smallest_support(
    offsets: NDArray[np.int64], shown: NDArray[np.int32], bounds: NDArray[np.int64], m: int, d: int
) -> tuple[int, int]:
    """Return the smallest support of a set of 1..m labels within a group, and that group; (0, -1) where nothing is shown.

    Group g holds the records bounds[g] .. bounds[g + 1] - 1. Sets are visited depth first, each with the records that hold it;
    the records of the sets still to visit lie in one buffer, those of the next one at its end. (A stack instead of recursion:
    a compiled function that calls itself does not survive the cache.)
    """
    best, where = 0, -1
    count = np.zeros(d, np.int64)
    touched = np.empty(d, np.int32)
    for g in range(len(bounds) - 1):
        holders = np.arange(bounds[g], bounds[g + 1])
        last, left = np.full(1, -1, np.int64), np.full(1, m, np.int64)
        start, stop = np.zeros(1, np.int64), np.full(1, len(holders), np.int64)
        depth = 1
        while depth > 0:
            depth -= 1
            after, more, begin, end = last[depth], left[depth], start[depth], stop[depth]
            n = _count_above(offsets, shown, holders[begin:end], after, count, touched)
            total = 0
            for t in range(n):
                support = count[touched[t]]
                total += support
                if best == 0 or support < best:
                    best, where = support, g
            if more > 1 and n > 0:
                holders = _with_room(holders, end + total)
                last, left = _with_room(last, depth + n), _with_room(left, depth + n)
                start, stop = _with_room(start, depth + n), _with_room(stop, depth + n)
                place = end
                for t in range(n):
                    support = count[touched[t]]
                    last[depth + t], left[depth + t], start[depth + t], stop[depth + t] = (
                        touched[t],
                        more - 1,
                        place,
                        place + support,
                    )
                    count[touched[t]] = place  # where the next record of this label goes
                    place += support
                _deal_out(offsets, shown, holders, begin, end, after, count)
                depth += n
            for t in range(n):
                count[touched[t]] = 0
    return best, where


@njit(cache=True, nogil=True)
def _count_above(
    offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    records: NDArray[np.int64],
    after: int,
    count: NDArray[np.int64],
    touched: NDArray[np.int32],
) -> int:
    """Count the labels above `after` in the records; return how many different ones were touched."""
    n = 0
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = shown[p]
            if label <= after:
                break
            if count[label] == 0:
                touched[n] = label
                n += 1
            count[label] += 1
    return n


@njit(cache=True, nogil=True)
def _deal_out(
    offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    holders: NDArray[np.int64],
    begin: int,
    end: int,
    after: int,
    place: NDArray[np.int64],
) -> None:
    """Write each record of holders[begin:end] behind every label above `after` that it shows."""
    for h in range(begin, end):
        r = holders[h]
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = shown[p]
            if label <= after:
                break
            holders[place[label]] = r
            place[label] += 1


@njit(cache=True, nogil=True)
def _with_room(array: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """The array, or a longer copy of it with room for n entries."""
    if n <= len(array):
        return array
    grown = np.empty(max(n, 2 * len(array)), np.int64)
    grown[: len(array)] = array
    return grown


@njit(cache=True, nogil=True)
def smallest_supports(
    offsets: NDArray[np.int64], shown: NDArray[np.int32], bounds: NDArray[np.int64], m: int, d: int
) -> NDArray[np.int64]:
    """Return for each record the smallest support, within its group, of a set of 0..m of its labels.

    Group g holds the records bounds[g] .. bounds[g + 1] - 1. Sets are visited as in `smallest_support`.
    """
    n = len(offsets) - 1
    best = np.empty(n, np.int64)
    count = np.zeros(d, np.int64)
    touched = np.empty(d, np.int32)
    for g in range(len(bounds) - 1):
        best[bounds[g] : bounds[g + 1]] = bounds[g + 1] - bounds[g]
        holders = np.arange(bounds[g], bounds[g + 1])
        last, left = np.full(1, -1, np.int64), np.full(1, m, np.int64)
        start, stop = np.zeros(1, np.int64), np.full(1, len(holders), np.int64)
        depth = 1 if m > 0 else 0
        while depth > 0:
            depth -= 1
            after, more, begin, end = last[depth], left[depth], start[depth], stop[depth]
            labels = _count_above(offsets, shown, holders[begin:end], after, count, touched)
            total = 0
            for t in range(labels):
                total += count[touched[t]]
            for h in range(begin, end):
                r = holders[h]
                for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
                    if shown[p] <= after:
                        break
                    best[r] = min(best[r], count[shown[p]])
            if more > 1 and labels > 0:
                holders = _with_room(holders, end + total)
                last, left = _with_room(last, depth + labels), _with_room(left, depth + labels)
                start, stop = _with_room(start, depth + labels), _with_room(stop, depth + labels)
                place = end
                for t in range(labels):
                    support = count[touched[t]]
                    last[depth + t], left[depth + t] = touched[t], more - 1
                    start[depth + t], stop[depth + t] = place, place + support
                    count[touched[t]] = place
                    place += support
                _deal_out(offsets, shown, holders, begin, end, after, count)
                depth += labels
            for t in range(labels):
                count[touched[t]] = 0
    return best


@njit(cache=True, nogil=True)
def containing_records(
    offsets: NDArray[np.int64], shown: NDArray[np.int32], bounds: NDArray[np.int64], d: int
) -> NDArray[np.int64]:
    """Return for each record the number of records of its group that show all its labels; group g is as above."""
    n = len(offsets) - 1
    support = np.zeros(d + 1, np.int64)
    for label in shown:
        support[label + 1] += 1
    starts = np.cumsum(support)
    holders, free = np.empty(len(shown), np.int64), starts[:-1].copy()
    for r in range(n):
        for p in range(offsets[r], offsets[r + 1]):
            holders[free[shown[p]]] = r
            free[shown[p]] += 1
    found = np.empty(n, np.int64)
    for g in range(len(bounds) - 1):
        for r in range(bounds[g], bounds[g + 1]):
            mine = shown[offsets[r] : offsets[r + 1]]
            if len(mine) == 0:
                found[r] = bounds[g + 1] - bounds[g]
                continue
            first, last = 0, n + 1
            for label in mine:  # the rarest label of the record within its group
                begin, end = starts[label], starts[label + 1]
                low = begin + np.searchsorted(holders[begin:end], bounds[g])
                high = begin + np.searchsorted(holders[begin:end], bounds[g + 1])
                if high - low < last - first:
                    first, last = low, high
            found[r] = 0
            for q in range(first, last):
                o = holders[q]
                found[r] += o == r or _contains(shown[offsets[o] : offsets[o + 1]], mine)
    return found


@njit(cache=True, nogil=True)
def _contains(others: NDArray[np.int32], mine: NDArray[np.int32]) -> bool:
    """Whether all of the ascending labels `mine` are among the ascending ones of another record."""
    if len(others) < len(mine):
        return False
    q = 0
    for label in mine:
        while q < len(others) and others[q] < label:
            q += 1
        if q == len(others) or others[q] != label:
            return False
        q += 1
    return True
