"""SQLite files, through Python's own driver: values keep the types they have row by row."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from anonset.data.databases import new_file, path_of, quoted, quoted_name
from anonset.data.databases.errors import as_input_errors
from anonset.errors import InputError

ROWS = 1 << 16  # fetched at a time
TYPES: dict[type[pl.DataType], str] = {pl.Int64: "INTEGER", pl.Int32: "INTEGER", pl.Float64: "REAL"}


class SqliteDatabase:
    """A connection to a file."""

    has_arrays = False

    def __init__(self, connection: sqlite3.Connection, shown: str) -> None:
        self.connection, self.shown = connection, shown

    def batches(self, query: str) -> Iterator[pl.DataFrame]:
        """What a query selects, so many rows at a time, every value as text."""
        with as_input_errors(self.shown):
            cursor = self.connection.execute(query)
            if cursor.description is None:
                raise InputError("the query selects nothing", file=self.shown)
            names = [column[0] for column in cursor.description]
            if len(set(names)) < len(names):
                raise InputError("two columns have one name", file=self.shown)
            while rows := cursor.fetchmany(ROWS):
                columns = zip(names, zip(*rows, strict=True), strict=True)
                yield pl.DataFrame({name: _texts(values, name, self.shown) for name, values in columns})

    def tables(self) -> list[str]:
        """The names of the tables and views."""
        return [name for (name,) in self.connection.execute("select name from sqlite_master where type in ('table', 'view')")]

    def columns(self, table: str) -> list[str]:
        """The names of the columns of a table."""
        with as_input_errors(self.shown):
            return [column[0] for column in self.connection.execute(f"select * from {quoted(table)} limit 0").description]

    def create(self, table: str, frame: pl.DataFrame) -> None:
        """A new table with these rows."""
        columns = ", ".join(f"{quoted_name(name)} {TYPES.get(kind.base_type(), 'TEXT')}" for name, kind in frame.schema.items())
        with as_input_errors(self.shown):
            self.connection.execute(f"create table {quoted(table)} ({columns})")
        self.append(table, frame)

    def append(self, table: str, frame: pl.DataFrame) -> None:
        """More rows for a table of the same columns."""
        with as_input_errors(self.shown):
            marks = ", ".join("?" * frame.width)
            self.connection.executemany(f"insert into {quoted(table)} values ({marks})", frame.iter_rows())

    def commit(self) -> None:
        """Make what was written last."""
        with as_input_errors(self.shown):
            self.connection.commit()


@contextmanager
def sqlite(url: str, shown: str, *, writing: bool) -> Iterator[SqliteDatabase]:
    """A SQLite file; a new one where it is written to."""
    path = path_of(url)
    if not writing and not Path(path).is_file():
        raise InputError("there is no such file", file=shown)
    with new_file(path):
        with as_input_errors(shown, connecting=True):
            mode = "rwc" if writing else "ro"
            connection = sqlite3.connect(f"file:{quote(path)}?mode={mode}", uri=True, isolation_level=None)
        with closing(connection):  # which undoes what is not committed
            with as_input_errors(shown, connecting=True):
                connection.execute("begin immediate" if writing else "begin")
                connection.execute("select 1 from sqlite_master").fetchone()
            yield SqliteDatabase(connection, shown)


def _texts(values: Any, name: str, shown: str) -> pl.Series:
    return pl.Series([None if value is None else _text(value, name, shown) for value in values], dtype=pl.String)


def _text(value: Any, name: str, shown: str) -> str:
    if isinstance(value, bytes):
        raise InputError("values must be texts or numbers; got bytes", file=shown, column=name)
    if isinstance(value, float):
        if value - value != 0.0:
            raise InputError("numbers must be finite", file=shown, column=name)
        return repr(value).removesuffix(".0")
    return str(value)
