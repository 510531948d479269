"""What databases complain about, in our words: their own may quote data, and even pieces of a password."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from anonset.errors import InputError, way

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
    except Exception as error:  # each driver has errors of its own, and Arrow's streams raise yet others
        known = sqlite3.Error, OSError, ValueError
        if not isinstance(error, known) and not type(error).__module__.startswith(("adbc", "pyarrow", "polars", "duckdb")):
            raise
        raise InputError(_told(error, connecting), file=shown) from None


def _told(error: Exception, connecting: bool) -> str:
    text, state = str(error), getattr(error, "sqlstate", None) or ""
    if connecting:
        found = (words for pattern, words in CONNECTING.items() if re.search(pattern, text, re.IGNORECASE))
        return next(found, "cannot be connected to; check the host, the port, the user and the database")
    if state == "42501" or "permission denied" in text:
        return "the user may not do this"
    if "already exists" in text:
        return "there is a table of that name already"
    if "type" in text.lower() and type(error).__module__.startswith("polars"):
        return f"has a column of a type that cannot be read; cast it to text: {way('query')}"
    misspelled = MISSPELLED.search(text)
    if misspelled is not None and (not state or state.startswith("42")):  # 42: what was asked for, not what is there
        return f"the database says: {(misspelled[1] or misspelled[2]).strip()}"
    if state.startswith(("08", "57")) or "connection" in text.lower():
        return "the connection was lost"
    return f"the database refuses this (SQLSTATE {state})" if state else f"the database refuses this ({type(error).__name__})"
