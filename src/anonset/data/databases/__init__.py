"""Databases: one driver a file, all listed here; they read in batches and write in one transaction."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from anonset.errors import InputError
from anonset.model.passwords import without_password

DRIVERS: dict[str, str] = {
    "postgresql": "arrow:postgresql",
    "postgres": "arrow:postgresql",
    "duckdb": "arrow:duckdb",
    "sqlite": "sqlite:sqlite",
}


class DatabaseConnection(Protocol):
    """A connection in one transaction; all that goes wrong with it is an InputError without a password."""

    shown: str
    has_arrays: bool

    def batches(self, query: str) -> Iterator[pl.DataFrame]:
        """What a query selects, piece by piece."""

    def tables(self) -> list[str]:
        """The names of the tables that can be read without naming a schema."""

    def columns(self, table: str) -> list[str]:
        """The names of the columns of a table."""

    def create(self, table: str, frame: pl.DataFrame) -> None:
        """A new table with these rows; an error where there is one of that name."""

    def append(self, table: str, frame: pl.DataFrame) -> None:
        """More rows for a table of the same columns."""

    def commit(self) -> None:
        """Make what was written last."""


def is_database(source: Any) -> bool:
    """Whether a text is the address of a database."""
    return isinstance(source, str) and source.partition("://")[0].lower() in DRIVERS and "://" in source


@contextmanager
def connected(url: str, *, writing: bool = False) -> Iterator[DatabaseConnection]:
    """A connection; what is not committed at its end is undone."""
    module, function = DRIVERS[url.partition("://")[0].lower()].split(":")
    connect: Any = getattr(import_module(f"{__name__}.{module}"), function)
    opened: AbstractContextManager[DatabaseConnection] = connect(url, without_password(url), writing=writing)
    with opened as database:
        yield database


def quoted(name: str) -> str:
    """A name of a table, with its schema before a dot or not, as SQL has it."""
    return ".".join(map(quoted_name, name.split(".")))


def quoted_name(name: str) -> str:
    """One name as SQL has it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def is_there(url: str) -> bool:
    """Whether there is something to connect to: a server, which has to tell itself, or a file."""
    return url.lower().startswith("postgres") or Path(path_of(url)).exists()


@contextmanager
def new_file(path: str) -> Iterator[None]:
    """Remove a file that was not there before where anything goes wrong."""
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
        raise InputError(
            "a file is expected behind three strokes, e.g. sqlite:///file.db or sqlite:////folder/file.db", file=url
        )
    return place[1:]
