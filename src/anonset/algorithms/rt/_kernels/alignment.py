"""Labels for classes of alike records: all records of a class show the same labels, and each holds an item of every one.

A reader takes a label of n items for each of them with probability 1/n; an item's labels add up. Labels are fitted so that each
item is read about as often as records of the class hold it.
1. An item that all records hold is a label of its own.
2. The other labels, about as many as a record has other items, are filled one by one with items that many records hold and that
   are read too seldom (`_fill_label`).
3. Sweeps over items and labels put items behind labels, take them away, and move them, while that brings what is read closer
   to the truth, in the sum of squares (`_sweep`).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs, Reals, with_room

SWEEPS = 16  # at most; mostly a few sweeps find nothing better
LARGEST_FIT = 65_536  # labels times items; larger classes keep the labels of step 2
SLACK = 1e-9
LEAST_NEED = 0.001  # of an item that is read as often as it is there: it may still complete a label


class ClassItems(NamedTuple):
    """A class: item j, of 0, 1, ..., is in holders[starts[j] : starts[j + 1]], a share[j] of its `records` that hold any."""

    starts: Longs
    holders: Longs
    share: Reals
    records: int
    size: int  # with those that hold none


class ItemLabels(NamedTuple):
    """Labels 0, 1, ...: which items are behind each, and the counts that follow from it."""

    inside: Flags  # (labels, items)
    members: Longs  # (labels, sizes) the same items as lists
    sizes: Longs  # (labels,) number of these items
    hits: Longs  # (labels, records) items of the label that a record holds
    covers: Longs  # (items,) number of labels of the item
    read: Reals  # (items,) the sum of 1/n over these labels


@njit(cache=True, nogil=True)
def align_items(bounds: Longs, offsets: Longs, items: Ints, d: int) -> tuple[Longs, Ints, Ints]:
    """Return ends, items and labels: record r shows those from ends[r] to ends[r + 1], an item once for each of its labels.

    Record r holds items[offsets[r] : offsets[r + 1]], some of 0..d-1; records bounds[c] .. bounds[c + 1]-1 are class c, whose
    labels count from 0. All records of a class that hold items show all its labels; a class has about as many labels as a
    record has items. An item that all hold is a label of its own.
    """
    place = np.empty(d, np.int64)
    for i in range(d):
        place[i] = -1
    ends = np.zeros(len(offsets), np.int64)
    shown = np.empty(2 * len(items), np.int32)
    labels = np.empty(2 * len(items), np.int32)
    filled = np.int64(0)
    for c in range(len(bounds) - 1):
        inside = _class_labels(_class_items(bounds[c], bounds[c + 1], offsets, items, place))
        for r in range(bounds[c], bounds[c + 1]):
            for p in range(offsets[r], offsets[r + 1]):
                for a in range(len(inside)):
                    if inside[a, place[items[p]]]:
                        if filled == len(shown):
                            shown = with_room(shown, len(shown) + 1)
                            labels = with_room(labels, len(labels) + 1)
                        shown[filled] = items[p]
                        labels[filled] = a
                        filled += 1
            ends[r + 1] = filled
        for p in range(offsets[bounds[c]], offsets[bounds[c + 1]]):
            place[items[p]] = -1
    return ends, shown[:filled], labels[:filled]


@njit(cache=True, nogil=True)
def _class_items(first: int, last: int, offsets: Longs, items: Ints, place: Longs) -> ClassItems:
    """Return the class of some records; write the number of each of its items to `place`, which was -1."""
    m = np.int64(0)  # different items
    n = int(np.int64(0))  # records that hold any
    for r in range(first, last):
        n += offsets[r + 1] > offsets[r]
        for p in range(offsets[r], offsets[r + 1]):
            if place[items[p]] < 0:
                place[items[p]] = m
                m += 1
    starts = np.zeros(m + 2, np.int64)
    holders = np.empty(offsets[last] - offsets[first], np.int64)
    for p in range(offsets[first], offsets[last]):
        starts[place[items[p]] + 2] += 1
    for j in range(m):
        starts[j + 2] += starts[j + 1]
    for r in range(first, last):
        for p in range(offsets[r], offsets[r + 1]):
            holders[starts[place[items[p]] + 1]] = r - first
            starts[place[items[p]] + 1] += 1
    share = np.empty(m, np.float64)
    for j in range(m):
        share[j] = (starts[j + 1] - starts[j]) / n
    return ClassItems(starts, holders, share, n, last - first)


@njit(cache=True, nogil=True)
def _class_labels(held: ClassItems) -> Flags:
    """Return which items are behind each label of a class.

    Where a record holds nothing but items that all hold, one of these must be behind the other labels too: besides a label of
    its own, with one other label, or instead of it; whichever is read more truly.
    """
    m = len(held.share)
    exact, last = np.int64(0), np.int64(-1)  # items that all records hold: their number, and the last of them
    others = np.zeros(held.size, np.bool_)  # records that hold another item
    for j in range(m):
        if held.starts[j + 1] - held.starts[j] == held.records:
            exact += 1
            last = j
        else:
            for p in range(held.starts[j], held.starts[j + 1]):
                others[held.holders[p]] = True
    free = held.share < 1.0
    if exact == m:
        return _with_exact(np.zeros((0, m), np.bool_), free)
    number = max(1, int((2 * len(held.holders) + held.records) // (2 * held.records) - exact))  # mean length, rounded
    if np.sum(others) == held.records:
        return _with_exact(_fitted(held, free, number)[0], free)
    single = free.copy().reshape(1, m)  # one label of all other items and the last exact one
    single[0, last] = True
    error = 0.0
    for j in range(m):
        error += _squared_error(1.0 / (m - exact), held.share[j]) if free[j] else 0.0
    fitted, fitted_error = _fitted(held, single[0], number + 1)
    return _with_exact(fitted, single[0]) if fitted_error < error else _with_exact(single, free)


@njit(cache=True, nogil=True)
def _with_exact(labels: Flags, free: Flags) -> Flags:
    """Return the labels, and one for each item that is not free."""
    m, a = len(free), len(labels)
    extended = np.zeros((a + m - np.sum(free), m), np.bool_)
    extended[:a] = labels
    for j in range(m):
        if not free[j]:
            extended[a, j] = True
            a += 1
    return extended


@njit(cache=True, nogil=True)
def _fitted(held: ClassItems, free: Flags, number: int) -> tuple[Flags, float]:
    """Return at most `number` labels, no two alike, of the free items, and the sum of squared errors of what is read."""
    m = len(free)
    inside = np.zeros((number, m), np.bool_)
    sizes = np.zeros(number, np.int64)
    sets = ItemLabels(
        inside,
        np.zeros((number, m), np.int64),
        sizes,
        np.zeros((number, held.size), np.int64),
        np.zeros(m, np.int64),
        np.zeros(m, np.float64),
    )
    for a in range(number):
        _fill_label(a, held, free, sets, a == number - 1)
        _update_read(sets)
    for _ in range(SWEEPS if number * m <= LARGEST_FIT else 0):
        if not _sweep(held, free, sets):
            break
    for a in range(number):
        sets.sizes[a] = 0 if _is_twin(a, sets) else sets.sizes[a]
    _update_read(sets)
    error = 0.0
    for j in range(m):
        error += _squared_error(sets.read[j], held.share[j]) if free[j] else 0.0
    return inside[sizes > 0], error


@njit(cache=True, nogil=True)
def _fill_label(a: int, held: ClassItems, free: Flags, sets: ItemLabels, last: bool) -> None:
    """Fill label a until every record holds one of its items, first those that many hold and that are read too seldom.

    The last one starts with all items that have no label.
    """
    waiting = held.records
    for j in range(len(free)):
        if last and free[j] and sets.covers[j] == 0:
            waiting -= _put(a, j, 1, held, sets)
    while waiting > 0:
        best = int(np.int64(-1))
        most = -1.0
        for j in range(len(free)):
            if free[j] and not sets.inside[a, j]:
                count = np.int64(0)
                for p in range(held.starts[j], held.starts[j + 1]):
                    count += sets.hits[a, held.holders[p]] == 0
                need = max(held.share[j] - sets.read[j], LEAST_NEED)
                if count > 0 and count * need * need > most:
                    best, most = j, count * need * need
        waiting -= _put(a, best, 1, held, sets)


@njit(cache=True, nogil=True)
def _put(a: int, j: int, step: int, held: ClassItems, sets: ItemLabels) -> int:
    """Put item j behind label a (1) or take it away (-1); return how many records held none of the label's items."""
    sets.inside[a, j] = step > 0
    at = sets.sizes[a] if step > 0 else np.int64(0)
    while step < 0 and sets.members[a, at] != j:
        at += 1
    sets.sizes[a] += step
    sets.members[a, at] = j if step > 0 else sets.members[a, sets.sizes[a]]
    sets.covers[j] += step
    fresh = np.int64(0)
    for p in range(held.starts[j], held.starts[j + 1]):
        fresh += sets.hits[a, held.holders[p]] == 0
        sets.hits[a, held.holders[p]] += step
    return fresh


@njit(cache=True, nogil=True)
def _sweep(held: ClassItems, free: Flags, sets: ItemLabels) -> bool:
    """Put items behind labels, take them away, or move them, where items are then read more truly; return whether any was."""
    better = False
    for j in range(len(free)):
        for a in range(len(sets.sizes)):
            if free[j] and not sets.inside[a, j]:
                if _added_error(a, -1, j, held.share, sets) < -SLACK:
                    better |= _change(a, -1, j, held, sets)
            elif free[j] and sets.sizes[a] > 2 and _spares(a, j, held, sets):
                best = int(np.int64(-2))  # the label to move to; -1: none, just take it away; -2: stay
                least = -SLACK
                for b in range(-1 if sets.covers[j] > 1 else 0, len(sets.sizes)):
                    if b < 0 or not sets.inside[b, j]:
                        added = _added_error(b, a, j, held.share, sets)
                        if added < least:
                            best, least = b, added
                if best > -2:
                    better |= _change(best, a, j, held, sets)
    return better


@njit(cache=True, nogil=True)
def _spares(a: int, j: int, held: ClassItems, sets: ItemLabels) -> bool:
    """Return whether every record that holds item j holds another one of label a."""
    alone = np.int64(0)
    for p in range(held.starts[j], held.starts[j + 1]):
        alone += sets.hits[a, held.holders[p]] < 2
    return alone == 0


@njit(cache=True, nogil=True)
def _squared_error(read: float, share: float) -> float:
    """Return the squared error of an item that is read so often, and that a share of the records hold."""
    error = min(read, 1.0) - share
    return error * error


@njit(cache=True, nogil=True)
def _added_error(into: int, out: int, j: int, share: Reals, sets: ItemLabels) -> float:
    """Return what is added to the squared errors once item j is behind label `into` and no longer behind `out` (-1: none)."""
    more = 1.0 / (sets.sizes[into] + 1) if into >= 0 else 0.0  # what `into` adds to j
    down = more - 1.0 / sets.sizes[into] if into >= 0 else 0.0  # and takes from each of its other items
    less = 1.0 / sets.sizes[out] if out >= 0 else 0.0  # what `out` takes from j
    up = 1.0 / (sets.sizes[out] - 1) - less if out >= 0 else 0.0  # and adds to each of its other items
    added = _squared_error(sets.read[j] + more - less, share[j]) - _squared_error(sets.read[j], share[j])
    for p in range(sets.sizes[into] if into >= 0 else 0):
        i = sets.members[into, p]
        also = up if out >= 0 and sets.inside[out, i] else 0.0
        added += _squared_error(sets.read[i] + down + also, share[i]) - _squared_error(sets.read[i], share[i])
    for p in range(sets.sizes[out] if out >= 0 else 0):
        i = sets.members[out, p]
        if i != j and not (into >= 0 and sets.inside[into, i]):
            added += _squared_error(sets.read[i] + up, share[i]) - _squared_error(sets.read[i], share[i])
    return added


@njit(cache=True, nogil=True)
def _change(into: int, out: int, j: int, held: ClassItems, sets: ItemLabels) -> bool:
    """Put item j behind label `into` and take it from `out` (-1: none), unless two labels are alike then; return whether."""
    for turn in (1, -1):
        if into >= 0:
            _put(into, j, turn, held, sets)
        if out >= 0:
            _put(out, j, -turn, held, sets)
        if turn > 0 and not (into >= 0 and _is_twin(into, sets)) and not (out >= 0 and _is_twin(out, sets)):
            _update_read(sets)
            return True
    return False


@njit(cache=True, nogil=True)
def _update_read(sets: ItemLabels) -> None:
    """Compute how often each item is read."""
    for j in range(len(sets.read)):
        sets.read[j] = 0.0
    for a in range(len(sets.sizes)):
        for p in range(sets.sizes[a]):
            sets.read[sets.members[a, p]] += 1.0 / sets.sizes[a]


@njit(cache=True, nogil=True)
def _is_twin(a: int, sets: ItemLabels) -> bool:
    """Return whether another label has the same items."""
    for b in range(len(sets.sizes)):
        if b != a and sets.sizes[b] == sets.sizes[a]:
            same = np.int64(0)
            for p in range(sets.sizes[a]):
                same += sets.inside[b, sets.members[a, p]]
            if same == sets.sizes[a]:
                return True
    return False
