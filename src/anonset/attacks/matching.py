"""People and released records in one coding, so that any released file can be compared with any people."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.attacks._kernels.nearest import nearest_records, people_described
from anonset.errors import InputError
from anonset.kernels.records import places_of_items
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges, UncertainItems
from anonset.model.release import Release
from anonset.model.sets import rows_of, set_ranks, sets_of, sorted_within, take
from anonset.threads import chunks, parallel_map

Numbers = NDArray[np.float64]  # (people, columns)
Codes = NDArray[np.int32]  # (people, columns), shifted by one: 0 is a missing value
LEAST = 50  # people for a thread


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """What is known of people: scaled numbers (nan where missing), shifted codes, and items."""

    numbers: Numbers
    codes: Codes
    offsets: Offsets
    items: Ids

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, rows: Rows) -> "People":
        """Return these people, in this order."""
        return People(self.numbers[rows], self.codes[rows], *take(self.offsets, self.items, rows))

    def with_items(self, held: Mask) -> "People":
        """Return the same people, of whom only these occurrences of items are known."""
        kept = np.bincount(rows_of(self.offsets)[held], minlength=len(self))
        return replace(self, offsets=np.append(0, np.cumsum(kept)), items=self.items[held])


class Attributes(NamedTuple):
    """The attributes that an attacker uses: the places of numeric and of other columns, and whether the items, all of them."""

    numeric: tuple[int, ...]
    other: tuple[int, ...]
    items: bool
    whole: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedRecords:
    """The records of a release as ranges, labels and sets of labels, in the coding of the original.

    `names` are the numeric columns, then the others. `fits` is the table that the kernels describe.
    """

    names: tuple[str, ...]
    low: Numbers
    high: Numbers
    labels: Codes
    fits: Mask
    starts: Offsets
    widths: Offsets
    shown_offsets: Offsets
    shown: Ids
    member_offsets: Offsets
    members: Ids
    items: tuple[str, ...]  # the domain of the items; empty where none are released
    original: Dataset
    domains: tuple[tuple[str, ...], ...]  # of the columns that are not numeric

    def __len__(self) -> int:
        return len(self.low)

    @property
    def attributes(self) -> Attributes:
        """Return all attributes that the release shows."""
        a = self.low.shape[1]
        return Attributes(tuple(range(a)), tuple(range(self.labels.shape[1])), bool(self.items))

    def people(self, data: Dataset) -> People:
        """Return people in the coding of the release: the original's own, or others read in the same way."""
        numeric, other = self.names[: self.low.shape[1]], self.names[self.low.shape[1] :]
        numbers = [_scaled(_numbers(_column(data, name)), self.original.column(name)) for name in numeric]
        codes = [_recoded(_column(data, name), domain) for name, domain in zip(other, self.domains, strict=True)]
        sets = self._items(data) if self.items else sets_of([[]] * len(data))
        return People(_stacked(numbers, len(data), np.float64), _stacked(codes, len(data), np.int32), *sets)

    def _items(self, data: Dataset) -> tuple[Offsets, Ids]:
        if data.transactions is None:
            raise InputError(f"the people have no items, and the release shows {self.original.item_column}")
        code = {name: i for i, name in enumerate(self.items)}
        own = data.transactions.domain
        unknown = len(self.items)  # behind no label
        new = np.array([code.get(name, unknown + i) for i, name in enumerate(own)], np.int32)
        items = sorted_within(data.transactions.offsets, new[data.transactions.items], unknown + len(own))
        return data.transactions.offsets, items

    def nearest(self, people: People, used: Attributes, rng: np.random.Generator) -> tuple[Rows, Reals]:
        """Return the nearest record of each person and its distance from 0 to 1; chance decides between those as near.

        All columns together count as much as the items, if both are used.
        """
        columns = len(used.numeric) + len(used.other)
        share = (0.5 if used.items else 1.0) / max(1, columns)
        weight = 0.0 if not used.items else 0.5 if columns else 1.0
        numeric, other = list(used.numeric), list(used.other)
        holders, places = places_of_items(self.members, max(1, len(self.items)))
        holding = rows_of(self.member_offsets).astype(np.int32)[places]
        order, begins = rng.permutation(len(self)), rng.integers(0, max(1, len(self)), len(people))
        shown = (np.ascontiguousarray(self.low[:, numeric]), np.ascontiguousarray(self.high[:, numeric]))
        labels = np.ascontiguousarray(self.labels[:, other])

        def search(chunk: tuple[int, int]) -> tuple[Rows, Reals]:
            some = people.of(np.arange(*chunk))
            return nearest_records(
                np.ascontiguousarray(some.numbers[:, numeric]),
                np.ascontiguousarray(some.codes[:, other]),
                some.offsets,
                some.items,
                *shown,
                labels,
                self.fits,
                self.starts[other],
                self.widths[other],
                self.shown_offsets,
                self.shown,
                holders,
                holding,
                share,
                weight,
                used.whole,
                order,
                begins[slice(*chunk)],
            )

        found = parallel_map(search, chunks(len(people), LEAST))
        return np.concatenate([rows for rows, _ in found]), np.concatenate([far for _, far in found])

    def described(self, people: People, records: Rows, shown: tuple[Offsets, Ids], used: Mask, most: int) -> Rows:
        """Return how many people each description fits, counting up to `most`.

        Description q has the columns used[q] of a record and some of its labels of items, up to 31.
        """

        def count(chunk: tuple[int, int]) -> Rows:
            rows = np.arange(*chunk)
            return people_described(
                people.numbers,
                people.codes,
                people.offsets,
                people.items,
                self.low[records[rows]],
                self.high[records[rows]],
                self.labels[records[rows]],
                self.fits,
                self.starts,
                self.widths,
                *take(*shown, rows),
                self.member_offsets,
                self.members,
                max(1, len(self.items)),
                used[rows],
                most,
            )

        return np.concatenate(parallel_map(count, chunks(len(records), LEAST)))

    def exact_copies(self, people: People) -> Mask:
        """Return which people have a record in the release that shows exactly what is known of them, and nothing else."""
        exact = (np.isnan(self.low) | (self.low == self.high)).all(axis=1)
        sizes = np.diff(self.member_offsets)
        exact &= np.bincount(rows_of(self.shown_offsets), sizes[self.shown] > 1, len(self)) == 0
        codes = self.labels.copy()
        ends = np.append(self.starts, len(self.fits))
        for c, width in enumerate(self.widths):
            table = self.fits[ends[c] : ends[c + 1]].reshape(-1, width)
            exact &= (table.sum(axis=1) == 1)[codes[:, c]]
            codes[:, c] = table.argmax(axis=1)[codes[:, c]]
        first = self.members[self.member_offsets[:-1]] if len(self.members) else self.members
        shown = sorted_within(self.shown_offsets, first[self.shown], max(1, len(self.items)))
        released = People(self.low, codes, self.shown_offsets, shown).of(np.flatnonzero(exact))
        together = People(
            np.concatenate([people.numbers, released.numbers]),
            np.concatenate([people.codes, released.codes]),
            np.append(people.offsets, people.offsets[-1] + released.offsets[1:]),
            np.concatenate([people.items, released.items]),
        )
        numbers = _record_numbers(together)
        return np.isin(numbers[: len(people)], numbers[len(people) :])


def released_records(original: Dataset, release: Release) -> ReleasedRecords:
    """Return the records of a release in one coding with the original.

    Uncertain items count as those of the base set.
    """
    numeric = [column for column in release.columns if isinstance(column.labels, Ranges)]
    other = [column for column in release.columns if isinstance(column.labels, Labels)]
    n = len(release)
    ends = [_ends(column, original.column(column.name)) for column in numeric]
    domains, tables = [], []
    for column in other:
        domain, table = _table(column, original.column(column.name))
        domains.append(domain)
        tables.append(table)
    offsets, shown, members, names = _released_items(release)
    return ReleasedRecords(
        tuple(column.name for column in (*numeric, *other)),
        _stacked([low for low, _ in ends], n, np.float64),
        _stacked([high for _, high in ends], n, np.float64),
        _stacked([column.codes + 1 for column in other], n, np.int32),
        np.concatenate([table.ravel() for table in tables]) if tables else np.zeros(0, np.bool_),
        np.cumsum([0, *(table.size for table in tables)], dtype=np.int64)[:-1],
        np.array([table.shape[1] for table in tables], np.int64),
        offsets,
        shown,
        *members,
        names,
        original,
        tuple(domains),
    )


def _released_items(release: Release) -> tuple[Offsets, Ids, tuple[Offsets, Ids], tuple[str, ...]]:
    """Return the labels that each record shows, the items behind each label, and the names of the items."""
    if isinstance(release.items, GeneralizedItems):
        labels = release.items.labels
        return release.items.offsets, release.items.shown, (labels.offsets, labels.members), release.items.domain
    if isinstance(release.items, UncertainItems):
        d = len(release.items.domain)
        alone = (np.arange(d + 1, dtype=np.int64), np.arange(d, dtype=np.int32))
        return release.items.base_offsets, release.items.base, alone, release.items.domain
    nothing = sets_of([])
    return np.zeros(len(release) + 1, np.int64), np.zeros(0, np.int32), nothing, ()


def _ends(column: PublishedColumn, original: Column) -> tuple[Reals, Reals]:
    """Return the scaled ends of the ranges that the records show; nan where a value is missing."""
    assert isinstance(column.labels, Ranges)
    low, high = np.append(column.labels.low, np.nan), np.append(column.labels.high, np.nan)
    return _scaled(low[column.codes], original), _scaled(high[column.codes], original)


def _table(column: PublishedColumn, original: Column) -> tuple[tuple[str, ...], Mask]:
    """Return the domain, longer than the original's where labels stand for other values, and which codes each label fits."""
    assert isinstance(column.labels, Labels)
    known = len(original.domain)
    d = max(known, int(column.labels.members.max(initial=-1)) + 1)
    table = np.zeros((len(column.labels) + 1, d + 2), np.bool_)  # the last code is that of values the release never names
    table[0, 0] = True
    table[rows_of(column.labels.offsets) + 1, column.labels.members + 1] = True
    anything = table[:, 1 : known + 1].all(axis=1) & (known > 1)
    table[anything] = True
    fresh = {int(members[0]): text for text, members in zip(column.labels.texts, column.labels.groups(), strict=True)}
    return (*original.domain, *(fresh[c] for c in range(known, d))), table


def _column(data: Dataset, name: str) -> Column:
    found = next((column for column in data.columns if column.name == name), None)
    if found is None:
        raise InputError("the people have no such column, and the release shows it", column=name)
    return found


def _numbers(column: Column) -> Reals:
    if column.values is None:
        raise InputError("holds texts, and numbers in the original", column=column.name)
    return np.append(column.values, np.nan)[column.codes]


def _scaled(numbers: Reals, original: Column) -> Reals:
    """Return numbers in units of the original's span."""
    low, high = original.span
    return (numbers - low) / ((high - low) or 1.0)


def _recoded(column: Column, domain: Sequence[str]) -> Ids:
    """Return shifted codes in a domain: 0 is a missing value, and one more than the domain holds is any other value."""
    code = {name: c + 1 for c, name in enumerate(domain)}
    new = np.array([0, *(code.get(name, len(domain) + 1) for name in column.domain)], np.int32)
    return new[column.codes + 1]


def _stacked(columns: Sequence[NDArray[Any]], n: int, kind: type[np.generic]) -> NDArray[Any]:
    """Return a table of columns; n rows even if there are none."""
    return np.column_stack(columns).astype(kind) if columns else np.zeros((n, 0), kind)


def _record_numbers(people: People) -> Rows:
    """Return a number for each record; equal records have the same one."""
    numbers = set_ranks(people.offsets, people.items, int(people.items.max(initial=-1)) + 1)
    for column in (*people.numbers.T, *people.codes.T):
        _, values = np.unique(column, return_inverse=True)
        _, numbers = np.unique(numbers * (values.max(initial=0) + 1) + values, return_inverse=True)
    return numbers
