"""Sets of codes, row after row in one array: row r holds members[offsets[r] : offsets[r + 1]]."""

from collections.abc import Iterable, Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anonset.errors import InputError
from anonset.model.arrays import Ids, Mask, Offsets, Rows

Sets = tuple[Offsets, Ids]


def offsets_of(lengths: ArrayLike) -> Offsets:
    """Where each row of these lengths begins and, at the end, where the last one stops."""
    lengths = np.asarray(lengths)
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, dtype=np.int64, out=offsets[1:])
    return offsets


def places_in(domain: Sequence[str], names: Iterable[str]) -> Ids:
    """The place of each name in a domain, -1 where it is not there."""
    place = dict(zip(domain, range(len(domain)), strict=True))
    return np.array([place.get(name, -1) for name in names], np.int32)


def offsets_of_rows(row: NDArray[np.integer[Any]], n: int) -> Offsets:
    """The offsets of n rows whose members, in the order of rows, belong to row[0], row[1], ..."""
    return offsets_of(np.bincount(row, minlength=n))


def rows_of(offsets: Offsets) -> Rows:
    """The row that each member belongs to."""
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))


def sets_of(rows: Sequence[Sequence[int] | NDArray[np.integer[Any]]]) -> Sets:
    """The rows one after the other."""
    members = np.concatenate([*rows, np.zeros(0, np.int32)]).astype(np.int32, copy=False)
    return offsets_of([len(row) for row in rows]), members


def distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different keys, ascending; by sorting, which for many different ones takes a fraction of what a table takes."""
    keys = np.sort(keys)
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys


def has_repeats(numbers: Rows) -> bool:
    """Whether a number is there twice: looked up in a table, unless that would be far longer than the numbers."""
    low, high = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    if high - low > 8 * len(numbers):
        return len(distinct(numbers)) < len(numbers)
    return int(np.bincount(numbers - low).max(initial=0)) > 1


def renumbered(codes: NDArray[np.integer[Any]], first: int = 0) -> tuple[Rows, Rows]:
    """The codes from `first` on that occur, ascending, and the place of each entry among them; -1 for a lower code."""
    used = np.flatnonzero(np.bincount(codes)[first:]) + first
    place = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
    place[used] = np.arange(len(used))
    return used, place[codes]


def take(offsets: Offsets, members: Ids, rows: Rows | Mask) -> Sets:
    """The given rows, in the given order; or those where a mask is true."""
    which = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    starts = offsets[which]
    lengths = offsets[which + 1] - starts  # not those of all rows: a few of many are taken, often
    taken = offsets_of(lengths)
    return taken, members[np.repeat(starts - taken[:-1], lengths) + np.arange(taken[-1])]


def sorted_within(offsets: Offsets, members: NDArray[np.integer[Any]], d: int) -> Ids:
    """The members, codes below d, ascending within each row: sorted as numbers that begin with the row, not by places.

    A stable sort, since it makes use of what is in order already: the rows are.
    """
    start = rows_of(offsets) * d
    return (np.sort(start + members, kind="stable") - start).astype(np.int32)


def unlike_the_row_before(offsets: Offsets, members: Ids) -> Mask:
    """Whether each row holds something else than the one before it; the first one does."""
    lengths, fresh = np.diff(offsets), np.ones(len(offsets) - 1, np.bool_)
    before = np.maximum(np.arange(len(members)) - np.repeat(lengths, lengths), 0)  # its place in a row of the same length
    different = offsets_of(members != members[before])[offsets]
    fresh[1:] = (lengths[1:] != lengths[:-1]) | (different[2:] > different[1:-1])
    return fresh


def filter_members(offsets: Offsets, members: Ids, kept: Mask) -> Sets:
    """The same rows with only the members where the mask is true."""
    return offsets_of(kept)[offsets], members[kept]


def freeze(*arrays: NDArray[Any] | None) -> None:
    """Make arrays read-only for ever."""
    for array in arrays:
        if array is not None:
            array.setflags(write=False)


def check_rows_of_sets(offsets: Offsets, entries: Ids, d: int, *, what: str) -> None:
    """Raise unless (offsets, entries) holds ascending sets without repeats of values in 0..d-1."""
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(entries) or (np.diff(offsets) < 0).any():
        raise InputError(f"offsets of {what} must start at 0, never fall and end at the number of entries")
    if len(entries) == 0:
        return
    if entries.min() < 0 or entries.max() >= d:
        raise InputError(f"{what} must be numbers from 0 to {d - 1}")
    rising = np.diff(entries) > 0
    starts = offsets[1:-1]
    starts = starts[(starts > 0) & (starts < len(entries))]
    rising[starts - 1] = True
    if not rising.all():
        raise InputError(f"{what} of a record must ascend without repeats")


def set_ranks(offsets: Offsets, entries: Ids, d: int) -> Rows:
    """For each record the number of records whose sets of codes below d come before its own, as words do in a dictionary.

    As many codes as fit are packed into one number, records are ranked by it, and only those still alike are looked at again.
    """
    bits = max(1, d.bit_length())
    width = 63 // bits
    rank = np.zeros(len(offsets) - 1, np.int64)
    tied, depth = np.arange(len(rank)), 0
    padded = np.append(entries, np.int32(-1))
    while len(tied):
        word = np.zeros(len(tied), np.int64)
        for place in range(depth, depth + width):
            at = offsets[tied] + place
            word = (word << bits) | (padded[np.where(at < offsets[tied + 1], at, -1)].astype(np.int64) + 1)
        order = np.lexsort((word, rank[tied]))
        tied, word = tied[order], word[order]
        before = rank[tied]
        blocks = _starts(before)
        words = _starts(before, word)
        rank[tied] = before + words - blocks
        depth += width
        longer = np.flatnonzero(offsets[tied + 1] - offsets[tied] > depth)
        tied = tied[np.isin(words, words[longer[_is_tied(words)[longer]]])]
    return rank


def _starts(*keys: NDArray[np.int64]) -> Rows:
    """For each place of sorted keys the first place with the same ones."""
    n = len(keys[0])
    fresh = np.ones(n, np.bool_)
    fresh[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return np.maximum.accumulate(np.where(fresh, np.arange(n), 0))


def _is_tied(starts: Rows) -> Mask:
    """Whether each place shares its start with another."""
    counts = np.bincount(starts, minlength=len(starts))
    tied: Mask = counts[starts] > 1
    return tied


def subsets(lengths: Rows, size: int) -> int:
    """How many sets of so many members the sets of these lengths have, one for each set that holds it."""
    found, times = np.unique(lengths, return_counts=True)
    return sum(comb(length, size) * count for length, count in zip(found.tolist(), times.tolist(), strict=True))
