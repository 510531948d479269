"""Import data from a file, with a list of all its problems, or from a database; export a release into a database table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from anonset.data.coding import SLICE, ItemSets, Table
from anonset.data.databases import connected
from anonset.data.files import fingerprint
from anonset.data.formats import FORMATS
from anonset.data.inspection import Complaint, complaints_of, detect_format, oddities, packed_suffix
from anonset.data.read import guess, read_table, read_unguessed
from anonset.errors import InputError, without_password
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases, Progress, silent, unheard
from anonset.model.release import Release
from anonset.model.schema import Fate, Schema
from anonset.releases.tables import Target, writing_into

ROWS_AT_ONCE = 20_000  # in a group of the copy
LISTED = 500  # problems that are listed


@dataclass(frozen=True, slots=True)
class IntakeRequest:
    """An uploaded file, its original name, the path for its copy, and the sheet to read."""

    file: Path
    name: str
    copy: Path
    sheet: str | None = None


@dataclass(frozen=True, slots=True)
class Intake:
    """Facts about a file; without a format it cannot be read, and the complaints give the reasons."""

    format: str
    sha256: str
    suffix: str  # of a file name for it
    rows: int
    columns: tuple[str, ...]
    complaints: tuple[Complaint, ...]
    fates: tuple[Fate, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()  # of a workbook that has several


def run(request: IntakeRequest, phases: Phases = unheard) -> Intake:
    """Read a whole file, list all its problems, and write its copy."""
    file, sha256, format = request.file, fingerprint(request.file).sha256, ""
    sheets: tuple[str, ...] = ()
    try:
        format = detect_format(file, request.name)
        suffix = FORMATS[format].suffixes[0] + packed_suffix(file)
        names_sheets = FORMATS[format].sheets
        sheets = names_sheets(file) if names_sheets is not None else ()
        schema, table = _read(request, format, sheets, phases("Reading"))
        found = guess(file, schema=schema)
    except InputError as error:
        suffix = suffix if sheets else ".csv"
        return Intake(format, sha256, suffix, 0, (), tuple(complaints_of(error, file, format)), sheets=_several(sheets))
    copy_of(table).write_parquet(request.copy, row_group_size=ROWS_AT_ONCE)
    reading = {name: getattr(found.schema, name) for name in ("id", "repeated", "item_separator", "sheet")}
    facts = (len(table), table.names, tuple(oddities(table)), found.fates, reading, _several(sheets))
    return Intake(format, sha256, suffix, *facts)


def _read(request: IntakeRequest, format: str, sheets: Sequence[str], progress: Progress) -> tuple[Schema, Table]:
    """Return the file as a table: the requested sheet, or the first one that can be read."""
    candidates = [request.sheet] if request.sheet is not None or len(sheets) < 2 else sheets
    failed: InputError | None = None
    for sheet in candidates:
        schema = Schema(format=format, sheet=sheet)
        try:
            return schema, read_table(request.file, schema=schema, progress=progress)
        except InputError as error:
            failed = failed or error
    assert failed is not None
    raise failed


def _several(sheets: tuple[str, ...]) -> tuple[str, ...]:
    return sheets if len(sheets) > 1 else ()


def copy_of(table: Table) -> pl.DataFrame:
    """The table with fields c0, c1, ... : texts, and lists of texts for sets."""
    columns = [table.columns[name] if name in table.columns else _lists(table.sets[name]) for name in table.names]
    return pl.DataFrame({f"c{i}": column for i, column in enumerate(columns)})


def _lists(sets: ItemSets) -> pl.Series:
    names, parts = pl.Series(sets.names, dtype=pl.String), []
    for start in range(0, len(sets), SLICE):
        stop = min(start + SLICE, len(sets))
        bounds = sets.offsets[start : stop + 1].tolist()
        texts = names.gather(sets.entries[bounds[0] : bounds[-1]]).to_list()
        rows = [texts[a - bounds[0] : b - bounds[0]] for a, b in pairwise(bounds)]
        parts.append(pl.Series(rows, dtype=pl.List(pl.String)))
    return pl.concat(parts) if parts else pl.Series([], dtype=pl.List(pl.String))


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
    """Write the release in a folder into a new table too, which is read back and verified before it is committed."""
    target = Target(address, table)
    target.check()
    with writing_into(target) as writer:
        writer.write(folder, release, original)


def without_address(error: InputError, address: str) -> InputError:
    """Return the error without the address of the database."""
    place = str(error.file or "").removeprefix(without_password(address)).lstrip(",: ")
    return InputError(error.message, file=place or None, line=error.line, column=error.column)
