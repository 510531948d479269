"""Excel workbooks (.xlsx): one sheet, the names of the columns in its first row.

A release has the cells of CSV, exact numbers as numbers, and a running number in the first column.
"""

import datetime
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from anonset.data.coding import Table, require_width, whole_table
from anonset.data.files import ZIP, File, as_input_errors, check_size, fingerprint, trimmed
from anonset.data.formats.base import Guide, Published, ReleaseFormat
from anonset.data.formats.delimited import set_columns, with_separator
from anonset.data.formats.tokens import (
    coded,
    column_from_tokens,
    column_tokens,
    free_name,
    items_from_tokens,
    split,
    token_sets,
)
from anonset.errors import Fix, GuaranteeViolated, InputError, ParameterError, Set, unknown
from anonset.model.arrays import Ids
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import PublishedColumn, Ranges
from anonset.model.literals import plain
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.runtime.native_panics import without_panic

ROOMY = 1 << 24  # cells that any sheet may span; a larger one needs at least a byte a cell
COLUMNS, ROWS = re.compile(rb"""\sr=["']([A-Z]{1,3})\d"""), re.compile(rb"""\sr=["'][A-Z]{0,3}(\d{4,7})["']""")
STEP, OVERLAP = 1 << 22, 32
BATCH = 1 << 16  # rows of a batch


def sheets_of(path: File) -> tuple[str, ...]:
    """The names of the sheets that are not empty."""
    with as_input_errors(path), path.open("rb") as raw:
        return tuple(name for name, _ in _filled(raw.read(), None, path))


def read_workbook(path: File, sheet: str | None = None, progress: Progress = silent) -> Table:
    """The table in a sheet: the named one, or the only one that is not empty."""
    return whole_table(workbook_batches(path, sheet, progress, MOST_RECORDS), (fingerprint(path),))


def workbook_batches(path: File, sheet: str | None = None, progress: Progress = silent, rows: int = BATCH) -> Iterator[Table]:
    """The rows of a sheet in batches; the library holds the cells of the whole sheet, of at most a million rows."""
    with as_input_errors(path), path.open("rb") as raw:
        data = raw.read()
    name, found, first = _rows(data, sheet, path)
    progress(0.5)
    header = next(found)
    require_width(len(header), str(path))
    names = [trimmed(_text(cell) or "") for cell in header]
    for c, column in enumerate(names):
        if not column or column in names[:c]:
            problem = f"the name {column!r} is used for two columns" if column else "every column needs a name in the first row"
            raise InputError(f"sheet {name!r}: {problem}", file=str(path), line=first, column=c + 1)
    start, records, empty = 0, list[list[Any]](), 0
    for row in found:
        if len(names) > 1 and _is_empty(row):
            empty += 1
            continue
        if empty:
            line = first + 1 + start + len(records)
            raise InputError(f"sheet {name!r}: an empty row", file=str(path), line=line)
        records.append(row)
        if len(records) == rows:
            yield _table(names, records, path, first + 1 + start)
            start, records = start + len(records), []
    if records:
        yield _table(names, records, path, first + 1 + start)
    elif not start:
        raise InputError(f"sheet {name!r} has a header but no records", file=str(path))


def _table(names: list[str], records: list[list[Any]], path: File, line: int) -> Table:
    columns = {column: pl.Series([_text(row[c]) for row in records], dtype=pl.String) for c, column in enumerate(names)}
    return Table(columns, (), str(path), line=lambda row: line + row)


def _rows(data: bytes, sheet: str | None, path: File) -> tuple[str, Iterator[list[Any]], int]:
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
    top = (page.start or (0, 0))[0]
    return name, islice(page.iter_rows(), top, None), top + 1


def _filled(data: bytes, sheet: str | None, path: File) -> list[tuple[str, Any]]:
    """The names and contents of the sheets that are not empty, or of the named one."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise InputError("Excel files need the package python-calamine: pip install 'anonset[excel]'", file=str(path)) from None
    damaged = InputError("is not a complete Excel file (.xlsx), or it is encrypted", file=str(path))
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
    """Raise if a nearly empty sheet spans so many cells that it would fill the memory."""
    columns, rows, tail = set[bytes](), 9_999, b""
    with archive.open(info) as stream:
        while piece := stream.read(STEP):
            columns.update(COLUMNS.findall(tail + piece))
            rows = max(rows, *map(int, ROWS.findall(tail + piece)), 0)
            tail = piece[-OVERLAP:]
    width = max((reduce(lambda n, sign: 26 * n + sign - 64, letters, 0) for letters in columns), default=1)
    if rows * width > max(ROOMY, info.file_size):
        problem = f"a sheet of {rows:,} rows and {width:,} columns is nearly empty; delete what is far from its table"
        raise InputError(problem, file=str(path))


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


SHEET, RECORD = "records", "record"
MOST_RECORDS, LONGEST_CELL = 1_048_575, 32_767  # what Excel holds
UNHELD = ("\ufffe", "\uffff")
CREATED = datetime.datetime(2000, 1, 1)  # a fixed creation time, so that equal records give equal bytes


def write(release: Release, original: Dataset, path: Path) -> list[Guide]:
    """Write the records; the guides say how to read each attribute."""
    if len(release) > MOST_RECORDS:
        raise ParameterError(
            f"an Excel sheet holds {MOST_RECORDS:,} records; these are {len(release):,}: choose csv or parquet"
        )
    guides, cells = [], {}
    for column in release.columns:
        source = original.column(column.name)
        tokens, guide = column_tokens(column, source)
        labels = [*(_cell(*pair, guide, source) for pair in zip(tokens, _numbers(column, source), strict=True)), None]
        cells[column.name] = [labels[c] for c in column.codes]
        guides.append(guide)
    if release.items is not None:
        sets = with_separator(token_sets(release.items, original.item_column), release)
        guides.append(sets.guide)
        cells |= {name: values.to_list() for name, values in set_columns(sets, 0, len(release)).items()}
    _write_cells({free_name(RECORD, cells): range(1, len(release) + 1)} | cells, path)
    return guides


def _numbers(column: PublishedColumn, original: Column) -> list[int | float | None]:
    """The number of each label that is exact and that a cell, of 16 digits, holds."""
    if isinstance(column.labels, Ranges):
        pairs = zip(column.labels.low.tolist(), column.labels.high.tolist(), strict=True)
        exact = [low if low == high else None for low, high in pairs]
    elif original.values is None:
        return [None] * len(column.labels)
    else:
        exact = [float(original.values[group[0]]) if len(group) == 1 else None for group in column.labels.groups()]
    return [None if value is None or float(f"{value:.16G}") != value else plain(value) for value in exact]


def _cell(token: str, number: float | None, guide: Guide, original: Column) -> str | float:
    """The cell of a label: its number, unless that could be mistaken for another label."""
    listed = guide["generalized"]
    return token if number is None or token in listed or _spelled(number, original) in listed else number


def _spelled(number: float, original: Column) -> str:
    """A number as the original spells it."""
    values = [] if original.values is None else original.values.tolist()
    return original.domain[values.index(number)] if number in values else repr(plain(number))


def _write_cells(columns: dict[str, Any], path: Path) -> None:
    try:
        import xlsxwriter
    except ImportError:
        raise ParameterError("Excel files need the package xlsxwriter: pip install 'anonset[excel]'") from None
    book = xlsxwriter.Workbook(str(path), {"constant_memory": True, "tmpdir": str(path.parent)})
    try:
        book.set_properties({"created": CREATED})
        sheet = book.add_worksheet(SHEET)
        for r, row in enumerate([tuple(columns), *zip(*columns.values(), strict=True)]):
            for c, cell in enumerate(row):
                if isinstance(cell, str) and cell:
                    _check_cell(cell)
                    sheet.write_string(r, c, cell)
                elif cell is not None and cell != "":
                    sheet.write_number(r, c, cell)
    finally:
        book.close()


def _check_cell(text: str) -> None:
    if len(text) > LONGEST_CELL or any(sign in text for sign in UNHELD):
        what = f"a text of {len(text):,} characters" if len(text) > LONGEST_CELL else "a character that is none"
        raise ParameterError(f"an Excel cell cannot hold {what}; choose csv, parquet or jsonl")


def read_back(path: Path, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
    """The published columns and items of a file that `write` wrote."""
    cells = read_cells(path, guides)
    columns, items = [], None
    for guide in guides:
        if guide["role"] != "items":
            source = original.column(guide["name"])
            columns.append(column_from_tokens(*coded(_texts(cells[guide["column"]], source)), guide, source))
            continue
        assert original.transactions is not None
        offsets, tokens = split(pl.Series(cells[guide["column"]], dtype=pl.String), guide["separator"])
        errors = np.array(cells[guide["errors_column"]]).astype(np.int32) if "errors_column" in guide else None
        items = items_from_tokens((offsets, *coded(tokens)), errors, guide, original.transactions.domain, suppressed)
    return tuple(columns), items


def read_cells(path: Path, guides: list[Guide]) -> dict[str, list[Any]]:
    """The cells of each column that the guides name."""
    from python_calamine import CalamineWorkbook

    header, *rows = CalamineWorkbook.from_path(str(path)).get_sheet_by_name(SHEET).to_python(skip_empty_area=False)
    names = [name for guide in guides for name in (guide["column"], guide.get("errors_column")) if name is not None]
    if header[1:] != names:
        raise GuaranteeViolated(f"{path.name} and about.json disagree about the columns")
    return {name: [row[c] for row in rows] for c, name in enumerate(names, 1)}


def _texts(cells: list[Any], original: Column) -> pl.Series:
    """Cells as texts, numbers as the original spells them; an empty cell is missing."""
    spelled: dict[Any, str | None] = {cell: _spelled(cell, original) for cell in set(cells) if not isinstance(cell, str)}
    return pl.Series([(cell or None) if isinstance(cell, str) else spelled[cell] for cell in cells], dtype=pl.String)


XLSX = ReleaseFormat(
    id="xlsx",
    suffixes=(".xlsx",),
    read=read_workbook,
    batches=workbook_batches,
    options=frozenset({"sheet"}),
    magic=ZIP,
    sheets=sheets_of,
    write=write,
    read_back=read_back,
)
