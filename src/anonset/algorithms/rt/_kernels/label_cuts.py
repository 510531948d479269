"""The labels of a cluster made to stand for fewer items: assigned to occurrences, chopped among records, cut among items.

Record r holds items[p], shown as labels[p], for p from offsets[r] to offsets[r + 1]-1; records bounds[c] .. bounds[c + 1]-1 are
cluster c, whose labels are numbers of its own, from 0.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from anonset.algorithms.rt._kernels.protection import is_protected
from anonset.kernels.arrays import Flags, Ints, Longs
from anonset.kernels.set_walk import is_diverse

PRIME, MODULUS = 1_000_003, 2**42 - 11  # their product fits: nothing overflows
LOW_WORD = 0xFFFFFFFF  # the lower half of a number that packs two
PLACE_BITS = 21  # records of a cluster, at most 2^21, in a number that packs class, kind and place


@njit(cache=True, nogil=True)
def assigned_labels(
    offsets: Longs, items: Ints, shown_offsets: Longs, shown: Ints, label_offsets: Longs, members: Ints, d: int
) -> Ints:
    """Return for each occurrence a label that its record shows and that stands for it, so that every label stands for some.

    Of any two labels of a record one contains the other, or they share nothing. The smallest comes first and takes an item that
    has no label yet; any will do, since the larger ones have them all, too. Other items get the smallest label there is.
    """
    assigned = np.full(len(items), -1, np.int32)
    place = np.full(d, -1, np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            place[items[p]] = p
        row = shown[shown_offsets[r] : shown_offsets[r + 1]].astype(np.int64)
        row = np.sort(((label_offsets[row + 1] - label_offsets[row]) << 32) | row) & LOW_WORD  # by size
        for all_items in (False, True):  # first one item for each label, then all that are left
            for label in row:
                for q in range(label_offsets[label], label_offsets[label + 1]):
                    p = place[members[q]]
                    if p >= 0 and assigned[p] < 0:
                        assigned[p] = label
                        if not all_items:
                            break
        for p in range(offsets[r], offsets[r + 1]):
            place[items[p]] = -1
    return assigned


class HiddenItems(NamedTuple):
    """Record r of a cluster holds the sensitive items[offsets[r] : offsets[r + 1]]; none may be in more than 1/l of a piece."""

    offsets: Longs
    items: Ints
    tally: Longs  # room to count in, all 0 between calls
    l: int  # noqa: E741 - the papers' letter


@njit(cache=True, nogil=True)
def chop_labels(
    bounds: Longs,
    offsets: Longs,
    items: Ints,
    labels: Ints,
    k: int,
    secret_offsets: Longs,
    secrets: Ints,
    n_secrets: int,
    l: int,  # noqa: E741 - the papers' letter
) -> Ints:
    """Return the labels of all occurrences with general labels chopped into ones that k or more records show.

    The records of a label that have the same other labels are a class. A class of k or more records is cut into groups of k or
    a few more records with similar items, each with its own label. A class stays with the others if these would have a pair of
    labels fewer than k times without it.
    """
    chopped = labels.copy()
    for c in range(len(bounds) - 1):
        first, last = bounds[c], bounds[c + 1]
        start, stop = offsets[first], offsets[last]
        hidden = HiddenItems(secret_offsets[first : last + 1], secrets, np.zeros(n_secrets, np.int64), l)
        _chop_cluster(offsets[first : last + 1] - start, items[start:stop], chopped[start:stop], k, hidden)
    return chopped


@njit(cache=True, nogil=True)
def _chop_cluster(offsets: Longs, items: Ints, labels: Ints, k: int, hidden: HiddenItems) -> None:
    """Chop the general labels of one cluster, in place, those with most occurrences first."""
    if len(labels) == 0:
        return
    n = int(labels.max()) + 1
    weight = np.zeros(n, np.int64)
    first_item = np.full(n, -1, np.int64)
    general = np.zeros(n, np.bool_)
    for p in range(len(labels)):
        label = labels[p]
        weight[label] += 1
        general[label] |= first_item[label] >= 0 and first_item[label] != items[p]
        first_item[label] = items[p]
    fresh = n
    for packed in np.sort(-(weight << 32) + np.arange(n)):
        label = int(packed & LOW_WORD)
        if general[label] and weight[label] >= 2 * k:
            fresh = _chop_label(offsets, items, labels, label, fresh, k, hidden)


@njit(cache=True, nogil=True)
def _chop_label(offsets: Longs, items: Ints, labels: Ints, label: int, fresh: int, k: int, hidden: HiddenItems) -> int:
    """Chop one label of a cluster, in place; return the first number no label has."""
    holders, classes = _classes(offsets, items, labels, label)
    n = len(classes) - 1
    free = _free_classes(offsets, labels, label, fresh, holders, classes, k)
    for c in range(n):
        if not free[c]:
            continue
        members = holders[classes[c] : classes[c + 1]]
        pieces = len(members) // k
        while pieces > 1 and not _all_diverse(members, pieces, hidden):
            pieces -= 1
        if pieces == 1 and (n == 1 or not is_diverse(members, hidden.offsets, hidden.items, hidden.tally, hidden.l)):
            continue
        for piece in range(pieces):
            for r in members[len(members) * piece // pieces : len(members) * (piece + 1) // pieces]:
                for p in range(offsets[r], offsets[r + 1]):
                    if labels[p] == label:
                        labels[p] = fresh
            fresh += 1
    return fresh


@njit(cache=True, nogil=True)
def _classes(offsets: Longs, items: Ints, labels: Ints, label: int) -> tuple[Longs, Longs]:
    """Return the records that show a label, those with like items next to each other, and the bounds of each class."""
    rank = _ranks_of_items(items, labels, label)
    holders = np.empty(len(offsets), np.int64)
    kind = np.empty(len(offsets), np.int64)  # the two commonest items that a record hides behind the label
    signature = np.empty(len(offsets), np.int64)  # of the other labels of a record
    n = 0
    for r in range(len(offsets) - 1):
        row = labels[offsets[r] : offsets[r + 1]]
        first, second = np.int64(-1), np.int64(-1)
        for p in range(len(row)):
            if row[p] == label:
                place = rank[items[offsets[r] + p]]
                second = max(second, min(first, place))
                first = max(first, place)
        if first >= 0:
            holders[n] = r
            kind[n] = (first << 20) + second
            signature[n] = _signature(row, label)
            n += 1
    order = np.searchsorted(np.sort(kind[:n]), kind[:n])
    groups = np.unique(signature[:n])
    group = np.searchsorted(groups, signature[:n])
    packed = np.sort((group << (2 * PLACE_BITS)) | (order << PLACE_BITS) | np.arange(n))
    sizes = np.zeros(len(groups) + 1, np.int64)
    for g in group:
        sizes[g + 1] += 1
    return holders[packed & ((1 << PLACE_BITS) - 1)], np.cumsum(sizes)


@njit(cache=True, nogil=True)
def _ranks_of_items(items: Ints, labels: Ints, label: int) -> Longs:
    """Return the rank of each item by how often the label stands for it; the commonest has the highest."""
    count = np.zeros(items.max() + 1, np.int64)
    for p in range(len(items)):
        count[items[p]] += labels[p] == label
    rank = np.empty(len(count), np.int64)
    rank[np.sort((count << 32) | np.arange(len(count))) & LOW_WORD] = np.arange(len(count))
    return rank


@njit(cache=True, nogil=True)
def _signature(row: Ints, label: int) -> int:
    """Return a number for the other labels of a record; different sets hardly ever share one, and then no class is chopped."""
    total = np.int64(7)
    before = np.int32(-1)
    for other in np.sort(row):
        if other != label and other != before:
            total = (total * PRIME + other + 1) % MODULUS
            before = other
    return total


@njit(cache=True, nogil=True)
def _free_classes(offsets: Longs, labels: Ints, label: int, n_labels: int, holders: Longs, classes: Longs, k: int) -> Flags:
    """Return which classes may leave: the rest shows the label, and it with each other label, k times or never."""
    n = len(classes) - 1
    free = np.empty(n, np.bool_)
    for c in range(n):
        free[c] = classes[c + 1] - classes[c] >= k and _alike(offsets, labels, holders[classes[c] : classes[c + 1]])
    with_label = np.zeros(n_labels + 1, np.int64)  # records of the rest with each other label; last: all records of the rest
    seen = np.full(n_labels + 1, -1, np.int64)
    while True:  # until no class has to come back to the rest
        with_label[:] = 0
        for c in range(n):
            if not free[c]:
                for r in holders[classes[c] : classes[c + 1]]:
                    with_label[n_labels] += 1
                    for p in range(offsets[r], offsets[r + 1]):
                        if labels[p] != label and seen[labels[p]] != r:
                            seen[labels[p]] = r
                            with_label[labels[p]] += 1
                    for p in range(offsets[r], offsets[r + 1]):
                        seen[labels[p]] = -1
        too_few = 0 < with_label[n_labels] < k
        came_back = False
        for c in range(n):
            if free[c] and (too_few or _is_needed(offsets, labels, label, holders[classes[c]], with_label, k)):
                free[c] = False
                came_back = True
                if too_few:
                    break
        if not came_back:
            return free


@njit(cache=True, nogil=True)
def _is_needed(offsets: Longs, labels: Ints, label: int, r: int, with_label: Longs, k: int) -> bool:
    """Return whether record r shows a label which too few records of the rest show."""
    needed = False
    for p in range(offsets[r], offsets[r + 1]):
        needed |= labels[p] != label and 0 < with_label[labels[p]] < k
    return needed


@njit(cache=True, nogil=True)
def _alike(offsets: Longs, labels: Ints, members: Longs) -> bool:
    """Return whether the records show the same labels."""
    first = members[0]
    shown = np.unique(labels[offsets[first] : offsets[first + 1]])
    for r in members[1:]:
        other = np.unique(labels[offsets[r] : offsets[r + 1]])
        if len(other) != len(shown) or (other != shown).any():
            return False
    return True


@njit(cache=True, nogil=True)
def _all_diverse(members: Longs, pieces: int, hidden: HiddenItems) -> bool:
    """Return whether no sensitive item is too frequent in any piece, where the records are cut into `pieces`."""
    for piece in range(pieces):
        part = members[len(members) * piece // pieces : len(members) * (piece + 1) // pieces]
        if not is_diverse(part, hidden.offsets, hidden.items, hidden.tally, hidden.l):
            return False
    return True


class ClusterLimits(NamedTuple):
    """What protects a cluster, and the sensitive items of its records: codes below n_secrets."""

    k: int
    m: int
    secret_offsets: Longs
    secrets: Ints
    n_secrets: int
    l: int  # noqa: E741 - the papers' letter


@njit(cache=True, nogil=True)
def cut_labels(
    bounds: Longs,
    offsets: Longs,
    items: Ints,
    labels: Ints,
    k: int,
    m: int,
    secret_offsets: Longs,
    secrets: Ints,
    n_secrets: int,
    l: int,  # noqa: E741 - the papers' letter
    tries: int,
) -> Ints:
    """Return the labels of all occurrences with labels cut in two as long as each cluster stays protected.

    The label with most occurrences comes first; its items are sorted by how often it stands for them, so that items of like
    counts stay together, and cut where half, or another share, of the occurrences lie on either side. At most `tries` cuts are
    tried in a cluster.
    """
    cut = labels.copy()
    for c in range(len(bounds) - 1):
        first, last = bounds[c], bounds[c + 1]
        start, stop = offsets[first], offsets[last]
        own_offsets = secret_offsets[first : last + 1] - secret_offsets[first]
        own_secrets = secrets[secret_offsets[first] : secret_offsets[last]]
        limits = ClusterLimits(k, m, own_offsets, own_secrets, n_secrets, l)
        _cut_cluster(offsets[first : last + 1] - start, items[start:stop], cut[start:stop], limits, tries)
    return cut


@njit(cache=True, nogil=True)
def _cut_cluster(offsets: Longs, items: Ints, labels: Ints, limits: ClusterLimits, tries: int) -> None:
    """Cut the labels of one cluster, in place."""
    if len(labels) == 0:
        return
    n = int(labels.max()) + 1
    weight = np.zeros(n + tries + 1, np.int64)
    for label in labels:
        weight[label] += 1
    while tries > 0:
        label = int(weight[:n].argmax())
        if weight[label] <= limits.k:
            return
        ranked = _ranked_items(items, labels, label)
        was_cut = False
        for quarters in (2, 4, 1, 3):  # of the occurrences that go to the new label; 4: the commonest item alone
            if len(ranked) == 1:
                break
            tries -= 1
            size = _items_to_cut(ranked, quarters)
            if _cut_off(offsets, items, labels, label, n, ranked[:size], limits):
                moved = 0
                for p in range(len(labels)):
                    moved += labels[p] == n
                weight[n] = moved
                weight[label] -= moved
                n += 1
                was_cut = True
                break
        if not was_cut:
            weight[label] = 0  # no cut protects: do not try this label again


@njit(cache=True, nogil=True)
def _ranked_items(items: Ints, labels: Ints, label: int) -> Longs:
    """Return the items behind a label with how often it stands for each, as count << 32 | item, the commonest first."""
    count = np.zeros(items.max() + 1, np.int64)
    for p in range(len(items)):
        if labels[p] == label:
            count[items[p]] += 1
    held = np.flatnonzero(count)
    return np.sort((count[held] << 32) | held)[::-1]


@njit(cache=True, nogil=True)
def _items_to_cut(ranked: Longs, quarters: int) -> int:
    """Return how many of the commonest items have these quarters of the occurrences (4: just the first item)."""
    if quarters == 4:
        return 1
    total = (ranked >> 32).sum()
    size, reached = 0, 0
    while size < len(ranked) - 1 and (size == 0 or 4 * reached < quarters * total):
        reached += ranked[size] >> 32
        size += 1
    return size


@njit(cache=True, nogil=True)
def _cut_off(offsets: Longs, items: Ints, labels: Ints, label: int, new: int, chosen: Longs, limits: ClusterLimits) -> bool:
    """Show the chosen items of a label as a new one, in place, if the records stay protected; return whether they do."""
    is_chosen = np.zeros(items.max() + 1, np.bool_)
    for packed in chosen:
        is_chosen[packed & LOW_WORD] = True
    for p in range(len(labels)):
        if labels[p] == label and is_chosen[items[p]]:
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
    k, m, secret_offsets, secrets, n_secrets, l = limits  # noqa: E741 - the papers' letter
    if is_protected(starts, shown[:end], new + 1, k, m, secret_offsets, secrets, n_secrets, l):
        return True
    for p in range(len(labels)):
        if labels[p] == new:
            labels[p] = label
    return False
