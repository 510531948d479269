"""Labels shared out among records: those that show the same labels beside one may show it apart from the others."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Ids = NDArray[np.int32]
Longs = NDArray[np.int64]
PRIME, MODULUS = 1_000_003, 2**42 - 11  # their product fits: nothing overflows


@njit(cache=True, nogil=True)
def chop_labels(
    bounds: Offsets,
    offsets: Offsets,
    items: Ids,
    labels: Ids,
    k: int,
    secret_offsets: Offsets,
    secrets: Ids,
    n_secrets: int,
    l: int,  # noqa: E741 - the papers' letter
) -> Ids:
    """Return the labels of all occurrences with general labels chopped into ones that k or more records show.

    Record r holds items[p], shown as labels[p], for p from offsets[r] to offsets[r + 1]-1; records bounds[c] .. bounds[c + 1]-1
    are cluster c, whose labels are numbers of its own, from 0. Records that show the same labels beside a label are a class. A
    class of k or more is chopped into pieces of k or a few more with like items, each with a label of its own. A class
    stays with the others where these would show a pair of labels fewer than k times without it.
    """
    found = labels.copy()
    for c in range(len(bounds) - 1):
        first, last = bounds[c], bounds[c + 1]
        start, stop = offsets[first], offsets[last]
        hidden = (secret_offsets[first : last + 1], secrets, np.zeros(n_secrets, np.int64), l)
        _chop_cluster(offsets[first : last + 1] - start, items[start:stop], found[start:stop], k, hidden)
    return found


@njit(cache=True, nogil=True)
def _chop_cluster(offsets: Offsets, items: Ids, labels: Ids, k: int, hidden: tuple[Offsets, Ids, Longs, int]) -> None:
    if len(labels) == 0:
        return
    n = int(labels.max()) + 1
    weight, first_item, general = np.zeros(n, np.int64), np.full(n, -1, np.int64), np.zeros(n, np.bool_)
    for p in range(len(labels)):
        weight[labels[p]] += 1
        general[labels[p]] |= first_item[labels[p]] >= 0 and first_item[labels[p]] != items[p]
        first_item[labels[p]] = items[p]
    order = np.sort(-(weight << 32) + np.arange(n))
    fresh = n
    for packed in order:
        label = int(packed & 0xFFFFFFFF)
        if general[label] and weight[label] >= 2 * k:
            fresh = _chop_label(offsets, items, labels, label, fresh, k, hidden)


@njit(cache=True, nogil=True)
def _chop_label(
    offsets: Offsets, items: Ids, labels: Ids, label: int, fresh: int, k: int, hidden: tuple[Offsets, Ids, Longs, int]
) -> int:
    """Chop one label of a cluster, in place; return the first number no label has."""
    holders, classes = _classes(offsets, items, labels, label)
    n = len(classes) - 1
    free = _free_classes(offsets, labels, label, fresh, holders, classes, k)
    for c in range(n):
        if not free[c]:
            continue
        members = holders[classes[c] : classes[c + 1]]
        pieces = len(members) // k
        while pieces > 1 and not _all_hide(members, pieces, hidden):
            pieces -= 1
        if pieces == 1 and (n == 1 or not _hides(members, hidden)):
            continue
        for piece in range(pieces):
            for r in members[len(members) * piece // pieces : len(members) * (piece + 1) // pieces]:
                for p in range(offsets[r], offsets[r + 1]):
                    if labels[p] == label:
                        labels[p] = fresh
            fresh += 1
    return fresh


@njit(cache=True, nogil=True)
def _classes(offsets: Offsets, items: Ids, labels: Ids, label: int) -> tuple[Longs, Longs]:
    """Return the records that show a label, those with like items next to each other, and the bounds of each class."""
    count = np.zeros(items.max() + 1, np.int64)
    for p in range(len(items)):
        count[items[p]] += labels[p] == label
    rank = np.empty(len(count), np.int64)  # the commonest item has the highest
    rank[np.sort((count << 32) | np.arange(len(count))) & 0xFFFFFFFF] = np.arange(len(count))
    holders = np.empty(len(offsets), np.int64)
    beside, kind = np.empty(len(offsets), np.int64), np.empty(len(offsets), np.int64)
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
            holders[n], kind[n], beside[n] = r, (first << 20) + second, _signature(row, label)
            n += 1
    order = np.searchsorted(np.sort(kind[:n]), kind[:n])
    groups = np.unique(beside[:n])
    group = np.searchsorted(groups, beside[:n])
    packed = np.sort((group << 42) | (order << 21) | np.arange(n))
    sizes = np.zeros(len(groups) + 1, np.int64)
    for g in group:
        sizes[g + 1] += 1
    return holders[packed & ((1 << 21) - 1)], np.cumsum(sizes)


@njit(cache=True, nogil=True)
def _signature(row: Ids, label: int) -> int:
    """Return a number for the other labels of a record; different sets share one hardly ever, and then no class is chopped."""
    total = np.int64(7)
    before = np.int32(-1)
    for one in np.sort(row):
        if one != label and one != before:
            total = (total * PRIME + one + 1) % MODULUS
            before = one
    return total


@njit(cache=True, nogil=True)
def _free_classes(
    offsets: Offsets, labels: Ids, label: int, n_labels: int, holders: Longs, classes: Longs, k: int
) -> NDArray[np.bool_]:
    """Return which classes may leave: what stays behind shows the label, and it with each other one, k times or never."""
    n = len(classes) - 1
    free = np.empty(n, np.bool_)
    for c in range(n):
        free[c] = classes[c + 1] - classes[c] >= k and _alike(offsets, labels, label, holders[classes[c] : classes[c + 1]])
    beside = np.zeros(n_labels + 1, np.int64)  # records left that show each label beside it; the last: that are left
    seen = np.full(n_labels + 1, -1, np.int64)
    while True:
        beside[:] = 0
        for c in range(n):
            if not free[c]:
                for r in holders[classes[c] : classes[c + 1]]:
                    beside[n_labels] += 1
                    for p in range(offsets[r], offsets[r + 1]):
                        if labels[p] != label and seen[labels[p]] != r:
                            seen[labels[p]] = r
                            beside[labels[p]] += 1
                    for p in range(offsets[r], offsets[r + 1]):
                        seen[labels[p]] = -1
        back = False
        for c in range(n):
            if free[c] and (0 < beside[n_labels] < k or _is_needed(offsets, labels, label, holders[classes[c]], beside, k)):
                free[c] = False
                back = True
                if 0 < beside[n_labels] < k:
                    break
        if not back:
            return free


@njit(cache=True, nogil=True)
def _is_needed(offsets: Offsets, labels: Ids, label: int, r: int, beside: Longs, k: int) -> bool:
    """Return whether record r shows a label which too few of those that are left show."""
    needed = False
    for p in range(offsets[r], offsets[r + 1]):
        needed |= labels[p] != label and 0 < beside[labels[p]] < k
    return needed


@njit(cache=True, nogil=True)
def _alike(offsets: Offsets, labels: Ids, label: int, members: Longs) -> bool:
    """Return whether the records show the same labels beside the given one."""
    first = members[0]
    one = np.unique(labels[offsets[first] : offsets[first + 1]])
    for r in members[1:]:
        other = np.unique(labels[offsets[r] : offsets[r + 1]])
        if len(other) != len(one) or (other != one).any():
            return False
    return True


@njit(cache=True, nogil=True)
def _all_hide(members: Longs, pieces: int, hidden: tuple[Offsets, Ids, Longs, int]) -> bool:
    for piece in range(pieces):
        if not _hides(members[len(members) * piece // pieces : len(members) * (piece + 1) // pieces], hidden):
            return False
    return True


@njit(cache=True, nogil=True)
def _hides(members: Longs, hidden: tuple[Offsets, Ids, Longs, int]) -> bool:
    """Return whether no secret is in more than 1/l of the records."""
    offsets, secrets, tally, l = hidden  # noqa: E741
    if l <= 1 or len(tally) == 0:
        return True
    most = 0
    for r in members:
        for p in range(offsets[r], offsets[r + 1]):
            tally[secrets[p]] += 1
            most = max(most, tally[secrets[p]])
    for r in members:
        for p in range(offsets[r], offsets[r + 1]):
            tally[secrets[p]] = 0
    return most * l <= len(members)
