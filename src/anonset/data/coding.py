"""A table of texts as it was read, and how its texts become coded columns and item sets."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonset.data._vocabulary import CODE_NAMES
from anonset.data.word_order import FEWEST, natural_order
from anonset.errors import InputError, unknown
from anonset.kernels.records import sort_sets
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Column, Gathered, Source, Transactions, item_order
from anonset.model.literals import NUMBER, are_dates, is_held
from anonset.model.schema import Kind, Role
from anonset.model.sets import offsets_of, offsets_of_rows, places_in, rows_of, take
from anonset.threads import environment_limit

MOST_COLUMNS, RAISED_BY = 10_000, "ANONSET_MOST_COLUMNS"


def require_width(columns: int, file: str | None) -> None:
    """Raise if a table has more columns than the limit."""
    if columns > (most := environment_limit(RAISED_BY, MOST_COLUMNS)):
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
    `numbers` are those of the records in the whole input, where they are not the next ones.
    """

    columns: dict[str, pl.Series]
    sources: tuple[Source, ...]
    file: str | None = None
    sets: dict[str, ItemSets] = field(default_factory=dict)
    line: Callable[[int], int | None] = _no_line
    varying: frozenset[str] = frozenset()
    gathered: Gathered | None = None
    numbers: Rows | None = None

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
            message = f"record {(row if self.numbers is None else int(self.numbers[row])) + 1}: {message}"
        return InputError(message, file=self.file, line=line, column=column)

    def require(self, column: str, what: str) -> None:
        """Raise unless there is such a column."""
        if column not in self.names:
            found = f"{len(self.names)} columns, if its first line names them"
            raise self.error("there is " + unknown("column", column, self.names, part=what, otherwise=f"there are {found}"))


def whole_table(batches: Iterable[Table], sources: tuple[Source, ...] = ()) -> Table:
    """The table that comes in batches of the same columns."""
    tables = list(batches)
    first = tables[0]
    if len(tables) == 1:
        return replace(first, sources=sources)
    starts = np.cumsum([0, *map(len, tables)]).tolist()

    def line(row: int) -> int | None:
        n = bisect_right(starts, row) - 1
        return tables[n].line(row - starts[n])

    for table in tables:
        for name in first.names:
            table.require(name, "other batches")
    columns = {name: pl.concat([table.columns[name] for table in tables], rechunk=False) for name in first.columns}
    sets = {name: sets_in_turn([table.sets[name] for table in tables]) for name in first.sets}
    return Table(columns, sources, first.file, sets, line)


def sets_in_turn(parts: Sequence[ItemSets]) -> ItemSets:
    """The sets of several batches, one after the other."""
    code: dict[str, int] = {}
    entries = [np.array([code.setdefault(name, len(code)) for name in part.names], np.int32)[part.entries] for part in parts]
    offsets = offsets_of(np.concatenate([np.diff(part.offsets) for part in parts]))
    return ItemSets(offsets, np.concatenate(entries), tuple(code))


SLICE = 1 << 19  # rows at a time: bounds the memory that texts of items take
PLAIN = (pl.Decimal, pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Date, pl.Time, pl.Null)
NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
MOST_CODES = 50  # different whole numbers that may be codes
LEADING_ZERO = re.compile(r"[+-]?0\d", re.ASCII)

ErrorAt = Callable[[str, int | None], InputError]


class Codebook:
    """Numbers for names, in order of appearance."""

    def __init__(self) -> None:
        self.code: dict[str, int] = {}

    def encode(self, texts: pl.Series) -> Ids:
        """The code of each text, -1 for null."""
        here = texts.drop_nulls().unique().sort()
        names = here.to_list()
        codes = np.array([self.code.setdefault(name, len(self.code)) for name in names] + [-1], np.int32)
        local = texts.cast(pl.Enum(names)).to_physical().cast(pl.Int64).fill_null(len(names))
        coded: Ids = codes[local.to_numpy()]
        return coded

    @property
    def names(self) -> tuple[str, ...]:
        """The names by code."""
        return tuple(self.code)


def as_text(values: pl.Series, error: ErrorAt) -> pl.Series:
    """Values of any plain type as text; whole numbers, whole seconds and whole days are written as such."""
    kind = values.dtype
    if kind.is_float():
        odd = (values.is_nan() | values.is_infinite()).fill_null(False)
        if odd.any():
            row = int(odd.arg_true()[0])
            raise error(f"numbers must be finite; got {values[row]}", row)
        return values.cast(pl.String).str.strip_suffix(".0")
    if isinstance(kind, pl.Datetime):
        return values.cast(pl.String).str.replace(r"\.0+$", "").str.strip_suffix(" 00:00:00")
    if kind.is_integer() or isinstance(kind, PLAIN):
        return values.cast(pl.String)
    raise error(f"values must be texts, numbers, dates or lists of such; got {kind}", None)


def sets_of_lists(lists: pl.Series, error: ErrorAt, book: Codebook | None = None) -> ItemSets:
    """Item sets from a list column of any plain inner type; a null list is empty, and a blank item is none.

    A `book` that several parts of a column share gives their items the same codes.
    """
    lists = lists.cast(pl.List(lists.dtype.inner))  # type: ignore[attr-defined]
    lengths = lists.list.len().fill_null(0).to_numpy().astype(np.int64)
    flat = lists.filter(lists.list.len() > 0).explode()
    book = Codebook() if book is None else book
    pieces = []
    for start in range(0, max(1, len(flat)), SLICE):
        texts = as_text(flat.slice(start, SLICE), lambda message, _: error(message, None)).str.strip_chars()
        pieces.append(book.encode(texts.set(texts == "", None)))
    return _without_gaps(np.concatenate(pieces), rows_of(offsets_of(lengths)), len(lists), book)


def sets_of_texts(cells: pl.Series, separator: str | None) -> ItemSets:
    """Item sets from cells like `milk;bread`, or with one item a cell where nothing separates.

    Blanks around an item and empty items do not count, a null cell is empty.
    """
    book, pieces, rows = Codebook(), [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
    for start in range(0, len(cells), SLICE):
        cell = cells.slice(start, SLICE)
        frame = pl.DataFrame({"row": np.arange(start, start + len(cell)), "item": cell}).filter(pl.col("item").is_not_null())
        if separator is not None:
            frame = frame.with_columns(pl.col("item").str.split(separator)).explode("item")
        frame = frame.with_columns(pl.col("item").str.strip_chars())
        frame = frame.filter(pl.col("item") != "")
        pieces.append(book.encode(frame["item"]))
        rows.append(frame["row"].to_numpy())
    return _without_gaps(np.concatenate(pieces), np.concatenate(rows), len(cells), book)


def _without_gaps(entries: Ids, rows: NDArray[np.int64], n: int, book: Codebook) -> ItemSets:
    """Item sets from entries (-1: none) that belong to ascending rows."""
    kept = entries >= 0
    return ItemSets(offsets_of_rows(rows[kept], n), entries if kept.all() else entries[kept], book.names)


def ordered(sets: ItemSets, rows: Rows | None = None) -> ItemSets:
    """The sets of the given records, names and items in their alphabetical order: whatever order they came in."""
    names = sorted(sets.names)
    place = {name: i for i, name in enumerate(names)}
    entries = np.array([place[name] for name in sets.names], np.int32)[sets.entries]
    order = np.lexsort((entries, rows_of(sets.offsets)))
    offsets, entries = sets.offsets, entries[order]
    if rows is not None:
        offsets, entries = take(offsets, entries, rows)
    return ItemSets(offsets, entries, tuple(names))


def joined(parts: Sequence[tuple[str, ItemSets]]) -> ItemSets:
    """Several set-valued columns as one, each item prefixed with its column's name ([000], footnote 1).

    Items of columns with the same name are the same; where all are called so, there is nothing to prefix.
    """
    several, code = len({column for column, _ in parts}) > 1, dict[str, int]()
    entries, rows = [], []
    for column, sets in parts:
        names = [f"{column}.{name}" if several and column else name for name in sets.names]
        entries.append(np.array([code.setdefault(name, len(code)) for name in names], np.int32)[sets.entries])
        rows.append(rows_of(sets.offsets))
    order = np.argsort(np.concatenate(rows), kind="stable")
    offsets = offsets_of_rows(np.concatenate(rows), len(parts[0][1]))
    return ItemSets(offsets, np.concatenate(entries)[order], tuple(code))


def counted(sets: ItemSets) -> ItemSets:
    """A multiset as a set: an item that occurs n > 1 times in a record becomes the item `name xn` ([002], footnote 1)."""
    n, d = len(sets), len(sets.names)
    rows = rows_of(sets.offsets)
    pairs, times = np.unique(rows * d + sets.entries, return_counts=True)
    kinds, entries = np.unique((pairs % max(1, d)) * (int(times.max(initial=1)) + 1) + times, return_inverse=True)
    base = int(times.max(initial=1)) + 1
    names = tuple(sets.names[i] if t == 1 else f"{sets.names[i]} x{t}" for i, t in (divmod(int(c), base) for c in kinds))
    if len(set(names)) != len(names):
        raise InputError("an item's name ends like a count (x2), so that counts cannot be told from names")
    offsets = offsets_of_rows(pairs // max(1, d), n)
    return ItemSets(offsets, entries.astype(np.int32), names)


def transactions_of(sets: ItemSets) -> Transactions:
    """The item sets, sorted and without repeats, over the items that occur, in `item_order`."""
    domain = item_order(sets.names)
    entries = places_in(domain, sets.names)[sets.entries]
    offsets = sort_sets(sets.offsets, entries)
    return Transactions(offsets, entries if offsets[-1] == len(entries) else entries[: offsets[-1]].copy(), domain)


def guess_kind(table: Table, column: str, present: pl.Series) -> tuple[Kind, str]:
    """Numeric where every value is a finite number that is no code, ordered where words have an order; and why."""
    values = present.drop_nulls().unique().to_list()
    numbers = [text for text in values if NUMBER.fullmatch(text)]
    odd = [text for text in values if NOT_FINITE.fullmatch(text)]
    if not numbers and values and are_dates(values):
        return "categorical", "all values are dates"
    if not numbers or len(numbers) + len(odd) < len(values):
        if natural_order(values):
            return "ordered", "its words have an order"
        return "categorical", "not all values are numbers"
    if any(LEADING_ZERO.match(text) for text in numbers):
        return "categorical", "numbers with leading zeros are codes"
    if odd:
        raise _not_a_number(table, column, present, odd[0])
    if not all(map(is_held, numbers)):
        return "categorical", "numbers of so many digits are kept as they are written"
    if CODE_NAMES.fullmatch(column) and len(values) <= MOST_CODES and all(map(str.isdecimal, numbers)):
        return "categorical", "few whole numbers, and the column is called like one of codes"
    return "numeric", "all values are numbers"


def coded_column(table: Table, name: str, role: Role, kind: Kind, present: pl.Series) -> Column:
    """The column of the texts that are present; equal numbers are one value, shown by its shortest text."""
    book = Codebook()
    codes = book.encode(present)
    if kind != "numeric":
        domain = tuple(sorted(book.names)) if kind == "categorical" else _ordered_names(table, name, book.names)
        place = {text: i for i, text in enumerate(domain)}
        number = np.array([place[text] for text in book.names] + [-1], np.int32)
        return Column(name, role, kind, number[codes], domain)
    value = {}
    for text in sorted(book.names, key=lambda text: (len(text), text)):
        if not NUMBER.fullmatch(text) or not np.isfinite(float(text)):
            raise _not_a_number(table, name, present, text)
        if not is_held(text):
            raise _at(table, name, present, text, f"{text[:40]} cannot be computed with exactly; make the column categorical")
        value[text] = float(text)
    shown: dict[float, str] = {}
    for text, x in value.items():
        shown.setdefault(x, text)
    values = sorted(shown)
    rank = {x: i for i, x in enumerate(values)}
    number = np.array([rank[value[text]] for text in book.names] + [-1], np.int32)
    return Column(name, role, kind, number[codes], tuple(shown[x] for x in values), np.array(values, np.float64))


def _ordered_names(table: Table, column: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names in their order; an error where none is known, but for so few that the order does not matter."""
    if (found := natural_order(names)) is None and len(names) >= FEWEST:
        advice = "no order of its values is known; give it a hierarchy, or make it categorical"
        raise table.error(advice, column=column)
    return found or tuple(sorted(names))


def _not_a_number(table: Table, column: str, present: pl.Series, text: str) -> InputError:
    hint = "; say that it means missing, or that the column is categorical"
    return _at(table, column, present, text, f"a finite number is expected; got {text[:40]!r}{hint}")


def _at(table: Table, column: str, present: pl.Series, text: str, message: str) -> InputError:
    """The error at the first record that has the text."""
    row = int((present == text).fill_null(False).arg_true()[0])
    return table.error(message, column=column, row=row)
