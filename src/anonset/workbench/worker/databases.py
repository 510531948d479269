"""Tables of databases, in a worker."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.tasks import intake
from anonset.workbench.databases import TableFacts
from anonset.workbench.orders import Reading
from anonset.workbench.worker.reading import WorkerCaches


def tables(desk: WorkerCaches, report: Any, *, address: str) -> tuple[TableFacts, ...]:
    """The tables of a database, with their columns."""
    with _without(address):
        return tuple(TableFacts(name, tuple(columns)) for name, columns in intake.tables(address).items())


def fetch(desk: WorkerCaches, report: Any, *, address: str, settings: Mapping[str, Any], file: Path) -> None:
    """Copy a table, with its items, to a file."""
    with _without(address):
        intake.fetch(address, settings, file, report("Reading"))


def write_table(desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, address: str, table: str) -> TableFacts:
    """Write a release into a new table; its name and columns."""
    data, release = desk.release(reading, folder)
    with _without(address):
        intake.write(data, release, folder, address, table)
        return TableFacts(table, tuple(intake.tables(address)[table]))


@contextmanager
def _without(address: str) -> Iterator[None]:
    """Errors without the address in them."""
    try:
        yield
    except InputError as error:
        raise InputError(intake.complaint(error, address)) from None
