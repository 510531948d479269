"""The set-valued attribute: one ascending run of item codes per record."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anonset.errors import InputError
from anonset.model.arrays import Ids, Mask, Offsets, Rows
from anonset.model.sets import check_rows_of_sets, filter_members, freeze, sets_of, take, times_of


@dataclass(frozen=True, slots=True, eq=False)
class Transactions:
    """Record r holds items[offsets[r] : offsets[r + 1]], ascending, without repeats; item i is called domain[i]."""

    offsets: Offsets
    items: Ids
    domain: tuple[str, ...]

    def __post_init__(self) -> None:
        check_rows_of_sets(self.offsets, self.items, len(self.domain), what="items")
        if len(set(self.domain)) != len(self.domain):
            raise InputError("the items of a domain must differ from each other")
        freeze(self.offsets, self.items)

    @classmethod
    def from_records(cls, records: Iterable[Iterable[str]], domain: Sequence[str] | None = None) -> "Transactions":
        """Transactions over the given domain, or over the items that occur, in `item_order`."""
        rows = [frozenset(record) for record in records]
        names = tuple(domain) if domain is not None else item_order(frozenset().union(*rows))
        code = {name: i for i, name in enumerate(names)}
        coded = [np.sort(np.array([code[name] for name in row], np.int32)) for row in rows]
        return cls(*sets_of(coded), names)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<Transactions: {len(self):,} records of {len(self.domain):,} items, {len(self.items):,} occurrences>"

    @property
    def lengths(self) -> Rows:
        """The number of items of each record."""
        return np.diff(self.offsets)

    @property
    def supports(self) -> Rows:
        """The number of records that hold each item."""
        return times_of(self.items, len(self.domain))

    def records(self) -> Iterator[frozenset[str]]:
        """Each record as a set of item names: for tests and small data."""
        for r in range(len(self)):
            yield frozenset(self.domain[i] for i in self.items[self.offsets[r] : self.offsets[r + 1]])

    def take(self, rows: Rows) -> "Transactions":
        """The given records, in the given order."""
        return Transactions(*take(self.offsets, self.items, rows), self.domain)

    def without(self, dropped: Mask) -> "Transactions":
        """The same records without the dropped items; the domain stays."""
        return Transactions(*filter_members(self.offsets, self.items, ~dropped[self.items]), self.domain)


def item_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names by number where all are whole numbers, else by text: the order of item ids everywhere."""
    rows = list(names)
    try:
        return tuple(sorted(rows, key=lambda name: (int(name), name)))
    except ValueError:
        return tuple(sorted(rows))
