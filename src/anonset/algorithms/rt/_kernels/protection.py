"""Whether records are k^m-anonymous and l^m-diverse as they stand, and which of them stand in the way."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]  # (n + 1,)
Ids = NDArray[np.int32]  # ascending within a record
Longs = NDArray[np.int64]


@njit(cache=True, nogil=True)
def is_protected(
    offsets: Offsets,
    shown: Ids,
    d: int,
    k: int,
    m: int,
    secret_offsets: Offsets,
    secrets: Ids,
    n_secrets: int,
    l: int,  # noqa: E741 - the papers' letter
) -> bool:
    """Return whether every set of at most m labels that a record shows is shown by k records, and hides their secrets.

    Labels are 0..d-1. A set hides the secrets 0..n_secrets-1 when none is in more than 1/l of the records that show it; the
    empty set must, too.
    """
    n, total = len(offsets) - 1, len(shown)
    held = np.empty((m, total), np.int64)  # records of the sets now looked at, by size; those of child c at starts[c]
    kids = np.empty((m, d), np.int32)
    starts = np.zeros((m, d + 1), np.int64)
    count, tally = np.zeros(d, np.int64), np.zeros(n_secrets, np.int64)
    n_kids, cursor = np.zeros(m, np.int64), np.zeros(m, np.int64)
    records = np.arange(n)
    if not _hides(records, secret_offsets, secrets, tally, l):
        return False
    after, t = -1, 0
    while True:
        n_kids[t] = _expand(offsets, shown, records, after, count, kids[t], starts[t], held[t])
        cursor[t] = 0
        for c in range(n_kids[t]):
            holders = held[t, starts[t, c] : starts[t, c + 1]]
            if len(holders) < k or not _hides(holders, secret_offsets, secrets, tally, l):
                return False
        if t == m - 1:
            t -= 1
        while t >= 0 and cursor[t] == n_kids[t]:
            t -= 1
        if t < 0:
            return True
        c = cursor[t]
        cursor[t] += 1
        records, after = held[t, starts[t, c] : starts[t, c + 1]], kids[t, c]
        t += 1


@njit(cache=True, nogil=True)
def rare_holders(offsets: Offsets, shown: Ids, d: int, k: int, m: int) -> NDArray[np.bool_]:
    """Return which records show a set of at most m labels that fewer than k records show. Labels are 0..d-1."""
    n, total = len(offsets) - 1, len(shown)
    rare = np.zeros(n, np.bool_)
    held = np.empty((m, total), np.int64)
    kids = np.empty((m, d), np.int32)
    starts = np.zeros((m, d + 1), np.int64)
    count = np.zeros(d, np.int64)
    n_kids, cursor = np.zeros(m, np.int64), np.zeros(m, np.int64)
    records = np.arange(n)
    after, t = -1, 0
    while True:
        n_kids[t] = _expand(offsets, shown, records, after, count, kids[t], starts[t], held[t])
        cursor[t] = 0
        for c in range(n_kids[t]):
            if starts[t, c + 1] - starts[t, c] < k:
                for p in range(starts[t, c], starts[t, c + 1]):
                    rare[held[t, p]] = True
        if t == m - 1:
            t -= 1
        while t >= 0 and cursor[t] == n_kids[t]:
            t -= 1
        if t < 0:
            return rare
        c = cursor[t]
        cursor[t] += 1
        records, after = held[t, starts[t, c] : starts[t, c + 1]], kids[t, c]
        t += 1


@njit(cache=True, nogil=True)
def _expand(
    offsets: Offsets, shown: Ids, records: Longs, after: int, count: Longs, kids: Ids, starts: Longs, held: Longs
) -> int:
    """Write the labels above `after` that the records show, and who shows each; return their number."""
    n = 0
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = shown[p]
            if label <= after:
                break
            if count[label] == 0:
                kids[n] = label
                n += 1
            count[label] += 1
    starts[0] = 0
    for c in range(n):
        starts[c + 1] = starts[c] + count[kids[c]]
        count[kids[c]] = starts[c]
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = shown[p]
            if label <= after:
                break
            held[count[label]] = r
            count[label] += 1
    for c in range(n):
        count[kids[c]] = 0
    return n


@njit(cache=True, nogil=True)
def _hides(records: Longs, secret_offsets: Offsets, secrets: Ids, tally: Longs, l: int) -> bool:  # noqa: E741
    if l <= 1 or len(tally) == 0:
        return True
    most = 0
    for r in records:
        for p in range(secret_offsets[r], secret_offsets[r + 1]):
            tally[secrets[p]] += 1
            most = max(most, tally[secrets[p]])
    for r in records:
        for p in range(secret_offsets[r], secret_offsets[r + 1]):
            tally[secrets[p]] = 0
    return most * l <= len(records)


@njit(cache=True, nogil=True)
def cut_labels(
    bounds: Offsets,
    offsets: Offsets,
    items: Ids,
    labels: Ids,
    k: int,
    m: int,
    secret_offsets: Offsets,
    secrets: Ids,
    n_secrets: int,
    l: int,  # noqa: E741
    tries: int,
) -> Ids:
    """Return the labels of all occurrences with labels cut in two as long as each cluster stays protected.

    Record r holds items[p], shown as labels[p], for p from offsets[r] to offsets[r + 1]-1; records bounds[c] .. bounds[c + 1]-1
    are cluster c, whose labels are numbers of its own, from 0. The label with most occurrences comes first; its items are
    sorted by how often it stands for them, so that items of like counts stay together, and cut where half, or another share, of
    the occurrences lie on either side. At most so many cuts are tried in a cluster.
    """
    found = labels.copy()
    for c in range(len(bounds) - 1):
        first, last = bounds[c], bounds[c + 1]
        start, stop = offsets[first], offsets[last]
        hidden = secrets[secret_offsets[first] : secret_offsets[last]]
        asked = (k, m, secret_offsets[first : last + 1] - secret_offsets[first], hidden, n_secrets, l)
        _cut_cluster(offsets[first : last + 1] - start, items[start:stop], found[start:stop], asked, tries)
    return found


@njit(cache=True, nogil=True)
def _cut_cluster(offsets: Offsets, items: Ids, labels: Ids, asked: tuple[int, int, Offsets, Ids, int, int], tries: int) -> None:
    total = len(labels)
    if total == 0:
        return
    n = int(labels.max()) + 1
    weight = np.zeros(n + tries + 1, np.int64)
    for label in labels:
        weight[label] += 1
    while tries > 0:
        label = int(weight[:n].argmax())
        if weight[label] <= asked[0]:
            return
        ranked = _ranked(items, labels, label)
        cut = False
        for share in (2, 4, 1, 3):
            if len(ranked) == 1:
                break
            tries -= 1
            size = _cut_at(ranked, share)
            if _cut_off(offsets, items, labels, label, n, ranked[:size], asked):
                moved = 0
                for p in range(total):
                    moved += labels[p] == n
                weight[n] = moved
                weight[label] -= moved
                n += 1
                cut = True
                break
        if not cut:
            weight[label] = 0


@njit(cache=True, nogil=True)
def _ranked(items: Ids, labels: Ids, label: int) -> Longs:
    """Return the items behind a label with how often it stands for each, as count << 32 | item, the commonest first."""
    d = items.max() + 1
    count = np.zeros(d, np.int64)
    for p in range(len(items)):
        if labels[p] == label:
            count[items[p]] += 1
    held = np.flatnonzero(count)
    return np.sort((count[held] << 32) | held)[::-1]


@njit(cache=True, nogil=True)
def _cut_at(ranked: Longs, share: int) -> int:
    """Return how many items to cut off: so many that they have share / 4 of the occurrences (4: just the first item)."""
    if share == 4:
        return 1
    total = (ranked >> 32).sum()
    size, reached = 0, 0
    while size < len(ranked) - 1 and (size == 0 or 4 * reached < share * total):
        reached += ranked[size] >> 32
        size += 1
    return size


@njit(cache=True, nogil=True)
def _cut_off(
    offsets: Offsets,
    items: Ids,
    labels: Ids,
    label: int,
    new: int,
    chosen: Longs,
    asked: tuple[int, int, Offsets, Ids, int, int],
) -> bool:
    """Show the chosen items of a label as a new one, in place, if the records stay protected; return whether they do."""
    k, m, secret_offsets, secrets, n_secrets, l = asked  # noqa: E741
    taken = np.zeros(items.max() + 1, np.bool_)
    for one in chosen:
        taken[one & 0xFFFFFFFF] = True
    for p in range(len(labels)):
        if labels[p] == label and taken[items[p]]:
            labels[p] = new
    starts = np.zeros(len(offsets), np.int64)
    shown = np.empty(len(labels), np.int32)
    end = 0
    for r in range(len(offsets) - 1):
        row = np.sort(labels[offsets[r] : offsets[r + 1]])
        for p in range(len(row)):
            if p == 0 or row[p] != row[p - 1]:
                shown[end] = row[p]
                end += 1
        starts[r + 1] = end
    if is_protected(starts, shown[:end], new + 1, k, m, secret_offsets, secrets, n_secrets, l):
        return True
    for p in range(len(labels)):
        if labels[p] == new:
            labels[p] = label
    return False
