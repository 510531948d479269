"""What tables a database has, one of them into a file, and a finished release into a new one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonset.data.databases import connected
from anonset.data.read import read_unguessed
from anonset.errors import InputError
from anonset.model.dataset import Dataset
from anonset.model.passwords import without_password
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.schema import Schema
from anonset.releases.tables import Target, writing_into
from anonset.tasks.intake import copy_of

MOST_TABLES = 500


def tables(address: str) -> dict[str, list[str]]:
    """The tables that can be read, and the columns of each."""
    with connected(address) as database:
        return {name: database.columns(name) for name in sorted(database.tables())[:MOST_TABLES]}


def fetch(address: str, settings: Mapping[str, Any], file: Path, progress: Progress = silent) -> None:
    """Copy a table, with the items that a second one lists, to a Parquet file, in the order that reading it directly gives."""
    table = read_unguessed(address, schema=Schema(**settings), progress=progress)
    copy_of(table).rename({f"c{place}": name for place, name in enumerate(table.names)}).write_parquet(file)


def write(original: Dataset, release: Release, folder: Path, address: str, table: str) -> None:
    """Write the release in a folder into a new table too: read back and verified before it is made last."""
    target = Target(address, table)
    target.check()
    with writing_into(target) as writer:
        writer.write(folder, release, original)


def complaint(error: InputError, address: str) -> str:
    """What is wrong, without the address."""
    return str(error).removeprefix(without_password(address)).lstrip(",: ")
