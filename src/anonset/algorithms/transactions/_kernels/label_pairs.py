"""Take labels away from records so that every label and every pair of labels is in k records of its group.

The labels of a record are sorted, the watched ones first. So its pairs with a watched label have places, and these the numbers
under which pairs are counted: nothing is looked up by its key, as larger sets are in `small_sets`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Labels = NDArray[np.int32]
Longs = NDArray[np.int64]
Numbers = NDArray[np.uint32]
Flags = NDArray[np.bool_]

NEAR = 0.3  # how much a pair with exactly k records weighs that losing one would make rare
RARE = (1 << 32) - 1  # the bits of Counts.rare that count rare pairs


class PairRecordLabels(NamedTuple):
    """Record r shows labels[offsets[r] : offsets[r] + count[r]]; the first fixed[r] of these stay, the others may go."""

    bounds: Longs  # of the records of each group
    offsets: Longs
    labels: Labels
    count: Labels
    fixed: Labels


class WatchedRecords(NamedTuple):
    """The records of a group that show watched labels: line q is record rows[q], with wide[q] of these."""

    rows: Longs
    starts: Longs  # of the labels of each line
    wide: Labels
    labels: Labels  # -1 once taken
    ranks: Labels  # where the label that the record shows at each place is among the sorted ones
    firsts: Longs  # of the pairs of each line; a line that cannot lose labels has none
    pairs: Numbers


class GroupLabels(NamedTuple):
    """The labels of one group by numbers of their own, in their order, and how many records show each."""

    met: Longs  # the group in which each label was met last, from 1
    number: Labels
    label: Labels
    single: Labels
    rarer_first: bool


class Counts(NamedTuple):
    """How many records show each label and pair; where one becomes rare, lines wake up, and when the next round begins."""

    k: int
    single: Labels
    pair: Labels
    heads: Longs
    line: Labels  # those of a watched label a are from heads[a] to heads[a + 1] - 1
    awake: Flags  # lines that may have something rare
    woken: Labels  # the round in which each label was woken last
    left: Labels  # ranks of one line
    rare: Longs  # how many rare pairs each of these is in; nearly rare ones count 2^32


@njit(cache=True, nogil=True, error_model="numpy")
def close_pairs(shown: PairRecordLabels, watched: Flags, doubtful: Flags, gone: Flags, k: int, rarer_first: bool) -> int:
    """Take away labels that are not fixed until each watched label and each pair with one is in k records of its group.

    Now only those with a doubtful label can be rare. Return how many were taken; gone[a] says of label a whether it was taken.
    Of a record's rare pairs the label in most goes first (rarer first: by the root of its support), unless others become rare.
    """
    taken, d = 0, len(watched)
    desk = GroupLabels(np.zeros(d, np.int64), np.empty(d, np.int32), np.empty(d, np.int32), np.empty(d, np.int32), rarer_first)
    for g in range(len(shown.bounds) - 1):
        n = _number(shown, g, desk)
        lines, lost = _lines(shown, g, watched, doubtful, gone, desk, k)
        taken += lost + (_close_lines(shown, lines, watched, doubtful, gone, desk, n, k) if len(lines.pairs) > 0 else 0)
    return taken


@njit(cache=True, nogil=True, error_model="numpy")
def _close_lines(
    shown: PairRecordLabels,
    lines: WatchedRecords,
    watched: Flags,
    doubtful: Flags,
    gone: Flags,
    desk: GroupLabels,
    n: int,
    k: int,
) -> int:
    """Take away labels from lines, round by round, until nothing is rare; return how many were taken."""
    heads, room = np.zeros(n + 2, np.int64), np.diff(lines.starts).max()
    for i in range(n):
        heads[i + 2] = heads[i + 1] + (desk.single[i] if watched[desk.label[i]] else 0)
    line, rank = _sorted(shown, lines, watched, heads, desk.number)
    many = 2 * len(lines.pairs) > n * (n - 1) // 2 and n < 1 << 16
    pair = _counted_in_triangle(lines, n) if many else _counted(lines, heads, line, rank)
    awake, left, rare = np.zeros(len(lines.rows), np.bool_), np.empty(room, np.int32), np.empty(room, np.int64)
    counts = Counts(k, desk.single[:n], pair, heads, line, awake, doubtful[desk.label[:n]].astype(np.int32), left, rare)
    taken, lost, turn = 0, 1, 1
    while lost > 0:
        lost, turn = _close_awake(shown, lines, counts, turn + 1, gone, desk.rarer_first), turn + 1
        taken += lost
    return taken


@njit(cache=True, nogil=True, error_model="numpy")
def _number(shown: PairRecordLabels, g: int, desk: GroupLabels) -> int:
    """Number and count the labels that the records of a group show; return how many there are."""
    n, met, number, label, single = 0, desk.met, desk.number, desk.label, desk.single
    for r in range(shown.bounds[g], shown.bounds[g + 1]):
        for p in range(shown.offsets[r], shown.offsets[r] + shown.count[r]):
            a = shown.labels[p]
            if met[a] != g + 1:
                met[a], label[n], number[a] = g + 1, a, 0
                n += 1
            number[a] += 1
    label[:n].sort()
    for i in range(n):
        single[i], number[label[i]] = number[label[i]], i
    return n


@njit(cache=True, nogil=True, error_model="numpy")
def _lines(
    shown: PairRecordLabels, g: int, watched: Flags, doubtful: Flags, gone: Flags, desk: GroupLabels, k: int
) -> tuple[WatchedRecords, int]:
    """Room for the records of a group with watched labels, once doubtful labels that are rare are gone; and how many went."""
    bounds, offsets, shows, count, fixed = shown
    number, single = desk.number, desk.single
    first, last, lost, n = bounds[g], bounds[g + 1], 0, 0
    rows, wide = np.empty(last - first, np.int64), np.empty(last - first, np.int32)
    starts, firsts = np.zeros(last - first + 1, np.int64), np.zeros(last - first + 1, np.int64)
    for r in range(first, last):
        w, end = np.int64(0), offsets[r] + fixed[r]
        for p in range(offsets[r], end):
            w += watched[shows[p]]
        for p in range(end, offsets[r] + count[r]):
            a = shows[p]
            if doubtful[a] and single[number[a]] < k:
                gone[a] = True
                single[number[a]] -= 1
            else:
                shows[end], w = a, w + watched[a]
                end += 1
        many = end - offsets[r]
        lost, count[r] = lost + count[r] - many, many
        if w > 0:
            rows[n], wide[n] = r, w
            starts[n + 1] = starts[n] + many
            firsts[n + 1] = firsts[n] + (w * (2 * many - w - 1) // 2 if many > fixed[r] else 0)
            n += 1
    labels, ranks = np.empty(starts[n], np.int32), np.empty(starts[n], np.int32)
    return WatchedRecords(rows[:n], starts, wide[:n], labels, ranks, firsts, np.empty(firsts[n], np.uint32)), lost


@njit(cache=True, nogil=True, error_model="numpy")
def _sorted(
    shown: PairRecordLabels, lines: WatchedRecords, watched: Flags, heads: Longs, number: Labels
) -> tuple[Labels, Labels]:
    """Sort the labels of the lines by number: in which lines each watched one is, heads[a] to heads[a + 1], at which rank."""
    line, place, filled = np.empty(heads[-1], np.int32), np.empty(heads[-1], np.int32), lines.wide.copy()
    for q in range(len(lines.rows)):
        r, start = lines.rows[q], lines.starts[q]
        for i in range(shown.count[r]):
            a = number[shown.labels[shown.offsets[r] + i]]
            if watched[shown.labels[shown.offsets[r] + i]]:
                line[heads[a + 1]], place[heads[a + 1]] = q, i
                heads[a + 1] += 1
            else:
                lines.labels[start + filled[q]], lines.ranks[start + i] = a, filled[q]
                filled[q] += 1
    filled[:] = 0
    for a in range(len(heads) - 2):
        for x in range(heads[a], heads[a + 1]):
            q, i = line[x], place[x]
            lines.labels[lines.starts[q] + filled[q]], lines.ranks[lines.starts[q] + i], place[x] = a, filled[q], filled[q]
            filled[q] += 1
    return line, place


@njit(cache=True, nogil=True, error_model="numpy")
def _counted(lines: WatchedRecords, heads: Longs, line: Labels, rank: Labels) -> Labels:
    """Number the pairs of the lines label by label, and count them."""
    found, n, number = np.empty(64, np.int32), 0, np.full(len(heads) - 2, -1, np.int32)
    for a in range(len(number)):
        older = n
        for x in range(heads[a], heads[a + 1]):
            q, s = line[x], rank[x]
            start, stop, keeps = lines.starts[q], lines.starts[q + 1], lines.firsts[q + 1] > lines.firsts[q]
            if n + stop - start > len(found):
                found = np.concatenate((found, np.empty(len(found) + stop - start, np.int32)))
            first = _row(lines.firsts[q], stop - start, s) - start
            for t in range(start + s + 1, stop):
                b = lines.labels[t]
                if number[b] < older:
                    number[b], found[n] = n, 0
                    n += 1
                found[number[b]] += 1
                if keeps:
                    lines.pairs[first + t] = number[b]
    return found[:n]


@njit(cache=True, nogil=True, error_model="numpy")
def _counted_in_triangle(lines: WatchedRecords, d: int) -> Labels:
    """Number the pairs of the lines by their labels, line by line, and count them: quicker where a pair is in many lines."""
    found = np.zeros(d * (d - 1) // 2, np.int32)
    for q in range(len(lines.rows)):
        start, at, keeps = lines.starts[q], lines.firsts[q], lines.firsts[q + 1] > lines.firsts[q]
        for s in range(start, start + lines.wide[q]):
            a = np.int64(lines.labels[s])
            for t in range(s + 1, lines.starts[q + 1]):
                b = np.int64(lines.labels[t])
                number = b * (b - 1) // 2 + a if a < b else a * (a - 1) // 2 + b
                found[number] += 1
                if keeps:
                    lines.pairs[at] = number
                    at += 1
    return found


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _row(first: int, n: int, s: int) -> int:
    """Where the number of the pair of the labels at ranks s < t is, less t, in a line of n whose pairs begin at `first`."""
    return first + s * (2 * n - s - 1) // 2 - s - 1


@njit(cache=True, nogil=True, error_model="numpy")
def _close_awake(
    shown: PairRecordLabels, lines: WatchedRecords, counts: Counts, turn: int, gone: Flags, rarer_first: bool
) -> int:
    """Take labels from the lines that are awake until they have no rare pair, and let them sleep; return how many went."""
    _, offsets, labels, count, fixed = shown
    rows, starts, wides, own, ranks, firsts, pairs = lines
    k, single, pair, heads, line, awake, woken, left, rare = counts
    lost = 0  # arrays leave their tuples once, loops have one way out, places are unsigned: all else takes time in here
    for a in range(len(woken)):
        if woken[a] == turn - 1:
            _wake(heads, line, awake, woken, a, turn - 1)
    for q in range(len(rows)):
        r, start, first, wide, size = rows[q], starts[q], firsts[q], wides[q], starts[q + 1] - starts[q]
        row, n, worst = offsets[r], count[r], -1
        if awake[q] and n > fixed[r]:
            i, fresh = 0, False
            for s in range(size):
                a = own[start + s]
                if a >= 0:
                    left[i], rare[s] = s, n if s < wide and single[a] < k else 0  # a rare label weighs as much as all
                    i, fresh = i + 1, fresh or rare[s] > 0 or woken[a] >= turn - 1
            if fresh:
                worst = 0
                _count_rare(pair, pairs, left, rare, first, size, wide, n, k)
        while worst >= 0:
            worst, most, least = -1, 0.0, single[0]
            for i in range(fixed[r], n):
                s = np.uint64(ranks[np.uint64(start + i)])
                many = rare[s] & RARE
                if many > 0 and many >= most:
                    worth, support = many / (1.0 + NEAR * (rare[s] >> 32)), single[own[np.uint64(start) + s]]
                    worth /= np.sqrt(support) if rarer_first else 1.0
                    if worth > most or (worth == most and support < least):
                        worst, most, least = i, worth, support
            if worst >= 0:
                s = ranks[start + worst]
                a, gone[labels[row + worst]], own[start + s], at_end = own[start + s], True, -1, 0
                single[a] -= 1
                if single[a] == k - 1 and woken[a] < turn:
                    _wake(heads, line, awake, woken, a, turn)
                for j in range(n):
                    t = left[j]
                    if t == s:
                        at_end = j
                    elif t < wide or s < wide:
                        at = pairs[np.uint64(_row(first, size, s) + t if s < t else _row(first, size, t) + s)]
                        now = pair[at] = pair[at] - 1
                        rare[t] -= np.int64(now < k - 1)
                        if now == k - 1:
                            rare[t] -= np.int64(1) << 32
                            b = own[start + t]
                            rarer = b if s >= wide or (t < wide and single[b] < single[a]) else a
                            if woken[rarer] < turn:
                                _wake(heads, line, awake, woken, rarer, turn)
                n, left[at_end] = n - 1, left[n - 1]
                labels[row + worst], ranks[start + worst] = labels[row + n], ranks[start + n]
        lost, count[r], awake[q] = lost + count[r] - n, n, False
    return lost


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _count_rare(pair: Labels, pairs: Numbers, left: Labels, rare: Longs, at: int, size: int, wide: int, n: int, k: int) -> None:
    """Count the rare pairs the label at each of n ranks is in, and those just not rare."""
    i = 0
    while i < n and left[i] < wide:
        s, total = left[i], np.int64(0)
        first, i = _row(at, size, s), i + 1
        for j in range(i, n):
            t = left[j]
            count = pair[pairs[np.uint64(first + t)]]
            one = np.int64(count < k) + (np.int64(count == k) << 32)
            total += one
            rare[np.uint64(t)] += one
        rare[s] += total


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _wake(heads: Longs, line: Labels, awake: Flags, woken: Labels, a: int, turn: int) -> None:
    """Wake the lines of a watched label; of others there are none."""
    woken[a] = turn
    for x in range(heads[a], heads[a + 1]):
        awake[line[x]] = True
