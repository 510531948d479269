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
Flags = NDArray[np.bool_]

NEAR = 0.3  # how much a pair with exactly k records weighs that losing one would make rare


class Shown(NamedTuple):
    """Record r shows labels[offsets[r] : offsets[r] + count[r]]; the first fixed[r] of these stay, the others may go."""

    bounds: Longs  # of the records of each group
    offsets: Longs
    labels: Labels
    count: Labels
    fixed: Labels


class Lines(NamedTuple):
    """The records of a group that show watched labels: line q is record rows[q], with wide[q] of these."""

    rows: Longs
    starts: Longs  # of the labels of each line
    wide: Labels
    labels: Labels  # -1 once taken
    ranks: Labels  # where the label that the record shows at each place is among the sorted ones
    firsts: Longs  # of the pairs of each line; a line that cannot lose labels has none
    pairs: Labels


class Desk(NamedTuple):
    """The labels of one group by numbers of their own, in their order, and how many records show each."""

    met: Longs  # the group in which each label was met last, from 1
    number: Labels
    label: Labels
    single: Labels


class Counts(NamedTuple):
    """How many records show each label and pair; where one becomes rare, lines wake up, and when the next round begins."""

    k: int
    single: Labels
    pair: Labels
    heads: Longs
    line: Labels  # those of a watched label a are from heads[a] to heads[a + 1] - 1
    awake: Flags  # lines that may have something rare
    woken: Labels  # the round in which each label was woken last


@njit(cache=True, nogil=True, error_model="numpy")
def close_pairs(shown: Shown, watched: Flags, doubtful: Flags, gone: Flags, k: int) -> int:
    """Take away labels that are not fixed until each watched label and each pair with one is in k records of its group.

    Now only those with a doubtful label can be rare. Return how many were taken; gone[a] says of label a whether it was taken.
    Of a record's rare pairs the label goes first that is in most of them, unless its going makes others rare.
    """
    taken, d = 0, len(watched)
    desk = Desk(np.zeros(d, np.int64), np.empty(d, np.int32), np.empty(d, np.int32), np.empty(d, np.int32))
    for g in range(len(shown.bounds) - 1):
        lines = _lines(shown, g, watched)
        if len(lines.pairs) > 0:
            taken += _close_lines(shown, lines, watched, doubtful, gone, desk, _number(shown, g, desk), k)
    return taken


@njit(cache=True, nogil=True, error_model="numpy")
def _close_lines(shown: Shown, lines: Lines, watched: Flags, doubtful: Flags, gone: Flags, desk: Desk, n: int, k: int) -> int:
    """Take away labels from lines, round by round, until nothing is rare; return how many were taken."""
    heads, room = np.zeros(n + 2, np.int64), np.diff(lines.starts).max()
    for i in range(n):
        heads[i + 2] = heads[i + 1] + (desk.single[i] if watched[desk.label[i]] else 0)
    line, rank = _sorted(shown, lines, watched, heads, desk.number)
    many = 2 * len(lines.pairs) > n * (n - 1) // 2 and n < 1 << 16
    pair = _counted_in_triangle(lines, n) if many else _counted(lines, heads, line, rank)
    woken = doubtful[desk.label[:n]].astype(np.int32)
    counts = Counts(k, desk.single[:n], pair, heads, line, np.zeros(len(lines.rows), np.bool_), woken)
    rare, near, taken, lost, turn = np.zeros(room, np.int64), np.zeros(room, np.int64), 0, 1, 1
    while lost > 0:
        lost, turn = 0, turn + 1
        for a in range(n):
            if woken[a] == turn - 1:
                _wake(counts, a, turn - 1)
        q = _next_rare(shown, lines, 0, counts, turn)
        while q < len(lines.rows):
            lost += _close_line(shown, lines, q, counts, turn, gone, rare, near)
            q = _next_rare(shown, lines, q + 1, counts, turn)
        taken += lost
    return taken


@njit(cache=True, nogil=True, error_model="numpy")
def _number(shown: Shown, g: int, desk: Desk) -> int:
    """Number and count the labels that the records of a group show; return how many there are."""
    n = 0
    for r in range(shown.bounds[g], shown.bounds[g + 1]):
        for p in range(shown.offsets[r], shown.offsets[r] + shown.count[r]):
            a = shown.labels[p]
            if desk.met[a] != g + 1:
                desk.met[a], desk.label[n], desk.number[a] = g + 1, a, 0
                n += 1
            desk.number[a] += 1
    desk.label[:n].sort()
    for i in range(n):
        desk.single[i], desk.number[desk.label[i]] = desk.number[desk.label[i]], i
    return n


@njit(cache=True, nogil=True, error_model="numpy")
def _lines(shown: Shown, g: int, watched: Flags) -> Lines:
    """Room for the records of a group with watched labels."""
    first, last = shown.bounds[g], shown.bounds[g + 1]
    rows, wide, n = np.empty(last - first, np.int64), np.empty(last - first, np.int32), 0
    starts, firsts = np.zeros(last - first + 1, np.int64), np.zeros(last - first + 1, np.int64)
    for r in range(first, last):
        many, w = np.int64(shown.count[r]), 0
        for p in range(shown.offsets[r], shown.offsets[r] + many):
            w += watched[shown.labels[p]]
        if w > 0:
            rows[n], wide[n] = r, w
            starts[n + 1] = starts[n] + many
            firsts[n + 1] = firsts[n] + (w * (2 * many - w - 1) // 2 if many > shown.fixed[r] else 0)
            n += 1
    labels, ranks = np.empty(starts[n], np.int32), np.empty(starts[n], np.int32)
    return Lines(rows[:n], starts, wide[:n], labels, ranks, firsts, np.empty(firsts[n], np.int32))


@njit(cache=True, nogil=True, error_model="numpy")
def _sorted(shown: Shown, lines: Lines, watched: Flags, heads: Longs, number: Labels) -> tuple[Labels, Labels]:
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
            lines.labels[lines.starts[q] + filled[q]] = a
            lines.ranks[lines.starts[q] + i] = place[x] = filled[q]
            filled[q] += 1
    return line, place


@njit(cache=True, nogil=True, error_model="numpy")
def _counted(lines: Lines, heads: Longs, line: Labels, rank: Labels) -> Labels:
    """Number the pairs of the lines label by label, and count them."""
    found, n, number = np.empty(64, np.int32), 0, np.full(len(heads) - 2, -1, np.int32)
    for a in range(len(number)):
        older = n
        for x in range(heads[a], heads[a + 1]):
            q, s = line[x], rank[x]
            start, stop, keeps = lines.starts[q], lines.starts[q + 1], lines.firsts[q + 1] > lines.firsts[q]
            if n + stop - start > len(found):
                found = np.concatenate((found, np.empty(len(found) + stop - start, np.int32)))
            first = _pair(lines, q, s, -start)
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
def _counted_in_triangle(lines: Lines, d: int) -> Labels:
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
def _pair(lines: Lines, q: int, s: int, t: int) -> int:
    """Where the number of the pair of the labels at ranks s < t is."""
    return lines.firsts[q] + s * (2 * (lines.starts[q + 1] - lines.starts[q]) - s - 1) // 2 + t - s - 1


@njit(cache=True, nogil=True, error_model="numpy")
def _next_rare(shown: Shown, lines: Lines, q: int, counts: Counts, turn: int) -> int:
    """The next line from q on with a rare watched label or a rare pair, one label of which was woken; those before it sleep."""
    k, single, pair, _, _, awake, woken = counts
    while q < len(lines.rows):
        r, start, stop = lines.rows[q], lines.starts[q], lines.starts[q + 1]
        for s in range(start, start + lines.wide[q] if awake[q] and shown.count[r] > shown.fixed[r] else start):
            a = lines.labels[s]
            if a >= 0 and single[a] < k:
                return q
            first, with_any = _pair(lines, q, s - start, -start), a >= 0 and woken[a] >= turn - 1
            for t in range(s + 1, stop if a >= 0 else s):
                b = lines.labels[t]
                if b >= 0 and (with_any or woken[b] >= turn - 1) and pair[lines.pairs[first + t]] < k:
                    return q
        awake[q] = False
        q += 1
    return q


@njit(cache=True, nogil=True, error_model="numpy")
def _close_line(shown: Shown, lines: Lines, q: int, counts: Counts, turn: int, gone: Flags, rare: Longs, near: Longs) -> int:
    """Take labels from a record until it has no rare pair, and let its line sleep; return how many went."""
    r, start, labels, single = lines.rows[q], lines.starts[q], shown.labels, counts.single
    row, n, worst = shown.offsets[r], shown.count[r], 0
    _find_rare(lines, q, n, counts, rare, near)
    while worst >= 0:
        worst, most, least = -1, 0.0, single[0]
        for i in range(shown.fixed[r], n):
            s = lines.ranks[start + i]
            if rare[s] > 0:
                worth, support = rare[s] / (1.0 + NEAR * near[s]), single[lines.labels[start + s]]
                if worst < 0 or worth > most or (worth == most and support < least):
                    worst, most, least = i, worth, support
        if worst >= 0:
            gone[labels[row + worst]] = True
            _take(lines, q, lines.ranks[start + worst], counts, turn, rare, near)
            n -= 1
            labels[row + worst], lines.ranks[start + worst] = labels[row + n], lines.ranks[start + n]
    lost, shown.count[r], counts.awake[q] = shown.count[r] - n, n, False
    return lost


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _find_rare(lines: Lines, q: int, shown: int, counts: Counts, rare: Longs, near: Longs) -> None:
    """Count the rare pairs the label at each rank is in, and those just not rare; a rare label weighs as much as all."""
    start, n, k = lines.starts[q], lines.starts[q + 1] - lines.starts[q], counts.k
    rare[:n], near[:n] = 0, 0
    for s in range(lines.wide[q]):
        a, first = lines.labels[start + s], _pair(lines, q, s, 0)
        if a >= 0 and counts.single[a] < k:
            rare[s] += shown
        for t in range(s + 1, n if a >= 0 else s):
            if lines.labels[start + t] >= 0:
                count = counts.pair[lines.pairs[first + t]]
                rare[s] += count < k
                rare[t] += count < k
                near[s] += count == k
                near[t] += count == k


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _take(lines: Lines, q: int, s: int, counts: Counts, turn: int, rare: Longs, near: Longs) -> None:
    """Take the label at rank s from a line, and wake the lines of what becomes rare."""
    k, single, pair, _, _, _, woken = counts
    start, n, wide = lines.starts[q], lines.starts[q + 1] - lines.starts[q], lines.wide[q]
    a, lines.labels[start + s], rare[s] = lines.labels[start + s], -1, 0
    single[a] -= 1
    if single[a] == k - 1 and woken[a] < turn:
        _wake(counts, a, turn)
    at, step = lines.firsts[q] + s - 1, n - 2  # of the pair with rank 0, and to that with the next one
    for t in range(n if s < wide else wide):
        b = lines.labels[start + t]
        if b >= 0:
            left = pair[lines.pairs[at]] = pair[lines.pairs[at]] - 1
            rare[t] -= left < k - 1
            if left == k - 1:
                near[t] -= 1
                rarer = b if s >= wide or (t < wide and single[b] < single[a]) else a
                if woken[rarer] < turn:
                    _wake(counts, rarer, turn)
        at, step = (at + step, step - 1) if t < s else (at + 1, 0)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _wake(counts: Counts, a: int, turn: int) -> None:
    """Wake the lines of a watched label; of others there are none."""
    counts.woken[a] = turn
    for x in range(counts.heads[a], counts.heads[a + 1]):
        counts.awake[counts.line[x]] = True
