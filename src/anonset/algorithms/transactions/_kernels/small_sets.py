"""Take labels away from records so that every set of two labels, or of two and three, is in k records of its group.

Sets are counted in a hash table: at an even place the key of a set, behind it how many records show it.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from anonset.algorithms.transactions._kernels.label_sets import GroupedLabels, LabelChoice
from anonset.kernels.arrays import Flags, Ints, Longs
from anonset.kernels.hash_table import FREE, cell_of

SET_MARKS = 1 << 18  # marks of sets at most: sets whose keys end alike share one


class SetTable(NamedTuple):
    """How many records show each set that has a watched label, and each label."""

    cells: Longs
    single: Longs
    watched: Flags
    k: int
    most: int
    key_bits: int  # of a key that tell its mark: one less than the number of marks


class RareMarks(NamedTuple):
    """What became rare in the round before and in this one: labels of sets, and sets by some bits of their keys.

    A set can be rare only where all these are marked. Labels that were taken anywhere are in `gone`.
    """

    old: Flags
    new: Flags
    old_sets: Flags
    new_sets: Flags
    gone: Flags


@njit(cache=True, nogil=True)
def close_small_sets(shown: GroupedLabels, watched: Flags, gone: Flags, k: int, most: int, choice: LabelChoice) -> int:
    """Take away labels that are not fixed until each watched label and each set of up to `most` with one is in k records.

    Return how many were taken; gone[a] says of label a whether it was taken anywhere. What is fixed must be closed on its own.
    """
    taken, d, room = 0, len(watched), shown.count.max()
    old, new = np.empty(d, np.bool_), np.empty(d, np.bool_)
    marks = RareMarks(old, new, np.empty(SET_MARKS, np.bool_), np.empty(SET_MARKS, np.bool_), gone)
    rare, near, single = np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(d, np.int64)
    for g in range(len(shown.bounds) - 1):
        table = _count_sets(shown, g, single, watched, k, most)
        marks.old[:] = True
        marks.old_sets[: table.key_bits + 1] = True
        first, lost = True, 1
        while lost > 0:
            lost = 0
            marks.new[:] = False
            marks.new_sets[: table.key_bits + 1] = False
            for r in range(shown.bounds[g], shown.bounds[g + 1]):
                row = shown.labels[shown.offsets[r] : shown.offsets[r] + shown.count[r]]
                if len(row) > shown.fixed[r] and _has_watched(row, watched):
                    left = _close_record(row, shown.fixed[r], table, marks, rare, near, first, choice)
                    lost += len(row) - left
                    shown.count[r] = left
            taken, first = taken + lost, False
            marks = RareMarks(marks.new, marks.old, marks.new_sets, marks.old_sets, gone)
    return taken


@njit(cache=True, nogil=True)
def free_labels(shown: GroupedLabels, watched: Flags, leaving: Flags, k: int, most: int, each: int) -> None:
    """Take up to `each` labels from each record, where each of its sets is in k records without it.

    Only watched labels can go, and only at places marked as leaving. All sets must be closed, and stay so.
    """
    d, room = len(watched), shown.count.max()
    nothing, no_sets = np.zeros(d, np.bool_), np.zeros(SET_MARKS, np.bool_)
    marks = RareMarks(nothing, nothing, no_sets, no_sets, nothing)
    rare, near, single = np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(d, np.int64)
    for g in range(len(shown.bounds) - 1):
        table = _count_sets(shown, g, single, watched, k, most)
        for r in range(shown.bounds[g], shown.bounds[g + 1]):
            i, left = shown.count[r] - 1, each
            while i >= 0 and left > 0:
                row = shown.labels[shown.offsets[r] : shown.offsets[r] + shown.count[r]]
                if leaving[shown.offsets[r] + i] and single[row[i]] > k and _near(row, i, table) == 0:
                    shown.count[r] = _take(row, i, len(row), table, marks, rare, near)
                    left -= 1
                i -= 1


@njit(cache=True, nogil=True)
def _has_watched(row: Ints, watched: Flags) -> bool:
    """Return whether a record shows a watched label."""
    i = 0
    while i < len(row) and not watched[row[i]]:
        i += 1
    return i < len(row)


@njit(cache=True, nogil=True)
def _count_sets(shown: GroupedLabels, g: int, single: Longs, watched: Flags, k: int, most: int) -> SetTable:
    """Return how many records of group g show each set of two labels and more that has a watched one, and each label."""
    cells, used, d = np.full(2048, FREE, np.int64), 0, len(watched)
    single[:] = 0
    for r in range(shown.bounds[g], shown.bounds[g + 1]):
        row = shown.labels[shown.offsets[r] : shown.offsets[r] + shown.count[r]]
        n = len(row)
        for a in row:
            single[a] += 1
        for i in range(n if _has_watched(row, watched) else 0):
            room = used + (n if most < 3 else n * n // 2)
            if 4 * room > len(cells):
                cells = _grown(cells, room)
            a = row[i]
            for j in range(i):
                b = row[j]
                if watched[a] or watched[b]:
                    used += _add(cells, _key(a, b, d, d))
                for h in range(j if most > 2 else 0):
                    if watched[a] or watched[b] or watched[row[h]]:
                        used += _add(cells, _key(a, b, row[h], d))
    return SetTable(cells, single, watched, k, most, min(len(cells), SET_MARKS) - 1)


@njit(cache=True, nogil=True)
def _add(cells: Longs, key: int) -> int:
    """Count a set once more; return 1 if it is new, else 0."""
    at = cell_of(key, cells)
    if cells[at] == FREE:
        cells[at], cells[at + 1] = key, 1
        return 1
    cells[at + 1] += 1
    return 0


@njit(cache=True, nogil=True)
def _grown(cells: Longs, used: int) -> Longs:
    """Return a table with the same sets that is less than half full."""
    size = len(cells)
    while size < 5 * used:
        size *= 2
    wide = np.full(size, FREE, np.int64)
    for p in range(0, len(cells), 2):
        if cells[p] != FREE:
            at = cell_of(cells[p], wide)
            wide[at], wide[at + 1] = cells[p], cells[p + 1]
    return wide


@njit(cache=True, nogil=True)
def _key(a: int, b: int, c: int, d: int) -> int:
    """Return the key of three labels, or of two where c is d."""
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
        if a > b:
            a, b = b, a
    return (np.int64(a) * (d + 1) + b) * (d + 1) + c


@njit(cache=True, nogil=True)
def _close_record(
    row: Ints, fixed: int, table: SetTable, marks: RareMarks, rare: Longs, near: Longs, all_marked: bool, choice: LabelChoice
) -> int:
    """Take labels from one record until it has no rare set of marked labels; return how many stay."""
    n = len(row)
    if not _find_rare(row, fixed, table, marks, rare, near):
        return n
    for i in range(fixed, n):
        if rare[i] > 0 and not all_marked:
            near[i] = _near(row, i, table)
    while True:
        worst, most = -1, 0.0
        for i in range(fixed, n):
            if rare[i] > 0:
                worth = rare[i] / (1.0 + choice.near_weight * near[i])
                worth /= np.sqrt(table.single[row[i]]) if choice.rarer_first else 1.0
                if worst < 0 or worth > most or (worth == most and table.single[row[i]] < table.single[row[worst]]):
                    worst, most = i, worth
        if worst < 0:
            return n
        marks.gone[row[worst]] = True
        n = _take(row, worst, n, table, marks, rare, near)


@njit(cache=True, nogil=True)
def _find_rare(row: Ints, fixed: int, table: SetTable, marks: RareMarks, rare: Longs, near: Longs) -> bool:
    """Count the rare sets each label of a record is in, and those in exactly k records. Return whether there are rare ones."""
    cells, single, watched = table.cells, table.single, table.watched
    k, most, key_bits = table.k, table.most, table.key_bits
    old, new = marks.old, marks.new
    old_sets, new_sets = marks.old_sets, marks.new_sets
    n, d, found = len(row), len(watched), False
    rare[:n] = 0
    near[:n] = 0
    for i in range(fixed, n):
        a = row[i]
        if not (old[a] or new[a]):
            continue
        if watched[a] and single[a] < k:
            rare[i] += n
            found = True
        for j in range(i):
            b = row[j]
            if not (old[b] or new[b]):
                continue
            if watched[a] or watched[b]:
                key = _key(a, b, d, d)
                if old_sets[key & key_bits] or new_sets[key & key_bits]:
                    count = cells[cell_of(key, cells) + 1]
                    found |= count < k
                    for place in (i, j):
                        rare[place] += count < k
                        near[place] += count == k
            for h in range(j if most > 2 else 0):
                c = row[h]
                if (old[c] or new[c]) and (watched[a] or watched[b] or watched[c]):
                    key = _key(a, b, c, d)
                    if old_sets[key & key_bits] or new_sets[key & key_bits]:
                        count = cells[cell_of(key, cells) + 1]
                        found |= count < k
                        for place in (i, j, h):
                            rare[place] += count < k
                            near[place] += count == k
    return found


@njit(cache=True, nogil=True)
def _near(row: Ints, i: int, table: SetTable) -> int:
    """Return how many of the sets with label i of a record are in exactly k records."""
    cells, k, most = table.cells, table.k, table.most
    found, d = 0, len(table.watched)
    for j in range(len(row)):
        if j == i:
            continue
        found += cells[cell_of(_key(row[i], row[j], d, d), cells) + 1] == k
        for h in range(j if most > 2 else 0):
            found += h != i and cells[cell_of(_key(row[i], row[j], row[h], d), cells) + 1] == k
    return found


@njit(cache=True, nogil=True)
def _take(row: Ints, i: int, n: int, table: SetTable, marks: RareMarks, rare: Longs, near: Longs) -> int:
    """Take label i from a record of n labels, and mark the labels of sets that become rare; return how many stay."""
    cells, single, watched = table.cells, table.single, table.watched
    k, most, key_bits = table.k, table.most, table.key_bits
    new, new_sets = marks.new, marks.new_sets
    a, d = row[i], len(watched)
    single[a] -= 1
    new[a] |= single[a] == k - 1
    for j in range(n):
        if j == i:
            continue
        b = row[j]
        if watched[a] or watched[b]:
            at = cell_of(_key(a, b, d, d), cells)
            cells[at + 1] -= 1
            rare[j] -= cells[at + 1] < k - 1
            if cells[at + 1] == k - 1:
                near[j] -= 1
                new_sets[cells[at] & key_bits] = new[a] = new[b] = True
        for h in range(j if most > 2 else 0):
            c = row[h]
            if h != i and (watched[a] or watched[b] or watched[c]):
                at = cell_of(_key(a, b, c, d), cells)
                cells[at + 1] -= 1
                for place in (j, h):
                    rare[place] -= cells[at + 1] < k - 1
                    near[place] -= cells[at + 1] == k - 1
                if cells[at + 1] == k - 1:
                    new_sets[cells[at] & key_bits] = new[a] = new[b] = new[c] = True
    n -= 1
    row[i], rare[i], near[i] = row[n], rare[n], near[n]
    return n
