"""Excel workbooks (.xlsx): one sheet, the names of the columns in its first row."""

import datetime
import io
import re
import zipfile
import zlib
from functools import reduce
from typing import Any

import polars as pl

from anonset.data.coding import Table, require_width
from anonset.data.files import File, as_input_errors, check_size, fingerprint, trimmed
from anonset.errors import Fix, InputError, Set, unknown
from anonset.model.progress import Progress, silent
from anonset.runtime.native_panics import without_panic

ROOMY = 1 << 24  # cells that a sheet may stretch over, whatever is in them; further ones must take a byte each
COLUMNS, ROWS = re.compile(rb"""\sr=["']([A-Z]{1,3})\d"""), re.compile(rb"""\sr=["'][A-Z]{0,3}(\d{4,7})["']""")
STEP, OVERLAP = 1 << 22, 32


def sheets_of(path: File) -> tuple[str, ...]:
    """The names of the sheets with anything in them."""
    with as_input_errors(path), path.open("rb") as raw:
        return tuple(name for name, _ in _filled(raw.read(), None, path))


def read_workbook(path: File, sheet: str | None = None, progress: Progress = silent) -> Table:
    """The table in a sheet: the one named, or the only one with anything in it."""
    with as_input_errors(path), path.open("rb") as raw:
        data = raw.read()
    name, rows, first = _rows(data, sheet, path)
    progress(0.5)
    header, *records = rows
    require_width(len(header), str(path))
    names = [trimmed(_text(cell) or "") for cell in header]
    for c, column in enumerate(names):
        if not column or column in names[:c]:
            problem = f"the name {column!r} is used for two columns" if column else "every column needs a name in the first row"
            raise InputError(f"sheet {name!r}: {problem}", file=str(path), line=first, column=c + 1)
    while records and len(names) > 1 and _is_empty(records[-1]):
        records.pop()
    if not records:
        raise InputError(f"sheet {name!r} has a header and no records", file=str(path))
    for r, row in enumerate(records):
        if len(names) > 1 and _is_empty(row):
            raise InputError(f"sheet {name!r}: an empty row", file=str(path), line=first + 1 + r)
    columns = {column: pl.Series([_text(row[c]) for row in records], dtype=pl.String) for c, column in enumerate(names)}
    return Table(columns, (fingerprint(path),), str(path), line=lambda row: first + 1 + row)


def _rows(data: bytes, sheet: str | None, path: File) -> tuple[str, list[list[Any]], int]:
    """The name of the sheet, its rows, and the number that Excel gives to the first of them."""
    filled = _filled(data, sheet, path)
    if len(filled) > 1:
        raise InputError(
            f"has {len(filled)} sheets, {', '.join(n for n, _ in filled)}",
            file=str(path),
            fix=[Fix("name one: {}", Set("sheet"))],
        )
    if not filled:
        raise InputError("is empty" if sheet is None else f"the sheet {sheet!r} is empty", file=str(path))
    ((name, page),) = filled
    return name, page.to_python(skip_empty_area=True), (page.start or (0, 0))[0] + 1


def _filled(data: bytes, sheet: str | None, path: File) -> list[tuple[str, Any]]:
    """The sheets with anything in them, or the one that is named, by name."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise InputError("Excel files need the package python-calamine: pip install 'anonset[excel]'", file=str(path)) from None
    damaged = InputError("is not a whole Excel file (.xlsx), or it is encrypted", file=str(path))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            check_size(sum(info.file_size for info in archive.infolist()), len(data), str(path))
            for info in archive.infolist():
                _check_stretch(archive, info, path)
        with without_panic(str(damaged)):
            book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = book.sheet_names if sheet is None else [sheet]
        if sheet is not None and sheet not in book.sheet_names:
            raise InputError("there is " + unknown("sheet", sheet, book.sheet_names, choose="there are"), file=str(path))
        with without_panic(str(damaged)):
            found = [(name, book.get_sheet_by_name(name)) for name in names]
        return [(name, page) for name, page in found if page.height]
    except (CalamineError, zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, KeyError, ValueError):
        raise damaged from None


def _check_stretch(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: File) -> None:
    """Raise where the cells of a sheet are so far apart that the room between them fills the memory, or its size is a lie."""
    columns, rows, tail = set[bytes](), 9_999, b""
    with archive.open(info) as stream:
        while piece := stream.read(STEP):
            columns.update(COLUMNS.findall(tail + piece))
            rows = max(rows, *map(int, ROWS.findall(tail + piece)), 0)
            tail = piece[-OVERLAP:]
    width = max((reduce(lambda n, sign: 26 * n + sign - 64, letters, 0) for letters in columns), default=1)
    if rows * width > max(ROOMY, info.file_size):
        told = f"a sheet of {rows:,} rows and {width:,} columns is nearly empty; delete what is far from its table"
        raise InputError(told, file=str(path))


def _is_empty(row: list[Any]) -> bool:
    return all(cell == "" for cell in row)


def _text(cell: Any) -> str | None:
    """A cell as text: whole numbers and whole days as such, nothing where it is blank."""
    match cell:
        case "":
            return None
        case bool():
            return "true" if cell else "false"
        case float():
            return repr(cell).removesuffix(".0")
        case datetime.datetime():
            return cell.isoformat(sep=" ").removesuffix(" 00:00:00")
        case datetime.date() | datetime.time():
            return cell.isoformat()
        case _:
            return trimmed(str(cell))
