"""Take labels away from records so that every set of at most m labels is in k records of its group and hides their secrets.

A set hides secrets when no sensitive item is in more than 1/l of its records; a set that is in fewer than k records, or hides
nothing, is open. Sets of two labels are closed by `label_pairs`, of three by `small_sets`, which count them in tables; here are
labels alone, and sets of any size with sensitive items.

Each round of `close_sets` walks through the sets and counts how many open ones each label of each record is in; then every
record with an open set loses the label that is in most of them. A set can open only if it has a label that was taken.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs
from anonset.kernels.set_walk import SensitiveItems, SetLimits, add_label, is_diverse, next_level, next_set, set_walk


class GroupedLabels(NamedTuple):
    """Record r shows labels[offsets[r] : offsets[r] + count[r]]; the first fixed[r] of these stay, the others may be taken.

    Group g holds the records bounds[g] .. bounds[g + 1] - 1.
    """

    bounds: Longs
    offsets: Longs
    labels: Ints
    count: Ints
    fixed: Ints


class LabelChoice(NamedTuple):
    """Which label of a record is taken first: the one in most rare sets, each divided by 1 + near_weight * near sets.

    A near set is in exactly k records, so taking one of its labels makes it rare. rarer_first: divided by the root of the
    support of the label too, so that of two alike the rarer one goes.
    """

    near_weight: float
    rarer_first: bool


class RankedGroup(NamedTuple):
    """The records of one group, labels by rank: record r holds ranks[starts[r] : starts[r + 1]], ascending."""

    starts: Longs
    ranks: Ints
    fixed: Flags
    open_sets: Ints  # by entry: how many open sets of its record it is in
    near: Ints  # by entry: how many sets in exactly k records
    secret_starts: Longs
    secrets: Ints


@njit(cache=True, nogil=True)
def close_singles(shown: GroupedLabels, watched: Flags, gone: Flags, k: int) -> None:
    """Take away watched labels that are not fixed and in fewer than k records of their group, and mark them as gone."""
    bounds, offsets, labels = shown.bounds, shown.offsets, shown.labels
    count, fixed = shown.count, shown.fixed
    single = np.zeros(len(watched), np.int32)
    for g in range(len(bounds) - 1):
        single[:] = 0
        for r in range(bounds[g], bounds[g + 1]):
            for p in range(offsets[r], offsets[r] + count[r]):
                single[labels[p]] += 1
        for r in range(bounds[g], bounds[g + 1]):
            end = offsets[r] + fixed[r]
            for p in range(end, offsets[r] + count[r]):
                if single[labels[p]] < k and watched[labels[p]]:
                    gone[labels[p]] = True
                else:
                    labels[end] = labels[p]
                    end += 1
            count[r] = end - offsets[r]


@njit(cache=True, nogil=True)
def mark_undiverse_groups(bounds: Longs, secrets: SensitiveItems, l: int, failed: Flags) -> None:  # noqa: E741
    """Mark the groups in which a sensitive item is in more than 1/l of the records."""
    tally = np.zeros(secrets.n, np.int64)
    for g in range(len(bounds) - 1):
        tally[:] = 0
        for p in range(secrets.offsets[bounds[g]], secrets.offsets[bounds[g + 1]]):
            tally[secrets.items[p]] += 1
            failed[g] |= tally[secrets.items[p]] * l > bounds[g + 1] - bounds[g]


@njit(cache=True, nogil=True)
def close_sets(
    shown: GroupedLabels, watched: Flags, secrets: SensitiveItems, limits: SetLimits, near_weight: float, stuck: Flags
) -> int:
    """Take away labels that are not fixed until no set with a watched label is open; return how many were taken.

    All sets without a watched label must be closed. stuck[g] says that group g keeps an open set: all its labels are fixed.
    """
    taken = 0
    rank_of, tally = np.full(len(watched), -1, np.int32), np.zeros(secrets.n, np.int64)
    for g in range(len(shown.bounds) - 1):
        dirty = watched.copy()  # labels whose sets may be open
        went = 1
        while went > 0:
            labels, n_dirty = _ranked(shown, g, dirty, rank_of)
            group = _group(shown, g, rank_of, secrets)
            found = _count_open(group, len(labels), n_dirty, limits, tally) if n_dirty > 0 else 0
            dirty[:] = False
            for label in labels:
                rank_of[label] = -1
            went = 0
            if found > 0:
                went = _take_worst(shown, g, group, labels, near_weight, dirty)
                stuck[g] = went == 0
            taken += went
    return taken


@njit(cache=True, nogil=True)
def _ranked(shown: GroupedLabels, g: int, dirty: Flags, rank_of: Ints) -> tuple[Ints, int]:
    """Return the labels of group g, dirty ones first, and how many are dirty; rank_of[label] becomes its place."""
    labels, n, n_dirty = np.empty(len(dirty), np.int32), 0, 0
    for is_dirty in (True, False):
        for r in range(shown.bounds[g], shown.bounds[g + 1]):
            for p in range(shown.offsets[r], shown.offsets[r] + shown.count[r]):
                label = shown.labels[p]
                if dirty[label] == is_dirty and rank_of[label] < 0:
                    rank_of[label] = n
                    labels[n] = label
                    n += 1
        if is_dirty:
            n_dirty = n
    return labels[:n], n_dirty


@njit(cache=True, nogil=True)
def _group(shown: GroupedLabels, g: int, rank_of: Ints, sensitive: SensitiveItems) -> RankedGroup:
    """Return the records of group g in ranks."""
    first, last = shown.bounds[g], shown.bounds[g + 1]
    n = last - first
    starts, secret_starts = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for r in range(n):
        starts[r + 1] = starts[r] + shown.count[first + r]
        secret_starts[r + 1] = secret_starts[r] + sensitive.offsets[first + r + 1] - sensitive.offsets[first + r]
    ranks, stays = np.empty(starts[n], np.int32), np.empty(starts[n], np.bool_)
    for r in range(n):
        row = np.empty(shown.count[first + r], np.int64)
        for i in range(len(row)):
            rank = np.int64(rank_of[shown.labels[shown.offsets[first + r] + i]])
            row[i] = 2 * rank + (i < shown.fixed[first + r])  # sorted by rank, and whether it stays goes along
        row.sort()
        for i in range(len(row)):
            ranks[starts[r] + i] = row[i] // 2
            stays[starts[r] + i] = row[i] % 2 == 1
    secrets = sensitive.items[sensitive.offsets[first] : sensitive.offsets[last]]
    nothing = np.zeros(starts[n], np.int32)
    return RankedGroup(starts, ranks, stays, nothing, nothing.copy(), secret_starts, secrets)


@njit(cache=True, nogil=True)
def _count_open(group: RankedGroup, n_labels: int, n_dirty: int, limits: SetLimits, tally: Longs) -> int:
    """Walk through the sets whose first label is dirty and count the open ones in the labels of their records.

    Return how many are open. Sets that contain an open one are not looked at.
    """
    longest = 1
    for r in range(len(group.starts) - 1):
        longest = max(longest, group.starts[r + 1] - group.starts[r])
    m = min(limits.m, longest)
    walk, path = set_walk(m, len(group.ranks), n_labels), np.zeros(m, np.int32)
    add_label(walk, int(np.int64(0)), group.starts, group.ranks, np.arange(len(group.starts) - 1), int(np.int64(-1)), n_dirty)
    found, t = 0, next_level(walk, int(np.int64(0)))
    while t >= 0:
        records, after = next_set(walk, t)
        path[t] = after
        if _count_if_open(group, records, path[: t + 1], limits, tally):
            found += 1
        elif t < m - 1:
            add_label(walk, t + 1, group.starts, group.ranks, records, after, n_labels)
            t += 1
        t = next_level(walk, t)
    return found


@njit(cache=True, nogil=True)
def _count_if_open(group: RankedGroup, records: Longs, path: Ints, limits: SetLimits, tally: Longs) -> bool:
    """Return whether the set is open; then it is counted in all its records, whoever holds a secret that is too frequent.

    Which records change must not tell who has a secret.
    """
    is_open = len(records) < limits.k or not is_diverse(records, group.secret_starts, group.secrets, tally, limits.l)
    if is_open or len(records) == limits.k:
        for r in records:
            p = group.starts[r]
            for rank in path:
                while group.ranks[p] != rank:
                    p += 1
                if is_open:
                    group.open_sets[p] += 1
                else:
                    group.near[p] += 1
    return is_open


@njit(cache=True, nogil=True)
def _take_worst(shown: GroupedLabels, g: int, group: RankedGroup, labels: Ints, near_weight: float, dirty: Flags) -> int:
    """Take the worst label of each record with open sets; mark the labels of open sets, and return how many were taken."""
    taken, first = 0, shown.bounds[g]
    for r in range(len(group.starts) - 1):
        worst, most = -1, 0.0
        for p in range(group.starts[r], group.starts[r + 1]):
            if group.open_sets[p] > 0:
                dirty[labels[group.ranks[p]]] = True
                worth = group.open_sets[p] / (1.0 + near_weight * group.near[p])
                if not group.fixed[p] and worth > most:
                    worst, most = p, worth
        if worst >= 0:
            at = shown.offsets[first + r] + shown.fixed[first + r]
            for p in range(group.starts[r], group.starts[r + 1]):
                if p != worst and not group.fixed[p]:
                    shown.labels[at] = labels[group.ranks[p]]
                    at += 1
            shown.count[first + r] -= 1
            taken += 1
    return taken
