"""Write published records into a new database table: in one transaction, read back and verified before the commit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anonset.data.databases import DatabaseConnection, connected, is_database, is_there, quoted
from anonset.data.formats.parquet import typed_frame
from anonset.data.formats.tokens import free_name
from anonset.errors import Advice, Fix, GuaranteeViolated, InputError, Set, without_password
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.verify import verify
from anonset.verify.reading import WrittenTable, read_for_verdict

RECORD = "record"


@dataclass(frozen=True, slots=True)
class Target:
    """A new table, and the address of its database."""

    url: str
    table: str

    def check(self) -> None:
        """Raise if it cannot be written; called before the work starts."""
        if not is_database(self.url):
            raise InputError(
                "is no database to write a table into",
                file=without_password(self.url),
                fix=[Fix("name one: {}", Set("database"))],
            )
        if is_there(self.url):
            with connected(self.url) as database:
                _require_free(database, self.table)


class TableWriter:
    """Writes a release in one transaction."""

    def __init__(self, database: DatabaseConnection, table: str) -> None:
        self.database, self.table = database, table

    def write(self, folder: Path, release: Release, original: Dataset) -> None:
        """Write the records in the order of the folder, and verify what the table then holds."""
        _require_free(self.database, self.table)
        frame, guides = typed_frame(release, original)
        record = free_name(RECORD, frame.columns)
        frame = frame.with_row_index(record, offset=1).cast({record: pl.Int64})
        lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List) and not self.database.has_arrays]
        self.database.create(self.table, frame.drop(lists))
        for name in lists:
            items = frame.select(record, pl.col(name).alias("item")).filter(pl.col("item").list.len() > 0).explode("item")
            _require_free(self.database, f"{self.table}_{name}")
            self.database.create(f"{self.table}_{name}", items)
        rows = self._rows(record, frame.schema, lists)
        written = WrittenTable(self.table, record, guides, rows)
        verify(original, read_for_verdict(folder, original, written)).require()

    def write_parts(self, files: Sequence[Path], read: Callable[[Path], pl.DataFrame]) -> None:
        """Write the part files of a verified release, one after the other, and read them all back as they were written.

        `read` returns the typed columns of a file.
        """
        _require_free(self.database, self.table)
        number = 1
        for path in files:
            frame = _numbered(read(path), number)
            if not self.database.has_arrays and any(kind.is_nested() for kind in frame.dtypes):
                raise InputError("lists of data in batches need a database with arrays: PostgreSQL or DuckDB")
            (self.database.create if number == 1 else self.database.append)(self.table, frame)
            number += frame.height
        rows = _Rows(self._ordered(self.table, next(iter(frame.columns))))
        number = 1
        for path in files:
            frame = _numbered(read(path), number)
            number += frame.height
            if not rows.next(frame.height).select(frame.columns).cast(frame.schema).equals(frame):
                raise GuaranteeViolated(f"the table {self.table!r} does not hold what was written; it was undone")
        if rows.next(1).height:
            raise GuaranteeViolated(f"the table {self.table!r} holds more than was written; it was undone")

    def _rows(self, record: str, schema: Mapping[str, Any], lists: list[str]) -> Iterator[dict[str, list[Any]]]:
        """The rows of the table in the order of their numbers, with the lists from the item tables."""
        parts = {name: self._ordered(f"{self.table}_{name}", record) for name in lists}
        pending: dict[str, pl.DataFrame] = {name: pl.DataFrame({record: [], "item": []}) for name in lists}
        for batch in self._ordered(self.table, record):
            known = [name for name in batch.columns if name in schema and not schema[name].is_nested()]
            flat: dict[Any, Any] = {name: schema[name] for name in known}
            typed = batch.cast(flat)
            cells = {name: typed[name].to_list() for name in typed.columns}
            for name in lists:
                cells[name], pending[name] = _lists(cells[record], parts[name], pending[name], record)
            yield cells

    def _ordered(self, table: str, record: str) -> Iterator[pl.DataFrame]:
        return self.database.batches(f'select * from {quoted(table)} order by "{record}"')


class _Rows:
    """Splits batches into requested numbers of rows."""

    def __init__(self, batches: Iterator[pl.DataFrame]) -> None:
        self.batches, self.held = batches, pl.DataFrame()

    def next(self, n: int) -> pl.DataFrame:
        """The next n rows, or fewer at the end."""
        while self.held.height < n and (batch := next(self.batches, None)) is not None:
            self.held = batch if self.held.width == 0 else pl.concat([self.held, batch])
        found, self.held = self.held[:n], self.held[n:]
        return found


def _numbered(frame: pl.DataFrame, first: int) -> pl.DataFrame:
    """The records of a part, numbered from `first` on."""
    record = free_name(RECORD, frame.columns)
    return frame.with_row_index(record, offset=first).cast({record: pl.Int64})


def _lists(
    numbers: list[int], rows: Iterator[pl.DataFrame], held: pl.DataFrame, record: str
) -> tuple[list[list[str]], pl.DataFrame]:
    """The items of some records, from rows in the order of the records, and the rows that are left over."""
    last, found = numbers[-1], [held]
    while not found[-1].height or found[-1][record][-1] <= last:
        batch = next(rows, None)
        if batch is None:
            break
        found.append(batch.cast({record: pl.Int64}))
    whole = pl.concat([part.cast({record: pl.Int64, "item": pl.String}) for part in found])
    here = whole.filter(pl.col(record) <= last)
    items: dict[int, list[str]] = {}
    for number, item in here.iter_rows():
        items.setdefault(number, []).append(item)
    return [items.get(number, []) for number in numbers], whole.filter(pl.col(record) > last)


@contextmanager
def writing_into(target: Target) -> Iterator[TableWriter]:
    """A writer whose table exists at the end, or not at all."""
    with connected(target.url, writing=True) as database:
        yield TableWriter(database, target.table)
        try:
            database.commit()
        except InputError as error:
            raise InputError(Advice(error.advice, "; the table was not written, only the release folder")) from None


def _require_free(database: DatabaseConnection, table: str) -> None:
    if table in database.tables():
        raise InputError(f"there is a table {table!r} already; choose another name", file=database.shown)
