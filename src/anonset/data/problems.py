"""Everything that is wrong or odd about a file, not just the first thing."""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from anonset.data.formats.delimited import find_delimiter
from anonset.data.sources import whole
from anonset.data.table import Table
from anonset.errors import InputError

MOST = 200  # of one kind that are listed
LISTED = 5  # odd values of a column that are
PLACE = re.compile(r"^(?:, )?(?:line (?P<line>\d+))?(?:, )?(?:column (?P<column>[^:]+))?: ?")


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is wrong, where it is known where; an error keeps the file from being read."""

    text: str
    line: int | None = None
    column: str | None = None
    stops: bool = True


def complaints_of(error: InputError, path: Path, format: str) -> list[Complaint]:
    """All that keeps a file from being read: what a reader stopped at and, in delimited text, what else it would stop at."""
    text = str(error).removeprefix(str(path))
    place = PLACE.match(text)
    assert place is not None
    line = place["line"]
    first = Complaint(text[place.end() :], int(line) if line else None, place["column"])
    more: Iterable[Complaint] = ()
    if first.line is not None and format in ("csv", "tsv"):
        more = _ragged(path, "\t" if format == "tsv" else None)
    elif first.line is not None and format == "jsonl":
        more = _no_objects(path)
    return [first, *(found for found in more if found.line != first.line)]


def _ragged(path: Path, delimiter: str | None) -> Iterator[Complaint]:
    """The rows with another number of fields than the header, read as well as can be."""
    data = whole(path)
    text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter or find_delimiter(data))
    bad = _lines_that_are_not_utf8(data)
    yield from (Complaint("this is not UTF-8 text; save the file as UTF-8", line) for line in bad[:MOST])
    width, listed = 0, 0
    try:
        for row in reader:
            width = width or len(row)
            if row and len(row) != width and listed < MOST:
                listed += 1
                yield Complaint(f"{width} fields are expected, as in the header; got {len(row)}", reader.line_num)
    except csv.Error:
        yield Complaint("cannot be cut into fields from here on", reader.line_num)


def _no_objects(path: Path) -> Iterator[Complaint]:
    """The lines that are no JSON objects."""
    listed = 0
    for number, line in enumerate(whole(path).splitlines(), 1):
        if line.strip() and listed < MOST and not _is_object(line):
            listed += 1
            yield Complaint("a JSON object is expected, as in every line", number)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _lines_that_are_not_utf8(data: bytes) -> list[int]:
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return [number for number, line in enumerate(data.split(b"\n"), 1) if not _is_utf8(line)]
    return []


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def oddities(table: Table) -> list[Complaint]:
    """What does not keep a table from being read and is worth a look: of every column, over all its rows."""
    found = []
    for name, texts in table.columns.items():
        there = texts.drop_nulls().filter(texts.drop_nulls() != "")
        if not len(there):
            found.append(Complaint("has no values at all", column=name, stops=False))
            continue
        distinct = there.unique()
        if len(distinct) == 1 and len(there) == len(texts) > 1:
            found.append(Complaint("has one and the same value everywhere", column=name, stops=False))
        found += _nearly_numbers(table, texts, name) + _spellings(distinct, name)
        missing = 1 - len(there) / max(1, len(texts))
        if missing > 0.5:
            found.append(Complaint(f"{missing:.0%} of its values are missing", column=name, stops=False))
    return found


def _nearly_numbers(table: Table, texts: pl.Series, name: str) -> list[Complaint]:
    """The few texts in a column of numbers, where they are."""
    there = texts.is_not_null() & (texts != "")
    odd = (there & texts.cast(pl.Float64, strict=False).is_null()).arg_true().to_list()
    if not 0 < len(odd) <= max(1, int(there.sum()) // 20):
        return []
    more = f" (one of {len(odd):,} that are none)" if len(odd) > 1 else ""
    text = f"this is no number, and nearly all others in the column are{more}"
    return [Complaint(text, table.line(row), name, stops=False) for row in odd[:LISTED]]


def _spellings(distinct: pl.Series, name: str) -> list[Complaint]:
    """Values that differ in capitals or blanks alone."""
    same = len(distinct) - distinct.str.to_lowercase().str.replace_all(r"\s+", " ").n_unique()
    if same and same < len(distinct) / 2:
        return [Complaint(f"{same:,} of its values differ from others in capitals or blanks alone", column=name, stops=False)]
    return []
