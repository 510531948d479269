"""A table as it was read, before its columns mean anything: texts, and sets of coded items."""

from collections.abc import Callable
from dataclasses import dataclass, field

import polars as pl

from anonset.errors import InputError
from anonset.model.arrays import Ids, Offsets
from anonset.model.dataset import Source
from anonset.model.limits import limit
from anonset.model.naming import unknown
from anonset.model.people import Gathered

MOST_COLUMNS, RAISED_BY = 10_000, "ANONSET_MOST_COLUMNS"


def require_width(columns: int, file: str | None) -> None:
    """Raise where a table has more columns than one about persons does."""
    if columns > (most := limit(RAISED_BY, MOST_COLUMNS)):
        told = f"has {columns:,} columns, and {most:,} are the most; what a person has or has not is better one column of items"
        raise InputError(f"{told}, or let {RAISED_BY} allow more", file=file)


@dataclass(frozen=True, slots=True, eq=False)
class ItemSets:
    """Record r holds the items names[i] for i in entries[offsets[r] : offsets[r + 1]], in any order, repeats included."""

    offsets: Offsets
    entries: Ids
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.offsets) - 1


def _no_line(row: int) -> int | None:
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of the same height: texts (String, null where there is nothing) and coded item sets.

    `varying` are the columns without a role in which rows of one person differed before they were gathered into a record,
    as `gathered` says.
    `line` gives the line a record begins on, where the source has lines; it may be slow, for it is asked in errors only.
    """

    columns: dict[str, pl.Series]
    sources: tuple[Source, ...]
    file: str | None = None
    sets: dict[str, ItemSets] = field(default_factory=dict)
    line: Callable[[int], int | None] = _no_line
    varying: frozenset[str] = frozenset()
    gathered: Gathered | None = None

    def __len__(self) -> int:
        return max([0, *map(len, self.columns.values()), *map(len, self.sets.values())])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*self.columns, *self.sets)

    def error(self, message: str, *, column: str | None = None, row: int | None = None) -> InputError:
        """An error that names this table and, where given, the column and the line or record."""
        line = None if row is None else self.line(row)
        if row is not None and line is None:
            message = f"record {row + 1}: {message}"
        return InputError(message, file=self.file, line=line, column=column)

    def require(self, column: str, what: str) -> None:
        """Raise unless there is such a column."""
        if column not in self.names:
            found = f"{len(self.names)} columns, if its first line names them"
            raise self.error("there is " + unknown("column", column, self.names, part=what, otherwise=f"there are {found}"))
