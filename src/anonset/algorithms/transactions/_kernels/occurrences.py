"""Occurrences of items on their way up a hierarchy (`lift`), and with which other item of its record each is rarest.

Occurrence p of record r, offsets[r] <= p < offsets[r + 1], is at node[p], and placed where its record shows that node. Record r
shows labels[offsets[r] : offsets[r] + count[r]].
"""

import numpy as np
from numba import njit

from anonset.algorithms.transactions._kernels.label_sets import GroupedLabels
from anonset.kernels.arrays import Flags, Ints, Longs, Reals
from anonset.kernels.records import holders_of_items, places_of_items

ROUNDING = 1e-9  # differences up to this are rounding


@njit(cache=True, nogil=True)
def unplaced_records(offsets: Longs, placed: Flags) -> Longs:
    """Return the records with an occurrence that is not placed."""
    rows, n = np.empty(len(offsets) - 1, np.int64), 0
    for r in range(len(offsets) - 1):
        p = offsets[r]
        while p < offsets[r + 1] and placed[p]:
            p += 1
        if p < offsets[r + 1]:
            rows[n] = r
            n += 1
    return rows[:n]


@njit(cache=True, nogil=True)
def offer_nodes(rows: Longs, offsets: Longs, node: Ints, placed: Flags, labels: Ints, count: Ints, offered: Flags) -> None:
    """Show in each of the records the nodes of its occurrences that are not placed yet, and mark these nodes as offered."""
    shown_by = np.zeros(len(offered), np.int64)  # the last record that shows a label, plus one
    for r in rows:
        end = offsets[r] + count[r]
        for p in range(offsets[r], end):
            shown_by[labels[p]] = r + 1
        for p in range(offsets[r], offsets[r + 1]):
            if not placed[p] and shown_by[node[p]] != r + 1:
                labels[end] = node[p]
                shown_by[node[p]] = r + 1
                offered[node[p]] = True
                end += 1
        count[r] = end - offsets[r]


@njit(cache=True, nogil=True)
def place_or_lift(rows: Longs, offsets: Longs, node: Ints, placed: Flags, labels: Ints, count: Ints, above: Ints) -> int:
    """Place the occurrences whose node their record shows; the others move to the node above. Return how many moved."""
    moved, shown_by = 0, np.zeros(len(above), np.int64)
    for r in rows:
        for p in range(offsets[r], offsets[r] + count[r]):
            shown_by[labels[p]] = r + 1
        for p in range(offsets[r], offsets[r + 1]):
            if not placed[p]:
                if shown_by[node[p]] == r + 1:
                    placed[p] = True
                elif above[node[p]] >= 0:
                    node[p] = above[node[p]]
                    moved += 1
    return moved


@njit(cache=True, nogil=True)
def stands_for_one(offsets: Longs, node: Ints, labels: Ints, count: Ints, general: Flags) -> Flags:
    """Return the places of general labels that stand for one occurrence only."""
    marked = np.zeros(len(labels), np.bool_)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r] + count[r]):
            behind = 0
            for q in range(offsets[r], offsets[r + 1]):
                behind += node[q] == labels[p]
            marked[p] = general[labels[p]] and behind == 1
    return marked


@njit(cache=True, nogil=True)
def restart_all_but_first(offsets: Longs, items: Ints, node: Ints, placed: Flags, general: Flags) -> None:
    """Send all but the first of several occurrences behind one general label back to their items."""
    for r in range(len(offsets) - 1):
        for p in range(offsets[r + 1] - 1, offsets[r], -1):
            if placed[p] and general[node[p]] and _is_among(node, offsets[r], p, node[p]):
                node[p] = items[p]
                placed[p] = False


@njit(cache=True, nogil=True)
def restart_hidden(offsets: Longs, items: Ints, node: Ints, placed: Flags, labels: Ints, count: Ints) -> None:
    """Send the occurrences whose node their record does not show back to their items."""
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            if not (placed[p] and _is_among(labels, offsets[r], offsets[r] + count[r], node[p])):
                node[p] = items[p]
                placed[p] = False


@njit(cache=True, nogil=True)
def lift_hidden(offsets: Longs, node: Ints, placed: Flags, labels: Ints, count: Ints, above: Ints) -> None:
    """Send the occurrences whose node their record no longer shows to the node above."""
    shown_by = np.zeros(len(above), np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r] + count[r]):
            shown_by[labels[p]] = r + 1
        for p in range(offsets[r], offsets[r + 1]):
            if shown_by[node[p]] != r + 1:
                node[p] = above[node[p]]
                placed[p] = False


@njit(cache=True, nogil=True)
def fill_root(shown: GroupedLabels, node: Ints, root: int, k: int, gone: Flags, failed: Flags) -> None:
    """Send whole records to the root in groups where some, but fewer than k, have an occurrence there: short records first.

    `gone` marks the labels they showed; a group with fewer than k records with items has failed.
    """
    bounds, offsets, count = shown.bounds, shown.offsets, shown.count
    for g in range(len(bounds) - 1):
        first, last = bounds[g], bounds[g + 1]
        rooted = 0
        for r in range(first, last):
            rooted += _is_among(node, offsets[r], offsets[r + 1], root)
        while 0 < rooted < k:
            best = -1
            for r in range(first, last):
                shorter = count[r] > 0 and (best < 0 or count[r] < count[best])
                if shorter and not _is_among(node, offsets[r], offsets[r + 1], root):
                    best = r
            if best < 0:
                failed[g] = True
                break
            for p in range(offsets[best], offsets[best + 1]):
                gone[node[p]] = True
                node[p] = root
            count[best] = 0
            rooted += 1


@njit(cache=True, nogil=True)
def fix_root(shown: GroupedLabels, node: Ints, root: int) -> None:
    """Show the root, and fix it, in the records that have an occurrence there; nothing else stays fixed."""
    offsets, labels, count = shown.offsets, shown.labels, shown.count
    for r in range(len(offsets) - 1):
        start = offsets[r]
        shown.fixed[r] = _is_among(node, start, offsets[r + 1], root)
        if shown.fixed[r] > 0:
            at = start
            while at < start + count[r] and labels[at] != root:
                at += 1
            if at == start + count[r]:
                count[r] += 1
            labels[at] = labels[start]
            labels[start] = root


@njit(cache=True, nogil=True)
def _is_among(labels: Ints, start: int, stop: int, label: int) -> bool:
    """Return whether labels[start:stop] has the label."""
    p = start
    while p < stop and labels[p] != label:
        p += 1
    return p < stop


@njit(cache=True, nogil=True)
def lowest_nodes(
    paths: Ints, held: Reals, supports: Longs, low: Ints, high: Ints, sizes: Ints, least: float, price: float
) -> Ints:
    """Return the lowest node that each item is shown as; paths[s, i] is the node s steps above item i, -1 above the root.

    held[s, i] is how often item i is there now, and changes. A node takes all that is below it where the counts of items with
    `least` occurrences, by reading a label of n items as 1/n of each, gain more than `price` for each exact occurrence lost.
    """
    d, shares = held.shape[1], np.zeros(len(sizes))  # what a node adds to the count of each of its items
    lowest = np.arange(d).astype(np.int32)
    for s in range(len(paths)):
        for i in range(d):
            if paths[s, i] >= 0:
                shares[paths[s, i]] += held[s, i] / sizes[paths[s, i]]
    for v in range(d, len(sizes) - 1):  # all but the root, from below
        total, cost, n = 0.0, 0.0, sizes[v]
        for i in range(low[v], high[v]):
            for s in range(_steps_up(paths, i, v)):
                total += held[s, i]
                cost += held[s, i] * (1.0 / sizes[paths[s, i]] - 1.0 / n)
        gain = 0.0
        for i in range(low[v], high[v]):
            if supports[i] >= least:
                step, count, below = _steps_up(paths, i, v), 0.0, 0.0
                for s in range(len(paths)):
                    if paths[s, i] >= 0:
                        count += shares[paths[s, i]]
                        below += shares[paths[s, i]] if s < step else 0.0
                gain += abs(count - supports[i]) - abs(count - below + total / n - supports[i])
        if gain > price * cost + ROUNDING:
            for i in range(low[v], high[v]):
                step = _steps_up(paths, i, v)
                lowest[i] = v
                for s in range(step):
                    held[step, i] += held[s, i]
                    held[s, i] = shares[paths[s, i]] = 0.0
            shares[v] += total / n
    return lowest


@njit(cache=True, nogil=True)
def _steps_up(paths: Ints, i: int, v: int) -> int:
    """Return how many steps node v is above item i; 0 where it is on no path up, as another node stands for the same items."""
    for s in range(len(paths)):
        if paths[s, i] == v:
            return s
    return 0


@njit(cache=True, nogil=True)
def rarest_partners(offsets: Longs, items: Ints, occurrences: Flags, explained: Flags) -> tuple[Ints, Longs]:
    """Return for each marked occurrence of an explained item the item of its record that fewest records hold with it.

    And how many records do. The partner is -1 for occurrences that are alone in their record, which count as in all records of
    their item, and for occurrences that are not marked.
    """
    d = len(explained)
    partner, support = np.full(len(items), -1, np.int32), np.zeros(len(items), np.int64)
    starts, holders = holders_of_items(offsets, items, d)
    places = places_of_items(items, d)[1]
    together, met = np.zeros(d, np.int64), np.empty(d, np.int32)  # records that hold another item with the one at hand
    for i in np.flatnonzero(explained):
        n = 0
        for s in range(starts[i], starts[i + 1]):
            for q in range(offsets[holders[s]], offsets[holders[s] + 1]):
                if together[items[q]] == 0:
                    met[n] = items[q]
                    n += 1
                together[items[q]] += 1
        for s in range(starts[i], starts[i + 1]):
            p = places[s]
            if occurrences[p]:
                support[p] = together[i]
                for q in range(offsets[holders[s]], offsets[holders[s] + 1]):
                    if q != p and (partner[p] < 0 or together[items[q]] < support[p]):
                        partner[p], support[p] = items[q], together[items[q]]
        for t in range(n):
            together[met[t]] = 0
    return partner, support
