"""Many sets in two arrays, vectorized operations on them, and the limit on the work of a check.

Nothing is sampled: a check that takes too many steps is not made, and the verdict does not hold.
Checks run in threads, so long operations must release the interpreter lock: np.repeat, np.add.at and np.bincount do not, nor
does np.cumsum in place or into another dtype.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from anonset import threads
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.verdict import Finding

LIMIT = 4_000_000_000  # elementary steps: sets looked at in records, or pairs of records compared
BLOCK = 4_000_000  # steps of a block that is held in memory
SHARED = 100_000  # steps that are worth a second thread
ROWS = 1 << 16  # rows of a block: working arrays of this size are reused, larger ones are allocated anew
Matrix = sparse.csr_array[Any]


class Sets(NamedTuple):
    """Set r holds members[offsets[r] : offsets[r + 1]], ascending, without repeats, out of 0 .. d-1."""

    offsets: Offsets
    members: Ids
    d: int

    @property
    def n(self) -> int:
        """The number of sets."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Rows:
        """The size of each set."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Rows:
        """The set that each entry belongs to."""
        return owners_of(self.offsets)

    @property
    def matrix(self) -> Matrix:
        """Ones where a set (row) has a member (column)."""
        ones = np.ones(len(self.members), np.int32)
        return sparse.csr_array((ones, self.members, short(self.offsets)), shape=(self.n, self.d))

    def get(self, r: int) -> list[int]:
        """The members of one set."""
        return [int(a) for a in self.members[self.offsets[r] : self.offsets[r + 1]]]

    def take(self, rows: Rows) -> "Sets":
        """The given sets, in the given order."""
        starts, stops = self.offsets[rows], self.offsets[rows + 1]
        offsets = offsets_of(stops - starts)
        members = np.empty(offsets[-1], np.int32)
        for low in range(0, len(rows), ROWS):
            high = min(low + ROWS, len(rows))
            members[offsets[low] : offsets[high]] = self.members[runs(starts[low:high], stops[low:high])[1]]
        return Sets(offsets, members, self.d)

    def keep(self, kept: NDArray[np.bool_]) -> "Sets":
        """The same sets with only those entries that are marked."""
        if kept.all():
            return self
        return Sets(offsets_of(kept)[self.offsets], self.members[kept], self.d)

    def rename(self, new: Ids, d: int) -> "Sets":
        """The same sets with member i called new[i], where no two are called the same; -1 drops it."""
        kept = self.keep(new[self.members] >= 0)
        names = new[kept.members]
        if (np.diff(new[new >= 0]) < 0).any():
            first = kept.owners * d
            names = (np.sort(first + names, kind="stable") - first).astype(np.int32)  # quick where rows are in order already
        return Sets(kept.offsets, names.astype(np.int32), d)


def offsets_of(lengths: NDArray[Any] | list[int]) -> Offsets:
    """Where each set starts, and where the last one ends."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(np.asarray(lengths, np.int64), out=offsets[1:])
    return offsets


def owners_of(offsets: Offsets) -> Rows:
    """For each entry the set it is in, by where each set starts and where the last one ends."""
    steps, filled = np.zeros(offsets[-1], np.int64), offsets[1:] > offsets[:-1]
    if filled.all():
        steps[offsets[1:-1]] = 1
    else:
        steps[offsets[:-1][filled]] = np.diff(np.flatnonzero(filled), prepend=0)
    return np.cumsum(steps)


def short(offsets: Offsets) -> NDArray[np.integer[Any]]:
    """The same numbers in half the room where they fit: a sparse product reads them again and again."""
    return offsets.astype(np.int32) if len(offsets) and offsets[-1] < 2**31 else offsets


def runs(starts: NDArray[Any], stops: NDArray[Any]) -> tuple[Rows, Rows]:
    """The lengths of the runs starts[a] .. stops[a]-1, and all their positions one after the other."""
    lengths = (stops - starts).astype(np.int64)
    return lengths, _along(starts, stops, offsets_of(lengths))


def owned(starts: NDArray[Any], stops: NDArray[Any]) -> tuple[Rows, Rows]:
    """Of all positions of the runs starts[a] .. stops[a]-1 one after the other: the run each is of, and the position."""
    lengths = stops - starts
    if (lengths == 1).all():
        return np.arange(len(starts)), starts
    offsets = offsets_of(lengths)
    return owners_of(offsets), _along(starts, stops, offsets)


def _along(starts: NDArray[Any], stops: NDArray[Any], offsets: Offsets) -> Rows:
    """All positions of the runs: from one to the next within a run, and from the end of a run to the start of the next."""
    steps, offsets, filled = np.ones(offsets[-1], np.int64), offsets[:-1], stops > starts
    if not filled.all():
        starts, stops, offsets = starts[filled], stops[filled], offsets[filled]
    steps[offsets[:1]] = starts[:1]
    steps[offsets[1:]] = starts[1:] - stops[:-1] + 1
    return np.cumsum(steps)


def blocks(total: Rows, block: int, most: int) -> Iterator[tuple[int, int]]:
    """Runs of rows that hold at least one row, at most `most`, and where possible at most `block` of the running total."""
    low, n = 0, len(total) - 1
    while low < n:
        high = int(np.searchsorted(total, total[low] + block, side="right")) - 1
        high = min(max(high, low + 1), low + most, n)
        if total[high] > total[low]:
            yield low, high
        low = high


def shared_block(steps: int, block: int) -> int:
    """The steps of a block: so few, where it is worth a second thread, that each has two and all hold no more than one."""
    return min(block, steps // 2 + 1) // threads.THREADS + 1 if steps > SHARED else block


def distinct(sets: Sets, groups: Rows | None = None) -> tuple[Rows, Rows, Rows]:
    """For the different sets (in the same group): one row that has it, and how many have it; and for each row its number.

    Rows are compared by their lengths (and groups, which are numbers from 0 on), then by their members, as many at a time as
    fit into a word. The comparison is exact: different sets never get the same number.
    """
    starts = unlike_the_one_before(sets, groups)
    if 2 * len(starts) < sets.n:  # sorted records, as they are published
        first, _, number = distinct(sets.take(starts), None if groups is None else groups[starts])
        number = np.repeat(number, np.diff(np.append(starts, sets.n)))
        return starts[first], np.bincount(number, minlength=len(first)), number
    lengths, bits, p = sets.lengths, max(1, (sets.d - 1).bit_length()), 0
    word = lengths if groups is None else lengths * (groups.max(initial=0) + 1) + groups
    rank, tied = np.zeros(sets.n, np.int64), np.arange(sets.n)  # of the rows distinguished so far: how many come before
    while len(tied):
        width = (63 - int(word.max()).bit_length()) // bits
        word = _with_members(sets, tied, word, (p, p + width), bits)
        order = np.argsort(word)
        tied, alike, before = tied[order], _starts(word[order]), rank[tied[order]]
        rank[tied] = before + alike - _starts(before)
        p += width
        tied = tied[(np.bincount(alike)[alike] > 1) & (lengths[tied] > p)]
        word = rank[tied]
    counts = np.bincount(rank, minlength=sets.n)
    number = (np.cumsum(counts > 0) - 1)[rank]
    counts = counts[counts > 0]
    first = np.empty(len(counts), np.int64)
    first[number[::-1]] = np.arange(sets.n)[::-1]  # of rows that are alike the last one written here is the first
    return first, counts, number


def _with_members(sets: Sets, rows: Rows, words: Rows, places: tuple[int, int], bits: int) -> Rows:
    """The words of rows with their members at some places put behind; rows of the same word have the same length."""
    left, longer = sets.lengths[rows], words << bits * (places[1] - places[0])
    for place in range(*places):
        here = np.flatnonzero(left > place)
        longer[here] |= sets.members[sets.offsets[rows[here]] + place].astype(np.int64) << bits * (places[1] - 1 - place)
    return longer


def _starts(words: Rows) -> Rows:
    """For each place of ascending words the first place with the same one."""
    places = np.arange(len(words))
    places[1:][words[1:] == words[:-1]] = 0
    return np.maximum.accumulate(places)


def unlike_the_one_before(sets: Sets, groups: Rows | None = None) -> Rows:
    """The rows that differ from the row before them (or are in another group), the first one included."""
    alike = np.zeros(sets.n, np.bool_)
    for low in range(1, sets.n, ROWS):
        high = min(low + ROWS, sets.n)
        alike[low:high] = _like_the_one_before(sets.offsets[low - 1 : high + 1], sets.members)
    if groups is not None:
        alike[1:] &= groups[1:] == groups[:-1]
    return np.flatnonzero(~alike)


def _like_the_one_before(offsets: Offsets, members: Ids) -> NDArray[np.bool_]:
    """Whether each row but the first has the members of the row before it."""
    here, lengths = members[offsets[0] : offsets[-1]], np.diff(offsets)
    before = np.maximum(np.arange(len(here)) - lengths[owners_of(offsets - offsets[0])], 0)
    total = offsets_of(here != here[before])[offsets - offsets[0]]
    alike: NDArray[np.bool_] = (lengths[1:] == lengths[:-1]) & (total[2:] == total[1:-1])
    return alike


def is_among(keys: Rows, known: Rows) -> NDArray[np.bool_]:
    """Which keys are among the known ones, which ascend."""
    if len(known) == 0:
        return np.zeros(len(keys), np.bool_)
    where = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: NDArray[np.bool_] = known[where] == keys
    return found


class TooLargeError(Exception):
    """The check would take more steps than the limit allows."""


def require_within(steps: int, limit: int) -> None:
    """Raise where a check takes more steps than the limit."""
    if steps > limit:
        raise TooLargeError(f"it takes more than the {limit:,} steps that the limit allows")


def not_checked(guarantee: str, why: object) -> Finding:
    """The finding that says a check was refused, which counts as not holding."""
    return Finding(guarantee, holds=False, checked=False, worst=str(why))
