"""The published records as an Excel sheet: the cells of CSV, exact numbers as numbers, the first column a running number."""

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from anonset.errors import GuaranteeViolated, ParameterError
from anonset.model.arrays import Ids
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import PublishedColumn, PublishedItems, Ranges
from anonset.model.literals import plain
from anonset.model.release import Release
from anonset.releases.formats.delimited import set_columns, with_separator
from anonset.releases.formats.tokens import (
    Guide,
    coded,
    column_from_tokens,
    column_tokens,
    free_name,
    items_from_tokens,
    split,
    token_sets,
)

SHEET, RECORD = "records", "record"
MOST_RECORDS, LONGEST_CELL = 1_048_575, 32_767  # what Excel holds
UNHELD = ("\ufffe", "\uffff")
CREATED = datetime.datetime(2000, 1, 1)  # a workbook says when it was made, and the same records are the same bytes


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
    """What stands for a label: its number, unless it could be taken for another label."""
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


def read(
    path: Path, guides: list[Guide], original: Dataset, suppressed: Ids
) -> tuple[tuple[PublishedColumn, ...], PublishedItems | None]:
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
