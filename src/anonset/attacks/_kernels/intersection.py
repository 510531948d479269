"""Records of a release that fit what an attacker knows and that some record of an earlier release can be the same person as.

Records are counted in classes that show the same. All tables are indexed by labels; column label 0 is a missing value.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs


class RecordClasses(NamedTuple):
    """Class c has weight[c] records; column j shows codes[c, j], and items shown[offsets[c] : offsets[c + 1]].

    `stands` says which labels of column j may stand for a value: place first[j] + value * width[j] + label. `has` says which
    item labels may stand for an item, by item and label. Items in `loose` may be in a record that shows no label for them.
    """

    weight: Longs
    codes: Ints  # (classes, columns)
    offsets: Longs
    shown: Ints
    stands: Flags
    first: Longs
    width: Longs
    has: Flags  # (items, labels)
    loose: Flags  # (items,)


class Overlaps(NamedTuple):
    """Labels of both releases that can stand for the same: of columns, at first[j] + new * width[j] + old; and of items.

    A label of a release that is `free` may stand for an item for which the other release shows no label.
    """

    columns: Flags
    first: Longs
    width: Longs
    items: Flags  # (new labels, old labels)
    free_new: Flags
    free_old: Flags


class Known(NamedTuple):
    """Attacker a knows items[offsets[a] : offsets[a + 1]] and the values of person[a]; values[person, j] is -1 if not known."""

    person: Longs
    values: Ints  # (people, columns)
    offsets: Longs
    items: Ints


@njit(cache=True, nogil=True)
def fits(classes: RecordClasses, c: int, known: Known, a: int) -> bool:
    """Return whether nothing that attacker a knows contradicts class c."""
    for j in range(classes.codes.shape[1]):
        v = known.values[known.person[a], j]
        if v >= 0 and not classes.stands[classes.first[j] + v * classes.width[j] + classes.codes[c, j]]:
            return False
    for p in range(known.offsets[a], known.offsets[a + 1]):
        i = known.items[p]
        found = classes.loose[i]
        for s in range(classes.offsets[c], classes.offsets[c + 1]):
            if found:
                break
            found = classes.has[i, classes.shown[s]]
        if not found:
            return False
    return True


@njit(cache=True, nogil=True)
def are_compatible(new: RecordClasses, old: RecordClasses, overlaps: Overlaps, c: int, e: int) -> bool:
    """Return whether some record, the same in both years, can be behind class c of the new and class e of the old release."""
    for j in range(new.codes.shape[1]):
        if not overlaps.columns[overlaps.first[j] + new.codes[c, j] * overlaps.width[j] + old.codes[e, j]]:
            return False
    for s in range(new.offsets[c], new.offsets[c + 1]):
        met = overlaps.free_new[new.shown[s]]
        for t in range(old.offsets[e], old.offsets[e + 1]):
            if met:
                break
            met = overlaps.items[new.shown[s], old.shown[t]]
        if not met:
            return False
    for t in range(old.offsets[e], old.offsets[e + 1]):
        met = overlaps.free_old[old.shown[t]]
        for s in range(new.offsets[c], new.offsets[c + 1]):
            if met:
                break
            met = overlaps.items[new.shown[s], old.shown[t]]
        if not met:
            return False
    return True


@njit(cache=True, nogil=True)
def has_partner(new: RecordClasses, old: RecordClasses, overlaps: Overlaps, known: Known, a: int, c: int, near: int) -> int:
    """Return a class of the old release that fits and goes with class c, searched from class `near` on; -1 for none."""
    n = len(old.weight)
    for step in range(n):
        e = (near + step) % n
        if fits(old, e, known, a) and are_compatible(new, old, overlaps, c, e):
            return e
    return -1


@njit(cache=True, nogil=True)
def count_candidates(
    new: RecordClasses,
    old: RecordClasses,
    overlaps: Overlaps,
    known: Known,
    own: Longs,
    near: Longs,
    secrets: Ints,
    cap: int,
    both: bool,
) -> tuple[Longs, Flags]:
    """Return the candidates of each attacker, `cap` for as many or more, and whether all share a value of a secret column.

    own[a] and near[a] are the classes of the person in both releases, where the search begins; secrets[c, s] is the value of
    secret s that class c shows. Without `both`, the old release is not looked at.
    """
    n, attackers, n_secrets = len(new.weight), len(known.person), secrets.shape[1]
    counts, certain = np.zeros(attackers, np.int64), np.zeros((attackers, n_secrets), np.bool_)
    value = np.empty(n_secrets, np.int32)
    for a in range(attackers):
        last, begun, doubtful = near[a], False, 0
        for step in range(n):
            if counts[a] >= cap and doubtful == n_secrets:
                break
            c = (own[a] + step) % n
            if not fits(new, c, known, a):
                continue
            if both:
                found = has_partner(new, old, overlaps, known, a, c, last)
                if found < 0:
                    continue
                last = found
            counts[a] = min(cap, counts[a] + new.weight[c])
            for s in range(n_secrets):
                if not begun:
                    value[s] = secrets[c, s]
                    certain[a, s] = True
                elif certain[a, s] and secrets[c, s] != value[s]:
                    certain[a, s] = False
                    doubtful += 1
            begun = True
    return counts, certain


@njit(cache=True, nogil=True)
def own_pairs(
    new: RecordClasses, old: RecordClasses, overlaps: Overlaps, known: Known, own: Longs, near: Longs, sure: bool
) -> Flags:
    """Return for each attacker whether the person's record is a candidate: with the person's old record, or, where it is not
    sure which that is, with any."""
    found = np.zeros(len(known.person), np.bool_)
    for a in range(len(found)):
        c, e = own[a], near[a]
        if not fits(new, c, known, a):
            continue
        if sure:
            found[a] = fits(old, e, known, a) and are_compatible(new, old, overlaps, c, e)
        else:
            found[a] = has_partner(new, old, overlaps, known, a, c, e) >= 0
    return found


@njit(cache=True, nogil=True)
def items_left(
    new: RecordClasses,
    old: RecordClasses,
    overlaps: Overlaps,
    known: Known,
    own: Longs,
    near: Longs,
    members: tuple[Longs, Ints],
) -> tuple[Longs, Longs]:
    """Return for each attacker how many labels of the person's record stand for several items, and how many of them for a
    single one after what all compatible records of the old release show; `members` are the items behind each new label.
    """
    n = len(old.weight)
    general, single = np.zeros(len(known.person), np.int64), np.zeros(len(known.person), np.int64)
    for a in range(len(general)):
        start, end = new.offsets[own[a]], new.offsets[own[a] + 1]
        left = np.empty(end - start, np.int64)  # the only item seen, -1 for none yet, -2 where nothing can be excluded
        open_labels = 0
        for s in range(start, end):
            several = members[0][new.shown[s] + 1] - members[0][new.shown[s]] > 1
            left[s - start] = -1 if several and not overlaps.free_new[new.shown[s]] else -2
            open_labels += left[s - start] == -1
            general[a] += several
        for step in range(n):
            if open_labels == 0:
                break
            e = (near[a] + step) % n
            if not fits(old, e, known, a) or not are_compatible(new, old, overlaps, own[a], e):
                continue
            for s in range(start, end):
                for q in range(members[0][new.shown[s]], members[0][new.shown[s] + 1]):
                    i = members[1][q]
                    if left[s - start] == -2 or i == left[s - start]:
                        continue
                    for t in range(old.offsets[e], old.offsets[e + 1]):
                        if old.has[i, old.shown[t]]:
                            open_labels -= left[s - start] >= 0
                            left[s - start] = -2 if left[s - start] >= 0 else i
                            break
        for s in range(end - start):
            single[a] += left[s] >= 0
    return general, single
