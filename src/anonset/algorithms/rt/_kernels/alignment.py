"""Labels for classes of alike records, such that all records of a class show the same ones, and which label stands for
each item.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ids = NDArray[np.int32]
Longs = NDArray[np.int64]
Reals = NDArray[np.float64]
Marks = NDArray[np.bool_]

SWEEPS = 16  # over all items and labels, most often far fewer until nothing is better
CELLS = 65_536  # labels times items: where there are more, the first labels stay
SLACK = 1e-9
LEAST = 0.001  # what an item still counts for that is read as often as it is there


class ClassItems(NamedTuple):
    """A class: item j, of 0, 1, ..., is in holders[starts[j] : starts[j + 1]], a share[j] of its `records` that hold any."""

    starts: Longs
    holders: Longs
    share: Reals
    records: int
    size: int  # with those that hold none


class ItemLabels(NamedTuple):
    """Labels 0, 1, ...: which items stand behind each, and what follows from it."""

    inside: Marks  # (labels, items)
    members: Longs  # (labels, items) the same items one after the other
    sizes: Longs  # (labels,) and how many
    hits: Longs  # (labels, records) items of the label that a record holds
    covers: Longs  # (items,) labels of the item
    read: Reals  # (items,) the sum of 1/n over them


@njit(cache=True, nogil=True)
def align_items(bounds: Longs, offsets: Longs, items: Ids, d: int) -> tuple[Longs, Ids, Ids]:
    """Return ends, items and labels: record r shows those from ends[r] to ends[r + 1], an item once for each of its labels.

    Record r holds items[offsets[r] : offsets[r + 1]], some of 0..d-1; records bounds[c] .. bounds[c + 1]-1 are class c, whose
    labels count from 0. All records of a class that hold items show all its labels; a class has about as many labels as a
    record has items. An item that all hold is a label of its own.
    """
    place = np.empty(d, np.int64)
    for i in range(d):
        place[i] = -1
    ends, filled = np.zeros(len(offsets), np.int64), np.int64(0)
    shown, labels = np.empty(2 * len(items), np.int32), np.empty(2 * len(items), np.int32)
    for c in range(len(bounds) - 1):
        inside = _class_labels(_held(bounds[c], bounds[c + 1], offsets, items, place))
        for r in range(bounds[c], bounds[c + 1]):
            for p in range(offsets[r], offsets[r + 1]):
                for a in range(len(inside)):
                    if inside[a, place[items[p]]]:
                        if filled == len(shown):
                            shown, labels = _longer(shown), _longer(labels)
                        shown[filled], labels[filled] = items[p], a
                        filled += 1
            ends[r + 1] = filled
        for p in range(offsets[bounds[c]], offsets[bounds[c + 1]]):
            place[items[p]] = -1
    return ends, shown[:filled], labels[:filled]


@njit(cache=True, nogil=True)
def _longer(values: Ids) -> Ids:
    found = np.empty(2 * len(values), np.int32)
    for p in range(len(values)):
        found[p] = values[p]
    return found


@njit(cache=True, nogil=True)
def _held(first: int, last: int, offsets: Longs, items: Ids, place: Longs) -> ClassItems:
    """Return the class of some records; write the number of each of its items to `place`, which was -1."""
    m, n = np.int64(0), int(np.int64(0))
    for r in range(first, last):
        n += offsets[r + 1] > offsets[r]
        for p in range(offsets[r], offsets[r + 1]):
            if place[items[p]] < 0:
                place[items[p]] = m
                m += 1
    starts, holders = np.zeros(m + 2, np.int64), np.empty(offsets[last] - offsets[first], np.int64)
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
def _class_labels(held: ClassItems) -> Marks:
    """Return which items stand behind each label of a class.

    Where a record holds nothing but items that all hold, one of these is behind the other labels too: besides a label of its
    own, and there is one other, or instead of it; whichever is read more truly.
    """
    m, exact, last = len(held.share), np.int64(0), np.int64(-1)
    others = np.zeros(held.size, np.bool_)
    for j in range(m):
        if held.starts[j + 1] - held.starts[j] == held.records:
            exact, last = exact + 1, j
        else:
            for p in range(held.starts[j], held.starts[j + 1]):
                others[held.holders[p]] = True
    free = held.share < 1.0
    if exact == m:
        return _with_exact(np.zeros((0, m), np.bool_), free)
    number = max(1, int((2 * len(held.holders) + held.records) // (2 * held.records) - exact))  # mean length, rounded
    if np.sum(others) == held.records:
        return _with_exact(_fitted(held, free, number)[0], free)
    single, off = free.copy().reshape(1, m), 0.0
    single[0, last] = True
    for j in range(m):
        off += _off(1.0 / (m - exact), held.share[j]) if free[j] else 0.0
    found, least = _fitted(held, single[0], number + 1)
    return _with_exact(found, single[0]) if least < off else _with_exact(single, free)


@njit(cache=True, nogil=True)
def _with_exact(labels: Marks, free: Marks) -> Marks:
    """Return the labels, and one for each item that is not free."""
    m = len(free)
    found, a = np.zeros((len(labels) + m - np.sum(free), m), np.bool_), len(labels)
    found[:a] = labels
    for j in range(m):
        if not free[j]:
            found[a, j] = True
            a += 1
    return found


@njit(cache=True, nogil=True)
def _fitted(held: ClassItems, free: Marks, number: int) -> tuple[Marks, float]:
    """Return so many labels or fewer, no two alike, of the free items, and the squares of what is read wrongly, summed."""
    m = len(free)
    sizes, hits = np.zeros(number, np.int64), np.zeros((number, held.size), np.int64)
    inside, members = np.zeros((number, m), np.bool_), np.zeros((number, m), np.int64)
    sets = ItemLabels(inside, members, sizes, hits, np.zeros(m, np.int64), np.zeros(m, np.float64))
    for a in range(number):
        _choose(a, held, free, sets, a == number - 1)
        _read(sets)
    for _ in range(SWEEPS if number * m <= CELLS else 0):
        if not _sweep(held, free, sets):
            break
    for a in range(number):
        sets.sizes[a] = 0 if _is_twin(a, sets) else sets.sizes[a]
    _read(sets)
    off = 0.0
    for j in range(m):
        off += _off(sets.read[j], held.share[j]) if free[j] else 0.0
    return inside[sizes > 0], off


@njit(cache=True, nogil=True)
def _choose(a: int, held: ClassItems, free: Marks, sets: ItemLabels, last: bool) -> None:
    """Fill label a until every record holds one of its items, first those that many hold and that are read too seldom.

    The last one starts with all items that have no label.
    """
    waiting = held.records
    for j in range(len(free)):
        if last and free[j] and sets.covers[j] == 0:
            waiting -= _put(a, j, 1, held, sets)
    while waiting > 0:
        best, most = int(np.int64(-1)), -1.0
        for j in range(len(free)):
            if free[j] and not sets.inside[a, j]:
                count = np.int64(0)
                for p in range(held.starts[j], held.starts[j + 1]):
                    count += sets.hits[a, held.holders[p]] == 0
                need = max(held.share[j] - sets.read[j], LEAST)
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
def _sweep(held: ClassItems, free: Marks, sets: ItemLabels) -> bool:
    """Put items behind labels, take them away, or move them, wherever items are then read more truly; tell whether any was."""
    better = False
    for j in range(len(free)):
        for a in range(len(sets.sizes)):
            if free[j] and not sets.inside[a, j]:
                if _gain(a, -1, j, held.share, sets) < -SLACK:
                    better |= _change(a, -1, j, held, sets)
            elif free[j] and sets.sizes[a] > 2 and _spares(a, j, held, sets):
                best, least = int(np.int64(-2)), -SLACK
                for b in range(-1 if sets.covers[j] > 1 else 0, len(sets.sizes)):
                    if b < 0 or not sets.inside[b, j]:
                        gain = _gain(b, a, j, held.share, sets)
                        if gain < least:
                            best, least = b, gain
                if best > -2:
                    better |= _change(best, a, j, held, sets)
    return better


@njit(cache=True, nogil=True)
def _spares(a: int, j: int, held: ClassItems, sets: ItemLabels) -> bool:
    """Whether every record that holds item j holds another one of label a."""
    alone = np.int64(0)
    for p in range(held.starts[j], held.starts[j + 1]):
        alone += sets.hits[a, held.holders[p]] < 2
    return alone == 0


@njit(cache=True, nogil=True)
def _off(read: float, share: float) -> float:
    off = min(read, 1.0) - share
    return off * off


@njit(cache=True, nogil=True)
def _gain(into: int, out: int, j: int, share: Reals, sets: ItemLabels) -> float:
    """Return by how much more is read wrongly once item j is behind label `into` and no longer behind `out` (-1: none)."""
    more = 1.0 / (sets.sizes[into] + 1) if into >= 0 else 0.0
    down = more - 1.0 / sets.sizes[into] if into >= 0 else 0.0
    less = 1.0 / sets.sizes[out] if out >= 0 else 0.0
    up = 1.0 / (sets.sizes[out] - 1) - less if out >= 0 else 0.0
    found = _off(sets.read[j] + more - less, share[j]) - _off(sets.read[j], share[j])
    for p in range(sets.sizes[into] if into >= 0 else 0):
        i = sets.members[into, p]
        also = up if out >= 0 and sets.inside[out, i] else 0.0
        found += _off(sets.read[i] + down + also, share[i]) - _off(sets.read[i], share[i])
    for p in range(sets.sizes[out] if out >= 0 else 0):
        i = sets.members[out, p]
        if i != j and not (into >= 0 and sets.inside[into, i]):
            found += _off(sets.read[i] + up, share[i]) - _off(sets.read[i], share[i])
    return found


@njit(cache=True, nogil=True)
def _change(into: int, out: int, j: int, held: ClassItems, sets: ItemLabels) -> bool:
    """Put item j behind label `into` and take it from `out` (-1: none), unless two labels are alike then; tell whether."""
    for turn in (1, -1):
        if into >= 0:
            _put(into, j, turn, held, sets)
        if out >= 0:
            _put(out, j, -turn, held, sets)
        if turn > 0 and not (into >= 0 and _is_twin(into, sets)) and not (out >= 0 and _is_twin(out, sets)):
            _read(sets)
            return True
    return False


@njit(cache=True, nogil=True)
def _read(sets: ItemLabels) -> None:
    """Write anew how often each item is read."""
    for j in range(len(sets.read)):
        sets.read[j] = 0.0
    for a in range(len(sets.sizes)):
        for p in range(sets.sizes[a]):
            sets.read[sets.members[a, p]] += 1.0 / sets.sizes[a]


@njit(cache=True, nogil=True)
def _is_twin(a: int, sets: ItemLabels) -> bool:
    """Whether another label has the same items."""
    for b in range(len(sets.sizes)):
        if b != a and sets.sizes[b] == sets.sizes[a]:
            same = np.int64(0)
            for p in range(sets.sizes[a]):
                same += sets.inside[b, sets.members[a, p]]
            if same == sets.sizes[a]:
                return True
    return False


Offsets = NDArray[np.int64]


@njit(cache=True, nogil=True)
def assigned_labels(
    offsets: Offsets, items: Ids, shown_offsets: Offsets, shown: Ids, label_offsets: Offsets, members: Ids, d: int
) -> Ids:
    """Return for each occurrence a label that its record shows and that stands for it, so that every label stands for some.

    Of any two labels of a record one contains the other, or they share nothing. The smallest comes first and takes an item that
    has no label yet; any will do, since the larger ones have them all, too. Other items get the smallest label there is.
    """
    found = np.full(len(items), -1, np.int32)
    place = np.full(d, -1, np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            place[items[p]] = p
        row = shown[shown_offsets[r] : shown_offsets[r + 1]].astype(np.int64)
        row = np.sort(((label_offsets[row + 1] - label_offsets[row]) << 32) | row) & 0xFFFFFFFF
        for everyone in (False, True):
            for label in row:
                for q in range(label_offsets[label], label_offsets[label + 1]):
                    p = place[members[q]]
                    if p >= 0 and found[p] < 0:
                        found[p] = label
                        if not everyone:
                            break
        for p in range(offsets[r], offsets[r + 1]):
            place[items[p]] = -1
    return found
