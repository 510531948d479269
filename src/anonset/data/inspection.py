"""The format of a file by its content, and all its problems and oddities."""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import polars as pl

from anonset.data.coding import Table
from anonset.data.files import GZIP, SUFFIXES, ZIP, ZSTD, as_input_errors, chunks, member_of, whole
from anonset.data.formats import FORMATS, WORKBOOK
from anonset.data.formats.delimited import find_delimiter
from anonset.errors import InputError

LOOKED_AT = 1 << 16
FIRST_BYTES: dict[bytes, str] = {  # formats that are recognised and cannot be read
    ZIP: "is a zip archive, and its name does not say so; unpack it, or name it .zip",
    b"PK\x05\x06": "is an empty zip archive",
    b"%PDF": "is a PDF; a table is expected",
    b"\x7fELF": "is a program; a table is expected",
    b"MZ": "is a program; a table is expected",
    b"SQLite format 3\0": "is an SQLite database; name it sqlite:///FILE, with a table; the workbench has From a database",
    GZIP: "is compressed twice; decompress it once",
    ZSTD: "is compressed twice; decompress it once",
    b"\xd0\xcf\x11\xe0": "is an old office file; save the table as CSV or .xlsx",
}
WHOLE_NUMBERS = re.compile(rb"[ \t]*-?\d+([ \t]+-?\d+)*[ \t]*\r?")


def detect_format(path: Path, name: str) -> str:
    """The format of a file by its content; by its name if several formats are possible."""
    with as_input_errors(path), path.open("rb") as raw:
        start = raw.read(LOOKED_AT)
        if start.startswith(ZIP) and WORKBOOK in start:
            return "xlsx"
        if start.startswith(ZIP) and name.lower().endswith(".zip"):
            name = member_of(raw, str(path)).filename
        elif start.startswith(ZIP):
            raise InputError(FIRST_BYTES[ZIP], file=path)
    head = next(chunks(path, size=LOOKED_AT), b"")[:LOOKED_AT]
    if not head.strip():
        raise InputError("is empty", file=path)
    for begins, complaint in FIRST_BYTES.items():
        if head.startswith(begins):
            raise InputError(complaint, file=path)
    for format in FORMATS.values():
        if format.magic and head.startswith(format.magic):
            return format.id
    if b"\0" in head:
        raise InputError("is neither text nor a known table format, such as CSV, Parquet, Excel or JSON lines", file=path)
    return _text_format(head.removeprefix(b"\xef\xbb\xbf"), _unpacked_name(name))


def packed_suffix(path: Path) -> str:
    """What the name of a packed file must end in; empty where it is not packed, or packed by its own format."""
    with path.open("rb") as raw:
        start = raw.read(LOOKED_AT)
    if start.startswith(ZIP):
        return "" if WORKBOOK in start else ".zip"
    return ".gz" if start.startswith(GZIP) else ".zst" if start.startswith(ZSTD) else ""


def _unpacked_name(name: str) -> str:
    lower = name.lower()
    for suffix in SUFFIXES:
        lower = lower.removesuffix(suffix)
    return lower


def _text_format(head: bytes, name: str) -> str:
    told = next((format.id for format in FORMATS.values() if name.endswith(format.suffixes)), "csv")
    lines = [line for line in islice(head.split(b"\n"), 50) if line.strip()]
    whole = lines[:-1] if len(lines) > 1 else lines
    if head.lstrip().startswith(b"{"):
        return "jsonl"
    if head.lstrip().startswith(b"[") and told == "json":
        return "json"
    if whole and all(WHOLE_NUMBERS.fullmatch(line) for line in whole) and any(b" " in line.strip() for line in whole):
        return "spmf" if all(line.rstrip().endswith(b"-2") for line in whole) else "fimi"
    return told if told in ("csv", "tsv", "fimi", "spmf") else "csv"


MOST = 200  # complaints of one kind that are listed
LISTED = 5  # odd values of a column that are listed
PLACE = re.compile(r"^(?:, )?(?:line (?P<line>\d+))?(?:, )?(?:column (?P<column>[^:]+))?: ?")


@dataclass(frozen=True, slots=True)
class Complaint:
    """A problem, with its place if known; `stops` if the file cannot be read because of it."""

    text: str
    line: int | None = None
    column: str | None = None
    stops: bool = True


def complaints_of(error: InputError, path: Path, format: str) -> list[Complaint]:
    """All problems that prevent reading: the one the reader stopped at and, in text formats, all others of the kind."""
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
    """Oddities of every column that do not prevent reading."""
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
