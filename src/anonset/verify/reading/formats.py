"""The formats of published records, read as docs/release.md describes them; by code that writes nothing."""

import csv
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from anonset.errors import GuaranteeViolated
from anonset.verify.reading.marked import Tokens, extend_doubts, states_of
from anonset.verify.reading.written import Written, WrittenDoubts, WrittenSets, WrittenValues

Guide = dict[str, Any]  # an entry of `attributes` in about.json
Attributes = dict[str, Written]  # by name
SET, DOUBTS = "set", "uncertain set"
LONGEST_CELL = 2**31 - 1  # characters
ROWS_AT_ONCE = 50_000
FORMULA_SIGNS = tuple("=+-@\t\r")
PARTS = "workbook.xml _rels/workbook.xml.rels styles.xml theme/theme1.xml worksheets/sheet1.xml"
WORKBOOK = {"[Content_Types].xml", "_rels/.rels", "docProps/app.xml", "docProps/core.xml", *(f"xl/{p}" for p in PARTS.split())}


def read_csv(path: Path, guides: Sequence[Guide]) -> Attributes:
    """One row a record: labels, an empty cell for a missing value, items with a separator between them."""
    names = [name for guide in guides for name in (guide["column"], guide.get("errors_column")) if name is not None]
    found = empty(guides)
    for columns in _columns(path, names):
        cells = dict(zip(names, columns, strict=True))
        for guide in guides:
            written, texts = found[guide["name"]], cells[guide["column"]]
            if isinstance(written, WrittenValues):
                written.extend([text or None for text in texts])
            elif isinstance(written, WrittenSets):
                number = {text: n for n, text in enumerate(dict.fromkeys(texts))}  # of texts that are alike one is split
                tokens = _tokens(list(number), guide["separator"])
                written.extend_numbered(tokens.names, tokens.entries, tokens.owners, [number[text] for text in texts])
            else:
                tokens = _tokens(texts, guide["separator"])
                extend_doubts(written, tokens, cells.get(guide.get("errors_column", "")), guide)
    return found


def _tokens(texts: Sequence[str], separator: str) -> Tokens:
    """The tokens of texts with separators between them; an empty text has none."""
    import polars as pl

    if not separator:
        raise GuaranteeViolated("about.json names no separator")
    column = pl.Series(texts, dtype=pl.String)
    split = column.str.split(separator).to_frame("split").select(pl.when(pl.lit(column) != "").then("split")).to_series()
    tokens = split.drop_nulls().explode()
    names = tokens.unique(maintain_order=True)
    entries = tokens.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)
    return Tokens(split.list.len().fill_null(0).to_numpy().astype(np.int64), names.to_list(), entries)


def read_fimi(path: Path, guides: Sequence[Guide]) -> Attributes:
    """One line of numbers a record; `numbers` names those that are no items, a last one holds the error bound."""
    found = empty(guides)
    (guide,) = guides
    written, unseen = found[guide["name"]], set(guide["numbers"])
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            numbers = line.removesuffix("\n").split()
            bound = None
            if "errors_from" in guide:
                bound = str(int(numbers.pop()) - int(guide["errors_from"]))
            unseen.difference_update(numbers)
            _add_tokens(written, [guide["numbers"].get(number, number) for number in numbers], guide, bound)
    if unseen:
        raise GuaranteeViolated(f"about.json names the number {min(unseen)}, which no record shows")
    return found


def read_json_lines(path: Path, guides: Sequence[Guide]) -> Attributes:
    """One object a record: every value says what it stands for."""
    found = empty(guides)
    with path.open(encoding="utf-8", newline="\n") as file:
        for n, line in enumerate(file, 1):
            record = json.loads(line, object_pairs_hook=_without_repeats, parse_constant=_no_number)
            if not isinstance(record, dict) or record.keys() != found.keys():
                raise GuaranteeViolated(f"{path.name}, line {n}: a record must have the attributes {', '.join(found)}")
            for guide in guides:
                written, value = found[guide["name"]], record[guide["name"]]
                if isinstance(written, WrittenValues):
                    written.add(_json_look(value, guide["labels"]))
                elif isinstance(written, WrittenSets):
                    written.add(tuple(_texts(item)) for item in value)
                else:
                    written.add(_texts(value["base"]), _texts(value["uncertain"]), _whole(value["errors"]))
    return found


def read_parquet(path: Path, guides: Sequence[Guide]) -> Attributes:
    """Columns of texts, numbers (two for ranges) and lists."""
    import polars as pl

    return read_typed(pl.read_parquet(path, memory_map=False), path.name, guides)


def read_feather(path: Path, guides: Sequence[Guide]) -> Attributes:
    """The columns of Parquet in another file."""
    import polars as pl

    return read_typed(pl.read_ipc(path.read_bytes()), path.name, guides)


def read_typed(frame: Any, called: str, guides: Sequence[Guide]) -> Attributes:
    """Whole columns under the names that the guides give them, none more and none less."""
    named = columns_of(guides)
    if sorted(frame.columns) != sorted(named):
        odd = min(set(frame.columns) ^ set(named), default="")
        raise GuaranteeViolated(f"{called} and about.json disagree about the column {odd!r}")
    found = empty(guides)
    cells = {name: frame[name].to_list() for name in named}
    for guide in guides:
        add_cells(found[guide["name"]], guide, cells)
    return found


def columns_of(guides: Sequence[Guide]) -> list[str]:
    """The columns of a typed table."""
    return [name for guide in guides for name in (guide["columns"].values() if "columns" in guide else [guide["column"]])]


def read_xlsx(path: Path, guides: Sequence[Guide]) -> Attributes:
    """One sheet and nothing else: a running number, then the cells of CSV, exact numbers as numbers."""
    from python_calamine import CalamineWorkbook

    odd = sorted(set(ZipFile(path).namelist()) - WORKBOOK)
    if odd:
        raise GuaranteeViolated(f"{path.name} holds {odd[0]!r} beside its records")
    header, *rows = CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python(skip_empty_area=False)
    names = [name for guide in guides for name in (guide["column"], guide.get("errors_column")) if name is not None]
    if header[1:] != names:
        raise GuaranteeViolated(f"{path.name} and about.json disagree about the columns")
    found = empty(guides)
    for n, (number, *row) in enumerate(rows, 1):
        if number != n:
            raise GuaranteeViolated(
                f"{path.name}, row {n + 1}: the first column must be the running number {n}; got {number!r}"
            )
        cell = dict(zip(names, row, strict=True))
        for guide in guides:
            value, written = cell[guide["column"]], found[guide["name"]]
            if isinstance(written, WrittenValues):
                written.add(None if value == "" else _xlsx_look(value, guide))
                continue
            if not isinstance(value, str):
                raise GuaranteeViolated(f"{path.name}, row {n + 1}: items must be texts")
            bound = cell.get(guide.get("errors_column", ""))
            errors = str(int(bound)) if isinstance(bound, float) and bound.is_integer() else None
            _add_tokens(written, value.split(guide["separator"]) if value else [], guide, errors)
    return found


READERS: dict[str, tuple[str, Callable[[Path, Sequence[Guide]], Attributes]]] = {
    "csv": ("records.csv", read_csv),
    "parquet": ("records.parquet", read_parquet),
    "feather": ("records.feather", read_feather),
    "jsonl": ("records.jsonl", read_json_lines),
    "xlsx": ("records.xlsx", read_xlsx),
    "fimi": ("records.dat", read_fimi),
}


def empty(guides: Sequence[Guide]) -> Attributes:
    """Nothing written yet, for each attribute."""
    found: Attributes = {}
    for guide in guides:
        if guide["name"] in found:
            raise GuaranteeViolated(f"about.json explains {guide['name']!r} twice")
        kinds: dict[str, type[Written]] = {SET: WrittenSets, DOUBTS: WrittenDoubts}
        found[guide["name"]] = kinds[guide["kind"]]() if guide["role"] == "items" else WrittenValues()
    return found


def add_cells(written: Written, guide: Guide, cells: dict[str, list[Any]]) -> None:
    """Append the values of whole columns."""
    parts = guide.get("columns", {})
    if isinstance(written, WrittenDoubts):
        for base, uncertain, errors in zip(*(cells[parts[part]] for part in ("base", "uncertain", "errors")), strict=True):
            written.add(_texts(base), _texts(uncertain), _whole(errors))
    elif isinstance(written, WrittenSets):
        for tokens in cells[guide["column"]]:
            written.add(_texts(tokens or []))
    elif guide["labels"] == "ranges":
        low, high = (cells[parts[side] if parts else guide["column"]] for side in ("lo", "hi"))
        for ends in zip(low, high, strict=True):
            written.add(_range_look(*ends, guide["name"]))
    else:
        for value in cells[guide["column"]]:
            if value is not None and (isinstance(value, bool) or not isinstance(value, str | int | float)):
                raise GuaranteeViolated(f"{guide['name']}: a value must be a text or a number; got {value!r}")
            written.add(value)


def _columns(path: Path, names: Sequence[str]) -> Iterator[list[Sequence[str]]]:
    """The columns of a CSV file under a header of exactly these names, so many rows at a time."""
    usual = csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, strict=True)
            header = [_unguarded(name) for name in next(rows, [])]
            if len(header) != len(names):
                raise GuaranteeViolated(f"{path.name} has {len(header)} columns; about.json explains {len(names)}")
            if header != list(names):
                odd = next(a for a, b in zip(header, names, strict=True) if a != b)
                raise GuaranteeViolated(f"{path.name} has a column {odd!r}; about.json has another at its place")
            done = 0
            while chunk := list(islice(rows, ROWS_AT_ONCE)):
                if not all(chunk):  # a line without anything is one empty cell
                    chunk = [row or [""] for row in chunk]
                if set(map(len, chunk)) != {len(names)}:
                    n, row = next((n, row) for n, row in enumerate(chunk, done + 1) if len(row) != len(names))
                    raise GuaranteeViolated(f"{path.name}, record {n}: {len(names)} fields are expected; got {len(row)}")
                yield [_all_unguarded(cells) for cells in zip(*chunk, strict=True)]
                done += len(chunk)
    finally:
        csv.field_size_limit(usual)


def _all_unguarded(cells: Sequence[str]) -> Sequence[str]:
    """The cells of a column without such apostrophes."""
    guarded = {cell: _unguarded(cell) for cell in set(cells) if cell[:1] == "'"}
    return [guarded.get(cell, cell) for cell in cells] if guarded else cells


def _unguarded(cell: str) -> str:
    """A cell without the apostrophe that keeps spreadsheets from running it."""
    return cell[1:] if cell[:1] == "'" and cell.lstrip("'")[:1] in FORMULA_SIGNS else cell


def _add_tokens(written: Written, tokens: Sequence[str], guide: Guide, errors: str | None) -> None:
    """Append a set of tokens: labels, or items with marks that say how certain they are."""
    if isinstance(written, WrittenSets):
        written.add(tokens)
        return
    assert isinstance(written, WrittenDoubts)
    if errors is None:
        raise GuaranteeViolated(f"{guide['name']}: a record has no error bound")
    states = states_of(tokens, guide["marks"])
    written.add([i for i, s in states if s != "possible"], [i for i, s in states if s != "certain"], int(errors))


def _json_look(value: Any, labels: str) -> Hashable | None:
    if value is None:
        return None
    if isinstance(value, bool | list):
        raise GuaranteeViolated(f"a value must be a text, a number, a range or a choice; got {value!r}")
    if labels == "ranges":
        return (value["lo"], value["hi"]) if isinstance(value, dict) else (value, value)
    return tuple(value["any"]) if isinstance(value, dict) else (value,)


def _xlsx_look(value: Any, guide: Guide) -> Hashable:
    if isinstance(value, bool) or not isinstance(value, str | float):
        raise GuaranteeViolated(f"{guide['name']}: a cell must hold a text or a number; got {value!r}")
    return value if isinstance(value, str) or guide["labels"] != "ranges" else (value, value)


def _range_look(low: Any, high: Any, name: str) -> Hashable | None:
    if (low is None) != (high is None):
        raise GuaranteeViolated(f"{name}: a published range has only one end")
    return None if low is None else (low, high)


def _texts(values: Iterable[Any]) -> list[str]:
    found = list(values)
    if not all(isinstance(value, str) for value in found):
        raise GuaranteeViolated(f"items must be texts; got {next(v for v in found if not isinstance(v, str))!r}")
    return found


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise GuaranteeViolated(f"an error bound must be a whole number; got {value!r}")
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise GuaranteeViolated("a record has two values under one name")
    return found


def _no_number(text: str) -> Any:
    raise GuaranteeViolated(f"{text} is no number")
