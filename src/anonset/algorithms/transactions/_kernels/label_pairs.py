"""Take labels away from records so that every label and every pair of labels is in k records of its group.

A record that shows watched labels is a *line*: its labels, the watched ones first, have ranks 0, 1, ... and its pairs with a
watched label have places, at which stand the numbers under which these pairs are counted. So a pair is never looked up by its
key, as the larger sets of `small_sets` are.

For each group: 1. number the labels that its records show; 2. take doubtful labels that are rare, and list the lines; 3. number
and count the pairs of the lines; 4. take labels, line by line, until no pair is rare. Taking a label makes other pairs rare:
the lines of the rarer label of such a pair are *pending*, and looked at in this round or in the next one.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from anonset.algorithms.transactions._kernels.label_sets import GroupedLabels, LabelChoice
from anonset.kernels.arrays import Flags, Ints, Longs

PairNumbers = NDArray[np.uint32]

NEAR_ONE = 1 << 32  # what a pair in exactly k records adds to LineCounts.rare; a pair in fewer adds 1
RARE_BITS = NEAR_ONE - 1


class GroupNumbers(NamedTuple):
    """The labels of one group by numbers of their own, in the order of the labels, and how many records show each."""

    met: Longs  # by label: the group in which it was met last, from 1
    number: Ints  # by label
    label: Ints  # by number
    single: Ints  # by number: records that show it


class WatchedRecords(NamedTuple):
    """The records of a group that show watched labels: line q is record rows[q], with wide[q] of these."""

    rows: Longs
    starts: Longs  # of the labels of each line
    wide: Ints
    labels: Ints  # by rank; -1 once taken
    ranks: Ints  # the rank of the label that the record shows at each place
    firsts: Longs  # of the pairs of each line; a line that cannot lose labels has none
    pairs: PairNumbers


class LineCounts(NamedTuple):
    """How many records show each label and pair, and which lines may have something rare."""

    k: int
    single: Ints
    pair: Ints
    heads: Longs
    line: Ints  # the lines of watched label a are line[heads[a] : heads[a + 1]]
    pending: Flags  # by line: whether it may have something rare
    marked: Ints  # by label: the round in which its lines became pending last
    left: Ints  # room for one line: the ranks of the labels that it still has
    rare: Longs  # room for one line, by rank: RARE_BITS count its rare pairs, the bits above those in exactly k records


@njit(cache=True, nogil=True, error_model="numpy")
def close_pairs(shown: GroupedLabels, watched: Flags, doubtful: Flags, gone: Flags, k: int, choice: LabelChoice) -> int:
    """Take away labels that are not fixed until each watched label and each pair with one is in k records of its group.

    Only those with a doubtful label can be rare at first. Return how many were taken; gone[a] says whether label a was.
    """
    taken, d = 0, len(watched)
    numbers = GroupNumbers(np.zeros(d, np.int64), np.empty(d, np.int32), np.empty(d, np.int32), np.empty(d, np.int32))
    for g in range(len(shown.bounds) - 1):
        n = _number_labels(shown, g, numbers)
        lines, lost = _list_lines(shown, g, watched, doubtful, gone, numbers, k)
        taken += lost
        if len(lines.pairs) > 0:
            taken += _close_lines(shown, lines, watched, doubtful, gone, numbers, n, k, choice)
    return taken


@njit(cache=True, nogil=True, error_model="numpy")
def _number_labels(shown: GroupedLabels, g: int, numbers: GroupNumbers) -> int:
    """Number and count the labels that the records of group g show; return how many there are."""
    met, number = numbers.met, numbers.number
    label, single = numbers.label, numbers.single
    n = 0
    for r in range(shown.bounds[g], shown.bounds[g + 1]):
        for p in range(shown.offsets[r], shown.offsets[r] + shown.count[r]):
            a = shown.labels[p]
            if met[a] != g + 1:
                met[a], label[n], number[a] = g + 1, a, 0
                n += 1
            number[a] += 1  # the count of the label until it gets its number
    label[:n].sort()
    for i in range(n):
        single[i], number[label[i]] = number[label[i]], i
    return n


@njit(cache=True, nogil=True, error_model="numpy")
def _list_lines(
    shown: GroupedLabels, g: int, watched: Flags, doubtful: Flags, gone: Flags, numbers: GroupNumbers, k: int
) -> tuple[WatchedRecords, int]:
    """Take doubtful labels that are rare; return room for the lines of group g, and how many labels were taken."""
    offsets, labels = shown.offsets, shown.labels
    count, fixed = shown.count, shown.fixed
    number, single = numbers.number, numbers.single
    first, last = shown.bounds[g], shown.bounds[g + 1]
    rows, wide = np.empty(last - first, np.int64), np.empty(last - first, np.int32)
    starts, firsts = np.zeros(last - first + 1, np.int64), np.zeros(last - first + 1, np.int64)
    lost, n = 0, 0
    for r in range(first, last):
        width, end = np.int64(0), offsets[r] + fixed[r]
        for p in range(offsets[r], end):
            width += watched[labels[p]]
        for p in range(end, offsets[r] + count[r]):
            a = labels[p]
            if doubtful[a] and single[number[a]] < k:
                gone[a] = True
                single[number[a]] -= 1
            else:
                labels[end] = a
                width += watched[a]
                end += 1
        size = end - offsets[r]
        lost += count[r] - size
        count[r] = size
        if width > 0:
            rows[n], wide[n] = r, width
            starts[n + 1] = starts[n] + size
            firsts[n + 1] = firsts[n] + (width * (2 * size - width - 1) // 2 if size > fixed[r] else 0)
            n += 1
    own, ranks = np.empty(starts[n], np.int32), np.empty(starts[n], np.int32)
    return WatchedRecords(rows[:n], starts, wide[:n], own, ranks, firsts, np.empty(firsts[n], np.uint32)), lost


@njit(cache=True, nogil=True, error_model="numpy")
def _close_lines(
    shown: GroupedLabels,
    lines: WatchedRecords,
    watched: Flags,
    doubtful: Flags,
    gone: Flags,
    numbers: GroupNumbers,
    n: int,
    k: int,
    choice: LabelChoice,
) -> int:
    """Take away labels from lines, round by round, until nothing is rare; return how many were taken."""
    heads, longest = np.zeros(n + 2, np.int64), np.diff(lines.starts).max()
    for i in range(n):
        heads[i + 2] = heads[i + 1] + (numbers.single[i] if watched[numbers.label[i]] else 0)
    line, rank = _rank_labels(shown, lines, watched, heads, numbers.number)
    dense = 2 * len(lines.pairs) > n * (n - 1) // 2 and n < 1 << 16
    pair = _count_in_triangle(lines, n) if dense else _count_by_label(lines, heads, line, rank)
    pending, marked = np.zeros(len(lines.rows), np.bool_), doubtful[numbers.label[:n]].astype(np.int32)
    left, rare = np.empty(longest, np.int32), np.empty(longest, np.int64)
    counts = LineCounts(k, numbers.single[:n], pair, heads, line, pending, marked, left, rare)
    taken, lost, turn = 0, 1, 1
    while lost > 0:
        turn += 1
        lost = _close_pending(shown, lines, counts, turn, gone, choice)
        taken += lost
    return taken


@njit(cache=True, nogil=True, error_model="numpy")
def _rank_labels(shown: GroupedLabels, lines: WatchedRecords, watched: Flags, heads: Longs, number: Ints) -> tuple[Ints, Ints]:
    """Sort the labels of the lines by number, the watched ones first.

    Return the lines of each watched label a, line[heads[a] : heads[a + 1]], and its rank in each.
    """
    line, rank = np.empty(heads[-1], np.int32), np.empty(heads[-1], np.int32)
    filled = lines.wide.copy()
    for q in range(len(lines.rows)):
        r, start = lines.rows[q], lines.starts[q]
        for i in range(shown.count[r]):
            label = shown.labels[shown.offsets[r] + i]
            a = number[label]
            if watched[label]:
                line[heads[a + 1]], rank[heads[a + 1]] = q, i
                heads[a + 1] += 1
            else:
                lines.labels[start + filled[q]], lines.ranks[start + i] = a, filled[q]
                filled[q] += 1
    filled[:] = 0
    for a in range(len(heads) - 2):
        for x in range(heads[a], heads[a + 1]):
            q, i = line[x], rank[x]
            lines.labels[lines.starts[q] + filled[q]] = a
            lines.ranks[lines.starts[q] + i] = filled[q]
            rank[x] = filled[q]
            filled[q] += 1
    return line, rank


@njit(cache=True, nogil=True, error_model="numpy")
def _count_by_label(lines: WatchedRecords, heads: Longs, line: Ints, rank: Ints) -> Ints:
    """Number the pairs of the lines label by label; return how many lines have each."""
    found, n = np.empty(64, np.int32), 0
    number = np.full(len(heads) - 2, -1, np.int32)  # of the pair of the label at hand with each other one
    for a in range(len(number)):
        older = n
        for x in range(heads[a], heads[a + 1]):
            q, s = line[x], rank[x]
            start, stop = lines.starts[q], lines.starts[q + 1]
            can_lose = lines.firsts[q + 1] > lines.firsts[q]
            if n + stop - start > len(found):
                found = np.concatenate((found, np.empty(len(found) + stop - start, np.int32)))
            first = _row(lines.firsts[q], stop - start, s) - start
            for t in range(start + s + 1, stop):
                b = lines.labels[t]
                if number[b] < older:
                    number[b], found[n] = n, 0
                    n += 1
                found[number[b]] += 1
                if can_lose:
                    lines.pairs[first + t] = number[b]
    return found[:n]


@njit(cache=True, nogil=True, error_model="numpy")
def _count_in_triangle(lines: WatchedRecords, d: int) -> Ints:
    """Number the pairs of the lines by their labels; return how many lines have each: quicker where most pairs occur."""
    found = np.zeros(d * (d - 1) // 2, np.int32)
    for q in range(len(lines.rows)):
        start, at = lines.starts[q], lines.firsts[q]
        can_lose = lines.firsts[q + 1] > at
        for s in range(start, start + lines.wide[q]):
            a = np.int64(lines.labels[s])
            for t in range(s + 1, lines.starts[q + 1]):
                b = np.int64(lines.labels[t])
                number = b * (b - 1) // 2 + a if a < b else a * (a - 1) // 2 + b
                found[number] += 1
                if can_lose:
                    lines.pairs[at] = number
                    at += 1
    return found


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _row(first: int, n: int, s: int) -> int:
    """Return where, less t, the number of the pair of ranks s < t is in a line of n labels whose pairs begin at `first`."""
    return first + s * (2 * n - s - 1) // 2 - s - 1


@njit(cache=True, nogil=True, error_model="numpy")
def _close_pending(
    shown: GroupedLabels, lines: WatchedRecords, counts: LineCounts, turn: int, gone: Flags, choice: LabelChoice
) -> int:
    """Take labels from the lines that are pending until they have no rare pair; return how many were taken.

    Arrays leave their tuples once, loops have one way out, helpers are inlined and places are unsigned: anything else takes as
    long as the work itself.
    """
    offsets, labels = shown.offsets, shown.labels
    count, fixed = shown.count, shown.fixed
    rows, starts, wides = lines.rows, lines.starts, lines.wide
    own, ranks = lines.labels, lines.ranks
    firsts, pairs = lines.firsts, lines.pairs
    k, single, pair = counts.k, counts.single, counts.pair
    heads, line = counts.heads, counts.line
    pending, marked = counts.pending, counts.marked
    left, rare = counts.left, counts.rare
    near_weight, rarer_first = choice.near_weight, choice.rarer_first
    lost = 0
    for a in range(len(marked)):
        if marked[a] == turn - 1:
            _mark_lines(heads, line, pending, marked, a, turn - 1)
    for q in range(len(rows)):
        r, start, size = rows[q], starts[q], starts[q + 1] - starts[q]
        first, wide, n = firsts[q], wides[q], count[r]
        worst = -1
        if pending[q] and n > fixed[r] and _list_left(own, single, marked, left, rare, start, size, wide, n, k, turn):
            _count_rare(pair, pairs, left, rare, first, size, wide, n, k)
            worst = 0
        while worst >= 0:
            worst = _worst_label(own, ranks, single, rare, start, fixed[r], n, near_weight, rarer_first)
            if worst >= 0:
                gone[labels[offsets[r] + worst]] = True
                s = ranks[start + worst]
                _take_label(
                    own, single, pair, pairs, heads, line, pending, marked, left, rare, start, first, size, wide, n, k, turn, s
                )
                n -= 1
                labels[offsets[r] + worst], ranks[start + worst] = labels[offsets[r] + n], ranks[start + n]
        lost += count[r] - n
        count[r] = n
        pending[q] = False
    return lost


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _list_left(
    own: Ints, single: Ints, marked: Ints, left: Ints, rare: Longs, start: int, size: int, wide: int, n: int, k: int, turn: int
) -> bool:
    """List the ranks of a line whose labels were not taken; return whether one is rare or became so lately.

    A watched label that is rare alone counts as n rare pairs, more than any other can have.
    """
    i, fresh = 0, False
    for s in range(size):
        a = own[start + s]
        if a >= 0:
            left[i] = s
            rare[s] = n if s < wide and single[a] < k else 0
            i += 1
            fresh = fresh or rare[s] > 0 or marked[a] >= turn - 1
    return fresh


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _count_rare(pair: Ints, pairs: PairNumbers, left: Ints, rare: Longs, at: int, size: int, wide: int, n: int, k: int) -> None:
    """Add to rare[s] the rare pairs that the label at each of the n ranks left is in, and those in exactly k records."""
    i = 0
    while i < n and left[i] < wide:
        s, total = left[i], np.int64(0)
        first = _row(at, size, s)
        i += 1
        for j in range(i, n):
            t = left[j]
            count = pair[pairs[np.uint64(first + t)]]
            one = np.int64(count < k) + (np.int64(count == k) << 32)
            total += one
            rare[np.uint64(t)] += one
        rare[s] += total


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _worst_label(
    own: Ints, ranks: Ints, single: Ints, rare: Longs, start: int, fixed: int, n: int, near_weight: float, rarer_first: bool
) -> int:
    """Return the place, of those from `fixed` to n - 1, of the label to take next (`LabelChoice`); -1 where none is rare."""
    worst, most, least = -1, 0.0, single[0]
    for i in range(fixed, n):
        s = np.uint64(ranks[np.uint64(start + i)])
        many = rare[s] & RARE_BITS
        if many > 0 and many >= most:
            support = single[own[np.uint64(start) + s]]
            worth = many / (1.0 + near_weight * (rare[s] >> 32))
            worth /= np.sqrt(support) if rarer_first else 1.0
            if worth > most or (worth == most and support < least):
                worst, most, least = i, worth, support
    return worst


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _take_label(
    own: Ints,
    single: Ints,
    pair: Ints,
    pairs: PairNumbers,
    heads: Longs,
    line: Ints,
    pending: Flags,
    marked: Ints,
    left: Ints,
    rare: Longs,
    start: int,
    first: int,
    size: int,
    wide: int,
    n: int,
    k: int,
    turn: int,
    s: int,
) -> None:
    """Take the label at rank s of a line, one of the n that are left, and count it and its pairs once less.

    Where the label or a pair becomes rare, lines become pending: of a pair those of its rarer label, or of the watched one.
    """
    a, at_end = own[start + s], 0
    own[start + s] = -1
    single[a] -= 1
    if single[a] == k - 1 and marked[a] < turn:
        _mark_lines(heads, line, pending, marked, a, turn)
    for j in range(n):
        t = left[j]
        if t == s:
            at_end = j
        elif t < wide or s < wide:
            at = pairs[np.uint64(_row(first, size, s) + t if s < t else _row(first, size, t) + s)]
            now = pair[at] - 1
            pair[at] = now
            rare[t] -= np.int64(now < k - 1)
            if now == k - 1:
                rare[t] -= np.int64(1) << 32
                b = own[start + t]
                rarer = b if s >= wide or (t < wide and single[b] < single[a]) else a
                if marked[rarer] < turn:
                    _mark_lines(heads, line, pending, marked, rarer, turn)
    left[at_end] = left[n - 1]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _mark_lines(heads: Longs, line: Ints, pending: Flags, marked: Ints, a: int, turn: int) -> None:
    """Make the lines of label a pending; labels that are not watched have none."""
    marked[a] = turn
    for x in range(heads[a], heads[a + 1]):
        pending[line[x]] = True
