"""Take labels away from records so that every set of at most m labels is in k records of its group and hides their secrets.

Record r shows shown[offsets[r] : offsets[r] + count[r]]; the first fixed[r] of these stay, the others may be taken away.
Group g holds the records bounds[g] .. bounds[g + 1] - 1. A set hides secrets when none is in more than 1/l of its records.

Each round goes through the sets, depth first, and counts how many open ones each label of each record is in; then every record
with an open set loses the label that is in most of them. A set can open only if it has a label that went.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

NEAR = 0.3  # how much a set with exactly k records weighs that losing one would make rare


class Group(NamedTuple):
    """The records of one group, labels by rank: record r holds ranks[starts[r] : starts[r + 1]], ascending."""

    starts: Longs
    ranks: Ints
    fixed: Flags
    open_sets: Ints  # by entry: how many open sets of its record it is in
    near: Ints  # by entry: how many sets with just k records
    secret_starts: Longs
    secrets: Ints


class LabelGuarantee(NamedTuple):
    """What is asked for: k records, sets of at most m labels, no secret in more than 1/l of a set's records."""

    k: int
    m: int
    l: int  # noqa: E741 - the papers' letter


@njit(cache=True, nogil=True)
def close_sets(
    bounds: Longs,
    offsets: Longs,
    shown: Ints,
    count: Ints,
    fixed: Ints,
    watched: Flags,
    secret_offsets: Longs,
    secrets: Ints,
    n_secrets: int,
    asked: LabelGuarantee,
    stuck: Flags,
) -> int:
    """Take away labels that are not fixed until no set with a watched label is open; return how many were taken.

    All sets without a watched label must be closed. stuck[g] says that group g keeps an open set: all its labels are fixed.
    """
    d, taken = len(watched), 0
    rank_of, tally = np.full(d, -1, np.int32), np.zeros(n_secrets, np.int64)
    for g in range(len(bounds) - 1):
        first, last = bounds[g], bounds[g + 1]
        dirty = watched.copy()
        while True:
            labels, n_dirty = _ranked(first, last, offsets, shown, count, dirty, rank_of)
            group = _group(first, last, offsets, shown, count, fixed, rank_of, secret_offsets, secrets)
            found = _visit(group, len(labels), n_dirty, asked, tally) if n_dirty > 0 else 0
            dirty[:] = False
            for label in labels:
                rank_of[label] = -1
            if found == 0:
                break
            went = _write_back(first, offsets, shown, count, fixed, group, labels, dirty)
            stuck[g] = went == 0
            if went == 0:
                break
            taken += went
    return taken


@njit(cache=True, nogil=True)
def _ranked(first: int, last: int, offsets: Longs, shown: Ints, count: Ints, dirty: Flags, rank_of: Ints) -> tuple[Ints, int]:
    """The labels of a group, dirty ones first, and how many are dirty; rank_of[label] is its place."""
    labels, n, n_dirty = np.empty(len(dirty), np.int32), 0, 0
    for want in (True, False):
        for r in range(first, last):
            for p in range(offsets[r], offsets[r] + count[r]):
                label = shown[p]
                if dirty[label] == want and rank_of[label] < 0:
                    rank_of[label] = n
                    labels[n] = label
                    n += 1
        if want:
            n_dirty = n
    return labels[:n], n_dirty


@njit(cache=True, nogil=True)
def _group(
    first: int,
    last: int,
    offsets: Longs,
    shown: Ints,
    count: Ints,
    fixed: Ints,
    rank_of: Ints,
    secret_offsets: Longs,
    secrets: Ints,
) -> Group:
    """The records of a group in ranks."""
    n = last - first
    starts, secret_starts = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for r in range(n):
        starts[r + 1] = starts[r] + count[first + r]
        secret_starts[r + 1] = secret_starts[r] + secret_offsets[first + r + 1] - secret_offsets[first + r]
    ranks, stays = np.empty(starts[n], np.int32), np.empty(starts[n], np.bool_)
    for r in range(n):
        row = np.empty(count[first + r], np.int64)
        for i in range(len(row)):
            row[i] = 2 * np.int64(rank_of[shown[offsets[first + r] + i]]) + (i < fixed[first + r])
        row.sort()
        for i in range(len(row)):
            ranks[starts[r] + i] = row[i] // 2
            stays[starts[r] + i] = row[i] % 2 == 1
    held = secrets[secret_offsets[first] : secret_offsets[last]]
    nothing = np.zeros(starts[n], np.int32)
    return Group(starts, ranks, stays, nothing, nothing.copy(), secret_starts, held)


@njit(cache=True, nogil=True)
def _visit(group: Group, n_labels: int, n_dirty: int, asked: LabelGuarantee, tally: Longs) -> int:
    """Go through the sets whose first label is dirty and count the open ones in the labels of their records.

    Return how many are open. Sets that contain an open one are not looked at.
    """
    longest = 1
    for r in range(len(group.starts) - 1):
        longest = max(longest, group.starts[r + 1] - group.starts[r])
    m = min(asked.m, longest)
    held = np.empty((m, len(group.ranks)), np.int64)  # records of the sets looked at, by size; child c from starts[c] on
    kids, starts = np.empty((m, n_labels), np.int32), np.zeros((m, n_labels + 1), np.int64)
    places, path = np.zeros(n_labels, np.int64), np.zeros(m, np.int32)
    n_kids, cursor = np.zeros(m, np.int64), np.zeros(m, np.int64)
    records = np.arange(len(group.starts) - 1)
    after, limit, t, found = -1, n_dirty, 0, 0
    while True:
        n_kids[t] = _expand(group, records, after, limit, places, kids[t], starts[t], held[t])
        cursor[t] = 0
        while t >= 0:
            if cursor[t] == n_kids[t]:
                t -= 1
                continue
            c = cursor[t]
            cursor[t] += 1
            records, after, path[t] = held[t, starts[t, c] : starts[t, c + 1]], kids[t, c], kids[t, c]
            if _judge(group, records, path[: t + 1], asked, tally):
                found += 1
            elif t < m - 1:
                break
        if t < 0:
            return found
        t, limit = t + 1, n_labels


@njit(cache=True, nogil=True)
def _expand(group: Group, records: Longs, after: int, limit: int, places: Longs, kids: Ints, starts: Longs, held: Longs) -> int:
    """Write the labels above `after` and below `limit` that the records show, and who shows each; return their number."""
    n = 0
    for r in records:
        for p in range(group.starts[r + 1] - 1, group.starts[r] - 1, -1):
            rank = group.ranks[p]
            if rank <= after:
                break
            if rank < limit:
                if places[rank] == 0:
                    kids[n] = rank
                    n += 1
                places[rank] += 1
    starts[0] = 0
    for c in range(n):
        starts[c + 1] = starts[c] + places[kids[c]]
        places[kids[c]] = starts[c]
    for r in records:
        for p in range(group.starts[r + 1] - 1, group.starts[r] - 1, -1):
            rank = group.ranks[p]
            if rank <= after:
                break
            if rank < limit:
                held[places[rank]] = r
                places[rank] += 1
    for c in range(n):
        places[kids[c]] = 0
    return n


@njit(cache=True, nogil=True)
def _judge(group: Group, records: Longs, path: Ints, asked: LabelGuarantee, tally: Longs) -> bool:
    """Whether the set is open; then it is counted in all its records, whoever holds a secret that is too frequent.

    Which records change must not tell who has a secret.
    """
    is_open = len(records) < asked.k or not _hides(group, records, tally, asked.l)
    if is_open or len(records) == asked.k:
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
def _hides(group: Group, records: Longs, tally: Longs, l: int) -> bool:  # noqa: E741 - the papers' letter
    """Whether no secret is in more than 1/l of the records."""
    if l <= 1 or len(tally) == 0:
        return True
    most = 0
    for r in records:
        for p in range(group.secret_starts[r], group.secret_starts[r + 1]):
            tally[group.secrets[p]] += 1
            most = max(most, tally[group.secrets[p]])
    for r in records:
        for p in range(group.secret_starts[r], group.secret_starts[r + 1]):
            tally[group.secrets[p]] = 0
    return most * l <= len(records)


@njit(cache=True, nogil=True)
def _write_back(
    first: int, offsets: Longs, shown: Ints, count: Ints, fixed: Ints, group: Group, labels: Ints, dirty: Flags
) -> int:
    """Take the worst label of each record with open sets; mark the labels of open sets, and return how many went."""
    taken = 0
    for r in range(len(group.starts) - 1):
        worst, most = -1, 0.0
        for p in range(group.starts[r], group.starts[r + 1]):
            if group.open_sets[p] > 0:
                dirty[labels[group.ranks[p]]] = True
                worth = group.open_sets[p] / (1.0 + NEAR * group.near[p])
                if not group.fixed[p] and worth > most:
                    worst, most = p, worth
        if worst >= 0:
            at = offsets[first + r] + fixed[first + r]
            for p in range(group.starts[r], group.starts[r + 1]):
                if p != worst and not group.fixed[p]:
                    shown[at] = labels[group.ranks[p]]
                    at += 1
            count[first + r] -= 1
            taken += 1
    return taken
