"""Databases: SQLite through Python's own driver, PostgreSQL and DuckDB through ADBC.

A connection is one transaction; tables are read in batches, as tables of texts.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import numpy as np
import polars as pl

from anonset.data.coding import Codebook, ItemSets, Table, as_text, ordered, sets_of_lists
from anonset.data.formats.frames import hashed, texts_and_sets
from anonset.errors import Advice, Fix, InputError, Set, unknown, without_password
from anonset.model.progress import Progress, silent
from anonset.model.schema import Schema
from anonset.model.sets import offsets_of


class DatabaseConnection(Protocol):
    """A connection with one open transaction; its errors are InputErrors without the password."""

    shown: str
    has_arrays: bool

    def batches(self, query: str) -> Iterator[pl.DataFrame]:
        """The rows that a query selects, in batches."""

    def tables(self) -> list[str]:
        """The names of the tables that can be read without naming a schema."""

    def columns(self, table: str) -> list[str]:
        """The names of the columns of a table."""

    def create(self, table: str, frame: pl.DataFrame) -> None:
        """Create a table with these rows; raise if one of that name exists."""

    def append(self, table: str, frame: pl.DataFrame) -> None:
        """Append rows to a table with the same columns."""

    def commit(self) -> None:
        """Commit the transaction."""


def is_database(source: Any) -> bool:
    """Whether a text is the address of a database."""
    return isinstance(source, str) and source.partition("://")[0].lower() in DRIVERS and "://" in source


def quoted(name: str) -> str:
    """The quoted SQL name of a table, with or without its schema."""
    return ".".join(map(quoted_name, name.split(".")))


def quoted_name(name: str) -> str:
    """One quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def is_there(url: str) -> bool:
    """Whether there is something to connect to: the file exists, or the address is that of a server."""
    return url.lower().startswith("postgres") or Path(path_of(url)).exists()


@contextmanager
def new_file(path: str) -> Iterator[None]:
    """Remove the file after an error if it did not exist before."""
    place = Path(path)
    existed = place.exists()
    try:
        yield
    except BaseException:
        if not existed:
            place.unlink(missing_ok=True)
        raise


def path_of(url: str) -> str:
    """The file of an address like sqlite:///file.db (relative) or sqlite:////folder/file.db (absolute)."""
    place = url.partition("://")[2]
    if not place.startswith("/") or len(place) == 1:
        raise InputError("a file path must follow three slashes, e.g. sqlite:///file.db or sqlite:////folder/file.db", file=url)
    return place[1:]


CONNECTING = {
    r"password authentication failed": "the user name or the password is wrong",
    r"no password supplied": "a password is needed: in PGPASSWORD, ~/.pgpass or a service file",
    r"could not translate host name": "there is no such host",
    r"connection refused|no such file or directory": "no server answers there",
    r"timeout|timed out": "no server answers there in time",
    r'role "[^"]*" does not exist': "there is no such user",
    r'database "[^"]*" does not exist': "there is no such database",
    r"service .*not found": "there is no such service in the service file",
    r"not a valid duckdb|not a duckdb": "is not a DuckDB file",
    r"file is not a database": "is not a SQLite file",
    r"lock": "another program has it open",
}
MISSPELLED = re.compile(
    r"(?:ERROR:\s+|Catalog Error: |Binder Error: |Parser Error: )(.*)|((?:no such (?:table|column): |near \").*)"
)


@contextmanager
def as_input_errors(shown: str, *, connecting: bool = False) -> Iterator[None]:
    """Turn what a driver raises into an InputError that names the database without its password."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # every driver has its own error classes, and so have Arrow's streams
        known = sqlite3.Error, OSError, ValueError
        if not isinstance(error, known) and not type(error).__module__.startswith(("adbc", "pyarrow", "polars", "duckdb")):
            raise
        raise InputError(_explanation(error, connecting), file=shown) from None


def _explanation(error: Exception, connecting: bool) -> str:
    text, state = str(error), getattr(error, "sqlstate", None) or ""
    if connecting:
        found = (words for pattern, words in CONNECTING.items() if re.search(pattern, text, re.IGNORECASE))
        return next(found, "cannot be connected to; check the host, the port, the user and the database")
    if state == "42501" or "permission denied" in text:
        return "the user lacks the permission"
    if "already exists" in text:
        return "there is a table of that name already"
    if "type" in text.lower() and type(error).__module__.startswith("polars"):
        return Advice("has a column of a type that cannot be read; ", Fix("cast it to text: {}", Set("query")))
    misspelled = MISSPELLED.search(text)
    if misspelled is not None and (not state or state.startswith("42")):  # class 42: errors in the query, which contain no data
        return f"the database says: {(misspelled[1] or misspelled[2]).strip()}"
    if state.startswith(("08", "57")) or "connection" in text.lower():
        return "the connection was lost"
    return f"the database refuses this (SQLSTATE {state})" if state else f"the database refuses this ({type(error).__name__})"


ROWS = 1 << 16  # rows fetched or inserted at a time
TYPES: dict[type[pl.DataType], str] = {pl.Int64: "INTEGER", pl.Int32: "INTEGER", pl.Float64: "REAL"}


class SqliteDatabase:
    """A connection to a file."""

    has_arrays = False

    def __init__(self, connection: sqlite3.Connection, shown: str) -> None:
        self.connection, self.shown = connection, shown

    def batches(self, query: str) -> Iterator[pl.DataFrame]:
        """The rows that a query selects, in batches, every value as text."""
        with as_input_errors(self.shown):
            cursor = self.connection.execute(query)
            if cursor.description is None:
                raise InputError("the query selects nothing", file=self.shown)
            names = [column[0] for column in cursor.description]
            if len(set(names)) < len(names):
                raise InputError("two columns have the same name", file=self.shown)
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
        """Create a table with these rows."""
        columns = ", ".join(f"{quoted_name(name)} {TYPES.get(kind.base_type(), 'TEXT')}" for name, kind in frame.schema.items())
        with as_input_errors(self.shown):
            self.connection.execute(f"create table {quoted(table)} ({columns})")
        self.append(table, frame)

    def append(self, table: str, frame: pl.DataFrame) -> None:
        """Append rows to a table with the same columns."""
        with as_input_errors(self.shown):
            marks = ", ".join("?" * frame.width)
            self.connection.executemany(f"insert into {quoted(table)} values ({marks})", frame.iter_rows())

    def commit(self) -> None:
        """Commit the transaction."""
        with as_input_errors(self.shown):
            self.connection.commit()


@contextmanager
def sqlite(url: str, shown: str, *, writing: bool) -> Iterator[SqliteDatabase]:
    """Open a SQLite file; create it if it is written to."""
    path = path_of(url)
    if not writing and not Path(path).is_file():
        raise InputError("there is no such file", file=shown)
    with new_file(path):
        with as_input_errors(shown, connecting=True):
            mode = "rwc" if writing else "ro"
            connection = sqlite3.connect(f"file:{quote(path)}?mode={mode}", uri=True, isolation_level=None)
        with closing(connection):  # rolls back what is not committed
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


SECONDS = 15  # to wait for a server
ONE_STATE = "set transaction isolation level repeatable read, read only"  # all tables are read in the same state
TABLES = {
    "postgresql": """select relname::text as name from pg_class
        where pg_table_is_visible(oid) and relkind in ('r', 'v', 'm', 'f', 'p')
        and relnamespace not in (select oid from pg_namespace where nspname in ('pg_catalog', 'information_schema'))""",
    "duckdb": "select table_name as name from information_schema.tables where table_schema = current_schema()",
}


class ArrowDatabase:
    """A connection through ADBC."""

    has_arrays = True

    def __init__(self, connection: Any, shown: str, kind: str) -> None:
        self.connection, self.shown, self.kind = connection, shown, kind

    def batches(self, query: str) -> Iterator[pl.DataFrame]:
        """The rows that a query selects, in record batches."""
        with as_input_errors(self.shown), self.connection.cursor() as cursor:
            cursor.execute(query)
            reader = cursor.fetch_record_batch()
            names = reader.schema.names
            if len(set(names)) < len(names):
                raise InputError("two columns have the same name", file=self.shown)
            for batch in reader:
                yield _plain(batch)

    def tables(self) -> list[str]:
        """The names of the tables."""
        return [name for batch in self.batches(TABLES[self.kind]) for name in batch["name"].to_list()]

    def columns(self, table: str) -> list[str]:
        """The names of the columns of a table."""
        with as_input_errors(self.shown), self.connection.cursor() as cursor:
            cursor.execute(f"select * from {quoted(table)} limit 0")
            return list(cursor.fetch_record_batch().schema.names)

    def create(self, table: str, frame: pl.DataFrame) -> None:
        """Create a table with these rows."""
        self._ingest(table, frame, "create")

    def append(self, table: str, frame: pl.DataFrame) -> None:
        """Append rows to a table with the same columns."""
        self._ingest(table, frame, "append")

    def _ingest(self, table: str, frame: pl.DataFrame, mode: str) -> None:
        *schema, name = table.split(".")
        rows = frame.to_arrow(compat_level=pl.CompatLevel.oldest()).to_reader(max_chunksize=ROWS)
        with as_input_errors(self.shown), self.connection.cursor() as cursor:
            cursor.adbc_ingest(name, rows, mode=mode, db_schema_name=schema[0] if schema else None)

    def commit(self) -> None:
        """Commit the transaction."""
        with as_input_errors(self.shown):
            self.connection.commit()


def _plain(batch: Any) -> pl.DataFrame:
    """A record batch as a frame; extension types (numeric, JSON, UUID) as their texts."""
    import pyarrow as pa

    def plain(column: Any) -> Any:
        if not isinstance(column.type, pa.BaseExtensionType):
            return column
        if column.type.extension_name == "arrow.uuid":
            return pa.array([None if value is None else str(value) for value in column.to_pylist()], pa.string())
        return column.storage

    frame = pl.from_arrow(pa.RecordBatch.from_arrays([plain(column) for column in batch.columns], batch.schema.names))
    assert isinstance(frame, pl.DataFrame)
    return frame


@contextmanager
def postgresql(url: str, shown: str, *, writing: bool) -> Iterator[ArrowDatabase]:
    """Connect to a PostgreSQL server; libpq completes the address from PGPASSWORD, PGSERVICE, ~/.pgpass and the like."""
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise InputError("PostgreSQL needs ADBC: pip install 'anonset[db]'", file=shown) from None
    if "connect_timeout=" not in url and "PGCONNECT_TIMEOUT" not in os.environ:
        url += f"{'&' if '?' in url else '?'}connect_timeout={SECONDS}"
    with as_input_errors(shown, connecting=True):
        connection = dbapi.connect(url)
    with _closing(connection):
        if not writing:
            with as_input_errors(shown), connection.cursor() as cursor:
                cursor.execute(ONE_STATE)
        yield ArrowDatabase(connection, shown, "postgresql")


@contextmanager
def duckdb(url: str, shown: str, *, writing: bool) -> Iterator[ArrowDatabase]:
    """Open a DuckDB file; create it if it is written to."""
    path = path_of(url)
    try:
        from adbc_driver_duckdb import dbapi
    except ImportError:
        raise InputError("DuckDB needs its package: pip install 'anonset[duckdb]'", file=shown) from None
    if not writing and not Path(path).is_file():
        raise InputError("there is no such file", file=shown)
    with new_file(path):
        with as_input_errors(shown, connecting=True):
            connection = dbapi.connect(path)
        with _closing(connection):
            yield ArrowDatabase(connection, shown, "duckdb")


@contextmanager
def _closing(connection: Any) -> Iterator[None]:
    """Roll back what is not committed, then close."""
    try:
        yield
    finally:
        with suppress(Exception):  # if the connection is lost, the server rolls back
            connection.rollback()
        with suppress(Exception):
            connection.close()


Connect = Callable[..., AbstractContextManager[DatabaseConnection]]
DRIVERS: dict[str, Connect] = {"postgresql": postgresql, "postgres": postgresql, "duckdb": duckdb, "sqlite": sqlite}


@contextmanager
def connected(url: str, *, writing: bool = False) -> Iterator[DatabaseConnection]:
    """Connect to a database; what is not committed at the end is rolled back."""
    connect = DRIVERS[url.partition("://")[0].lower()]
    with connect(url, without_password(url), writing=writing) as database:
        yield database


BETWEEN = "\x1f"  # separates items when sets are compared


def read_main_table(database: DatabaseConnection, schema: Schema, progress: Progress = silent) -> Table:
    """The table or query that the schema names, sorted by the id, or by all values.

    A database keeps no order, and a release must find its records again.
    """
    query = main_query(database, schema)
    what = _called(schema)
    gathered = _Gathered(f"{database.shown}, {what}")
    for n, batch in enumerate(database.batches(query)):
        gathered.add(batch)
        progress(1 - 0.9**n)
    return gathered.table(what, schema.id if not schema.repeated else None)


def main_batches(database: DatabaseConnection, schema: Schema) -> Iterator[Table]:
    """The rows of the table or query that the schema names in batches, sorted by the id if there is one."""
    file = f"{database.shown}, {_called(schema)}"
    for batch in database.batches(ordered_query(database, schema)):
        columns, sets = {}, {}
        for column in batch.iter_columns():
            error = partial(_uncast, file, column.name)
            if isinstance(column.dtype, pl.List):
                sets[column.name] = sets_of_lists(column, error)
            else:
                columns[column.name] = as_text(column, error).str.strip_chars()
        yield Table(columns, (), file, sets)


def _called(schema: Schema) -> str:
    return f"table {schema.table}" if schema.table is not None else "query"


def _uncast(file: str, column: str, message: str, row: int | None) -> InputError:
    return InputError(message, file=file, column=column, fix=[Fix("cast it in a query: {}", Set("query"))])


def main_query(database: DatabaseConnection, schema: Schema) -> str:
    """The query that the schema gives, or one for all of its table."""
    if schema.table is not None:
        return _everything(database, schema.table)
    if schema.query is None:
        names = ", ".join(sorted(database.tables())) or "none"
        name_one = Fix("name a table or a query: {} or {}", Set("table"), Set("query"))
        raise InputError(Advice(name_one, f"; there are the tables {names}"), file=database.shown)
    return schema.query


def ordered_query(database: DatabaseConnection, schema: Schema) -> str:
    """The query sorted by the id, if one is named, so that every pass reads the same batches."""
    query = main_query(database, schema)
    return query if schema.id is None else f"select * from ({query}) as people order by {quoted_name(schema.id)}"


def item_batches(database: DatabaseConnection, schema: Schema) -> Iterator[Table]:
    """The rows of the item table that the schema names, batch by batch."""
    assert schema.items_table is not None
    file = f"{database.shown}, table {schema.items_table}"
    empty = True
    for batch in database.batches(_everything(database, schema.items_table)):
        if batch.height:
            empty = False
            columns, sets = texts_and_sets(batch, file)
            yield Table(columns, (), file, sets)
    if empty:
        raise InputError("has no records", file=file)


def _everything(database: DatabaseConnection, table: str) -> str:
    if "." not in table and table not in (names := database.tables()):
        raise InputError("there is " + unknown("table", table, names, choose="there are"), file=database.shown)
    return f"select * from {quoted(table)}"


class _Gathered:
    """Collects batches: columns as texts, lists as codes."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.texts: dict[str, list[pl.Series]] = {}
        self.lists: dict[str, list[ItemSets]] = {}
        self.keys: dict[str, list[pl.Series]] = {}
        self.books: dict[str, Codebook] = {}

    def add(self, batch: pl.DataFrame) -> None:
        """Append the rows of a batch."""
        for name in batch.columns:
            column, error = batch[name], partial(_uncast, self.file, name)
            if isinstance(column.dtype, pl.List):
                book = self.books.setdefault(name, Codebook())
                self.lists.setdefault(name, []).append(sets_of_lists(column, error, book))
                texts = column.list.eval(pl.element().cast(pl.String)).list.sort()
                self.keys.setdefault(name, []).append(texts.list.join(BETWEEN, ignore_nulls=True))
            else:
                self.texts.setdefault(name, []).append(as_text(column, error).str.strip_chars())

    def table(self, what: str, id: str | None) -> Table:
        """The whole table, sorted."""
        columns = {name: pl.concat(parts) for name, parts in self.texts.items()}
        if not columns and not self.lists:
            raise InputError("has no records", file=self.file)
        first = {id: columns[id]} if id is not None and id in columns else {}
        sort_by = first | columns | {n: pl.concat(p) for n, p in self.keys.items()}
        order = pl.DataFrame(list(sort_by.values()), [str(n) for n in range(len(sort_by))]).with_row_index("row")
        rows = order.sort(pl.exclude("row"), maintain_order=True)["row"].cast(pl.Int64).to_numpy()
        columns = {name: column.gather(rows) for name, column in columns.items()}
        sets = {name: ordered(_joined(parts, self.books[name]), rows) for name, parts in self.lists.items()}
        return Table(columns, (hashed(columns, sets, what),), self.file, sets)


def _joined(parts: list[ItemSets], book: Codebook) -> ItemSets:
    """Sets of several batches that share a codebook."""
    offsets = offsets_of(np.concatenate([np.diff(part.offsets) for part in parts]))
    return ItemSets(offsets, np.concatenate([part.entries for part in parts]), book.names)
