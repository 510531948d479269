"""PostgreSQL and DuckDB through ADBC: record batches in and out."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl

from anonset.data.databases import new_file, path_of, quoted
from anonset.data.databases.errors import as_input_errors
from anonset.errors import InputError

SECONDS = 15  # to wait for a server that does not answer
ROWS = 1 << 16  # handed over at a time
ONE_STATE = "set transaction isolation level repeatable read, read only"  # of all tables that are read
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
        """What a query selects, one record batch after the other."""
        with as_input_errors(self.shown), self.connection.cursor() as cursor:
            cursor.execute(query)
            reader = cursor.fetch_record_batch()
            names = reader.schema.names
            if len(set(names)) < len(names):
                raise InputError("two columns have one name", file=self.shown)
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
        """A new table with these rows."""
        self._ingest(table, frame, "create")

    def append(self, table: str, frame: pl.DataFrame) -> None:
        """More rows for a table of the same columns."""
        self._ingest(table, frame, "append")

    def _ingest(self, table: str, frame: pl.DataFrame, mode: str) -> None:
        *schema, name = table.split(".")
        rows = frame.to_arrow(compat_level=pl.CompatLevel.oldest()).to_reader(max_chunksize=ROWS)
        with as_input_errors(self.shown), self.connection.cursor() as cursor:
            cursor.adbc_ingest(name, rows, mode=mode, db_schema_name=schema[0] if schema else None)

    def commit(self) -> None:
        """Make what was written last."""
        with as_input_errors(self.shown):
            self.connection.commit()


def _plain(batch: Any) -> pl.DataFrame:
    """A record batch; numbers of any length and JSON come as texts of a kind of their own, and so do long ids."""
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
    """A PostgreSQL server; what the address leaves open comes from PGPASSWORD, PGSERVICE, ~/.pgpass and the like."""
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
    """A DuckDB file; a new one where it is written to."""
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
    """Undo what is not committed, whatever happens."""
    try:
        yield
    finally:
        with suppress(Exception):  # the server may be gone, and undoes it then by itself
            connection.rollback()
        with suppress(Exception):
            connection.close()
