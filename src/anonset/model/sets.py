"""Sets of codes, row after row in one array: row r holds members[offsets[r] : offsets[r + 1]]."""

from collections.abc import Iterable, Iterator, Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anonset.errors import InputError
from anonset.model.arrays import Ids, Mask, Offsets, Rows

Sets = tuple[Offsets, Ids]
AT_ONCE = 1 << 17  # rows or members: working arrays of this size are reused, larger ones would be allocated each time


def pieces(n: int) -> Iterator[tuple[int, int]]:
    """Return runs (first, last + 1) of the numbers 0 .. n-1, each of at most AT_ONCE numbers."""
    return ((first, min(first + AT_ONCE, n)) for first in range(0, n, AT_ONCE))


def offsets_of(lengths: ArrayLike) -> Offsets:
    """Where each row of these lengths begins and, at the end, where the last one stops."""
    lengths = np.asarray(lengths)
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, dtype=np.int64, out=offsets[1:])
    return offsets


def places_in(domain: Sequence[Any], names: Iterable[Any]) -> Ids:
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
    seen = np.zeros(high - low + 1, np.bool_)
    seen[numbers - low] = True
    return int(np.count_nonzero(seen)) < len(numbers)


def times_of(codes: NDArray[np.integer[Any]], d: int, least: int = 0) -> Rows:
    """How often each of the codes least .. d-1 occurs."""
    times = np.zeros(d - least, np.int64)
    for first, last in pieces(len(codes)):
        times += np.bincount(codes[first:last] - least, minlength=d - least)
    return times


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
    found = np.empty(taken[-1], members.dtype)
    for first, last in pieces(len(which)):
        begin, end = taken[first], taken[last]
        found[begin:end] = members[
            np.repeat(starts[first:last] - taken[first:last], lengths[first:last]) + np.arange(begin, end)
        ]
    return taken, found


def sorted_within(offsets: Offsets, members: NDArray[np.integer[Any]], d: int) -> Ids:
    """The members, codes below d, ascending within each row: sorted as numbers that begin with the row, not by places.

    A stable sort, since it makes use of what is in order already: the rows are.
    """
    found = np.empty(len(members), np.int32)
    for first, last in pieces(len(offsets) - 1):
        begin, end = offsets[first], offsets[last]
        start = rows_of(offsets[first : last + 1]) * d
        found[begin:end] = np.sort(start + members[begin:end], kind="stable") - start
    return found


def unlike_the_row_before(offsets: Offsets, members: Ids) -> Mask:
    """Whether each row holds something else than the one before it; the first one does."""
    fresh = np.ones(len(offsets) - 1, np.bool_)
    for first, last in pieces(len(fresh)):
        begin, end = offsets[max(first - 1, 0)], offsets[last]
        fresh[max(first, 1) : last] = _unlike(offsets[max(first - 1, 0) : last + 1] - begin, members[begin:end])
    return fresh


def _unlike(offsets: Offsets, members: Ids) -> Mask:
    """The same of each row but the first."""
    lengths = np.diff(offsets)
    before = np.maximum(np.arange(len(members)) - np.repeat(lengths, lengths), 0)  # its place in a row of the same length
    different = offsets_of(members != members[before])[offsets]
    unlike: Mask = (lengths[1:] != lengths[:-1]) | (different[2:] > different[1:-1])
    return unlike


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
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(entries) or (offsets[1:] < offsets[:-1]).any():
        raise InputError(f"offsets of {what} must start at 0, never fall and end at the number of entries")
    if len(entries) == 0:
        return
    if entries.min() < 0 or entries.max() >= d:
        raise InputError(f"{what} must be numbers from 0 to {d - 1}")
    fine = np.zeros(len(entries) + 1, np.bool_)
    fine[offsets] = True
    fine[1:-1] |= entries[1:] > entries[:-1]
    if not fine[1:-1].all():
        raise InputError(f"{what} of a record must ascend without repeats")


def set_ranks(offsets: Offsets, entries: Ids, d: int) -> Rows:
    """For each record the number of records whose sets of codes below d come before its own, as words do in a dictionary."""
    order, start = set_order(offsets, entries, d)
    rank = np.empty(len(order), np.int64)
    rank[order] = start
    return rank


def set_order(offsets: Offsets, entries: Ids, d: int) -> tuple[Rows, Rows]:
    """The records in the order of their sets of codes below d, as words in a dictionary; of each the first place of its like.

    Records that are alike stay as they come. As many codes as fit are packed into one number, records are sorted by it, and
    only those still alike are looked at again.
    """
    bits = max(1, d.bit_length())
    width = 63 // bits
    order, start = np.arange(len(offsets) - 1), np.zeros(len(offsets) - 1, np.int64)
    tied, depth = order.copy() if len(entries) else order[:0], 0  # positions whose records are still to be compared
    while len(tied):
        word, before = _words(offsets, entries, order[tied], depth, width, bits), start[tied]
        by = np.lexsort((word, before)) if depth else np.argsort(word, kind="stable")
        rows = order[tied[by]]
        order[tied] = rows
        word = word[by]
        fresh = np.append(True, (before[1:] != before[:-1]) | (word[1:] != word[:-1]))
        start[tied] = np.maximum.accumulate(np.where(fresh, tied, 0))
        del by, word, before
        depth += width
        begins = np.flatnonzero(fresh)
        sizes = np.diff(np.append(begins, len(fresh)))
        longer = np.logical_or.reduceat(offsets[rows + 1] - offsets[rows] > depth, begins)
        tied = tied[np.repeat(longer & (sizes > 1), sizes)]
    return order, start


def _words(offsets: Offsets, entries: Ids, rows: Rows, depth: int, width: int, bits: int) -> NDArray[np.int64]:
    """So many codes of each record from a place in it on, packed into a number; beyond its end they are less than any."""
    words = np.zeros(len(rows), np.int64)
    for first, last in pieces(len(rows)):
        here, word = rows[first:last], words[first:last]
        at, end = offsets[here] + depth, offsets[here + 1]
        for _ in range(width):
            word <<= bits
            word += np.where(at < end, entries.take(at, mode="clip") + 1, 0)
            at += 1
    return words


def subsets(lengths: Rows, size: int) -> int:
    """How many sets of so many members the sets of these lengths have, one for each set that holds it."""
    times = np.bincount(lengths)
    return sum(comb(length, size) * int(times[length]) for length in np.flatnonzero(times).tolist())
