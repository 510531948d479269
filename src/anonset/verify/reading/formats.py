"""The formats of published records, and tables of databases, read as docs/release.md describes them; by code that writes
nothing.
"""

import csv
import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from os import SEEK_CUR
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import ZipFile

import numpy as np
import polars as pl

from anonset.errors import GuaranteeViolated
from anonset.model.arrays import Rows
from anonset.plugins import FORMAT_GROUP, plugins
from anonset.verify.reading.written import Attributes, Guide, Written, WrittenDoubts, WrittenSets, WrittenValues, empty


class Tokens(NamedTuple):
    """Text t has the next lengths[t] tokens; token e is named names[entries[e]]."""

    lengths: Rows
    names: list[str]
    entries: Rows


def extend_doubts(written: WrittenDoubts, tokens: Tokens, errors: Sequence[str] | None, guide: Mapping[str, Any]) -> None:
    """Append whole columns of marked items and of error bounds; what a token means is found out once."""
    if errors is None:
        raise GuaranteeViolated(f"{guide['name']}: a record has no error bound")
    states, n = states_of(tokens.names, guide["marks"]), len(tokens.lengths)
    owners = np.repeat(np.arange(n), tokens.lengths)
    for sets, other in ((written.base, "possible"), (written.uncertain, "certain")):
        kept = np.array([state != other for _, state in states], np.bool_)
        place, here = np.cumsum(kept) - 1, kept[tokens.entries]
        looks = [item for item, state in states if state != other]
        sets.extend(looks, place[tokens.entries[here]], owners[here], n)
    written.extend_errors(map(int, errors))


def states_of(tokens: Iterable[str], marks: Mapping[str, str]) -> list[tuple[str, str]]:
    """The item each token is about, and how certain it is; no item begins or ends with as many signs as the marks have."""
    ends = [(state, marks[state].split("ITEM")) for state in ("possible", "doubted")]
    return [_state(token, ends) for token in tokens]


def _state(token: str, ends: Sequence[tuple[str, Sequence[str]]]) -> tuple[str, str]:
    for state, (before, after) in ends:
        if token.startswith(before) and token.endswith(after) and len(token) >= len(before) + len(after):
            return token[len(before) : len(token) - len(after)], state
    return token, "certain"


LONGEST_CELL = 2**31 - 1  # characters
ROWS_AT_ONCE = 50_000
BYTES_AT_ONCE = 1 << 22
NOTHING = re.compile(rb'""(?<![^,\n]"")(?![^,\n])')  # an empty cell in quotes
GUARD = r"^'('*[=+\-@\t\r])"  # the apostrophe that keeps spreadsheets from running a cell


def read_csv(path: Path, guides: Sequence[Guide]) -> Attributes:
    """One row a record: labels, an empty cell for a missing value, items with a separator between them."""
    names = [name for guide in guides for name in (guide["column"], guide.get("errors_column")) if name is not None]
    found = empty(guides)
    for columns in _columns(path, names):
        cells = dict(zip(names, columns, strict=True))
        for guide in guides:
            _extend(found[guide["name"]], guide, cells)
    return found


def read_numbers(path: Path) -> tuple[str, Rows]:
    """The header and the whole numbers of a file of one column; a ValueError where a line is no such number."""
    header, _, lines = path.read_text(encoding="utf-8").strip().partition("\n")
    texts = pl.Series([lines] if lines else [], dtype=pl.String).str.split("\n").explode().str.strip_chars()
    try:
        return header.strip(), texts.cast(pl.Int64).to_numpy()
    except pl.exceptions.PolarsError:
        raise ValueError("a line is no whole number") from None


def _extend(written: Written, guide: Guide, cells: Mapping[str, pl.Series]) -> None:
    """Append the next rows of one attribute."""
    texts = cells[guide["column"]]
    if isinstance(written, WrittenValues):
        looks, codes = _numbered(texts)
        written.extend([look or None for look in looks], codes)
    elif isinstance(written, WrittenSets):
        fresh = (texts != texts.shift()).fill_null(True)  # of neighbours that are alike one is split
        tokens = _tokens(texts.filter(fresh), guide["separator"])
        owner = np.repeat(np.arange(len(tokens.lengths)), tokens.lengths)
        written.extend(tokens.names, tokens.entries, owner, len(tokens.lengths), fresh.cum_sum().to_numpy() - 1)
    else:
        errors = cells.get(guide.get("errors_column", ""))
        tokens = _tokens(texts, guide["separator"])
        extend_doubts(written, tokens, None if errors is None else errors.to_list(), guide)


def _tokens(texts: pl.Series, separator: str) -> Tokens:
    """The tokens of texts with separators between them; an empty text has none."""
    if not separator:
        raise GuaranteeViolated("about.json names no separator")
    filled = texts != ""
    split = texts.filter(filled).str.split(separator)
    lengths = np.zeros(len(texts), np.int64)
    lengths[filled.to_numpy()] = split.list.len().to_numpy()
    return Tokens(lengths, *_numbered(split.explode()))


def _numbered(texts: pl.Series) -> tuple[list[str], Rows]:
    """The different texts in the order in which they come, and the number of each text among them."""
    looks = texts.unique(maintain_order=True)
    return looks.to_list(), texts.cast(pl.Enum(looks)).to_physical().to_numpy().astype(np.int64)


def _columns(path: Path, names: Sequence[str]) -> Iterator[list[pl.Series]]:
    """The columns of a CSV file under a header of exactly these names, so many rows at a time."""
    usual = csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open("rb") as file:
            lines = (line.decode("utf-8") for line in file)
            header = _unguarded(pl.Series(next(csv.reader(lines, strict=True), []), dtype=pl.String)).to_list()
            if len(header) != len(names):
                raise GuaranteeViolated(f"{path.name} has {len(header)} columns; about.json explains {len(names)}")
            if header != list(names):
                odd = next(a for a, b in zip(header, names, strict=True) if a != b)
                raise GuaranteeViolated(f"{path.name} has a column {odd!r}; about.json has another at its place")
            done = 0
            for rows in chain(_unquoted(file), _any_rows(lines)):
                lengths = rows.list.len()
                if (lengths != len(names)).any():
                    n = int((lengths != len(names)).arg_max() or 0)
                    said = f"{path.name}, record {done + n + 1}: {len(names)} fields are expected; got {lengths[n]}"
                    raise GuaranteeViolated(said)
                yield [_unguarded(rows.list.get(place)) for place in range(len(names))]
                done += len(rows)
    finally:
        csv.field_size_limit(usual)


def _unguarded(texts: pl.Series) -> pl.Series:
    """The texts without the guard; most have none, and then nothing is searched."""
    return texts.str.replace(GUARD, "${1}") if texts.str.starts_with("'").any() else texts


def _unquoted(file: IO[bytes]) -> Iterator[pl.Series]:
    """The cells of the next rows, until something but nothing is quoted: up to there commas and line ends say all."""
    while piece := file.read(BYTES_AT_ONCE) + file.readline():
        bare = NOTHING.sub(b"", piece) if b'"' in piece else piece
        if b'"' in bare or b"\r" in bare:
            file.seek(-len(piece), SEEK_CUR)
            return
        text = bare.decode("utf-8").removesuffix("\n")
        lines = pl.Series([text]).str.split("\n").explode()
        yield lines.str.split(",") if b"," in bare else lines.to_frame().select(pl.concat_list(pl.all())).to_series()


def _any_rows(lines: Iterator[str]) -> Iterator[pl.Series]:
    """The cells of the other rows."""
    rows = csv.reader(lines, strict=True)
    while chunk := [row or [""] for row in islice(rows, ROWS_AT_ONCE)]:
        yield pl.Series(chunk, dtype=pl.List(pl.String))


PARTS = "workbook.xml _rels/workbook.xml.rels styles.xml theme/theme1.xml worksheets/sheet1.xml"
WORKBOOK = {"[Content_Types].xml", "_rels/.rels", "docProps/app.xml", "docProps/core.xml", *(f"xl/{p}" for p in PARTS.split())}


def read_fimi(path: Path, guides: Sequence[Guide]) -> Attributes:
    """One line of numbers a record; `numbers` names those that are no items, a last one holds the error bound."""
    found, numbers = read_fimi_part(path, guides)
    require_shown(guides[0], numbers)
    return found


def read_fimi_part(path: Path, guides: Sequence[Guide]) -> tuple[Attributes, set[str]]:
    """A file that need not show every number that about.json names, and the numbers that it shows."""
    found = empty(guides)
    (guide,) = guides
    written, shown = found[guide["name"]], set[str]()
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            numbers = line.removesuffix("\n").split()
            bound = None
            if "errors_from" in guide:
                bound = str(int(numbers.pop()) - int(guide["errors_from"]))
            shown.update(numbers)
            _add_tokens(written, [guide["numbers"].get(number, number) for number in numbers], guide, bound)
    return found, shown


def require_shown(guide: Guide, numbers: set[str]) -> None:
    """Raise if about.json names a number that no record shows."""
    if unseen := guide.get("numbers", {}).keys() - numbers:
        raise GuaranteeViolated(f"about.json names the number {min(unseen)}, which no record shows")


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
    return read_typed(pl.read_parquet(path, memory_map=False), path.name, guides)


def read_feather(path: Path, guides: Sequence[Guide]) -> Attributes:
    """The columns of Parquet in another file."""
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


def reader_of(format: str) -> tuple[str, Callable[[Path, Sequence[Guide]], Attributes]]:
    """The file that a release in this format has, and its reader; a plug-in's format brings one of its own."""
    if format in READERS:
        return READERS[format]
    owner = next((plugin for plugin in plugins(FORMAT_GROUP) if plugin.id == format), None)
    if owner is None:
        raise GuaranteeViolated(f"about.json is damaged: format: must be one of {', '.join(READERS)}")
    loaded: Any = owner.load()
    return loaded.file, loaded.reader


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


Batch = Mapping[str, list[Any]]  # the values of each column


class WrittenTable(NamedTuple):
    """A table under its name, the column with the running number, how to read the others, and its rows in that order."""

    name: str
    record: str
    guides: Sequence[Guide]
    batches: Iterable[Batch]


def read_batches(table: WrittenTable) -> Attributes:
    """What stands in a table; its rows must be numbered without a gap."""
    named, found, n = sorted([table.record, *columns_of(table.guides)]), empty(table.guides), 0
    for batch in table.batches:
        if sorted(batch) != named:
            raise GuaranteeViolated(f"{table.name} has the columns {', '.join(batch)}; {', '.join(named)} were written")
        numbers = batch[table.record]
        if numbers != list(range(n + 1, n + 1 + len(numbers))):
            raise GuaranteeViolated(f"{table.name}: {table.record} must number the records from 1 on, without a gap")
        n += len(numbers)
        for guide in table.guides:
            add_cells(found[guide["name"]], guide, dict(batch))
    return found
