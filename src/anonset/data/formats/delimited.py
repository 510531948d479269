"""Comma-, tab-, semicolon- or bar-separated text with a header."""

import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice

import numpy as np
import polars as pl

from anonset.data._kernels import parse
from anonset.data.coding import Table, require_width
from anonset.data.files import File, fingerprint, text_bytes, trimmed
from anonset.errors import InputError
from anonset.model.progress import Progress, silent

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_BYTES, SAMPLE_ROWS = 1 << 16, 100


def read_delimited(path: File, delimiter: str | None = None, progress: Progress = silent) -> Table:
    """The table in a file of delimited text; the delimiter is found where it is not given."""
    data = text_bytes(path, progress)
    sign = delimiter if delimiter is not None else find_delimiter(data)
    if not sign.isascii():
        raise InputError(f"the delimiter must be an ASCII character; got {sign!r}", file=str(path))
    names = _header(data, sign, path)
    if len(names) > 1:
        data = data.rstrip(b"\r\n")
    rows = _well_formed(data, sign, len(names), path)
    if rows < 2:
        raise InputError("has a header and no records", file=str(path))
    try:
        frame = pl.read_csv(data, separator=sign, infer_schema=False, new_columns=names)
    except pl.exceptions.PolarsError:
        raise InputError("cannot be read as delimited text", file=str(path)) from None
    if frame.shape != (rows - 1, len(names)):
        raise InputError(f"cannot be read as delimited text of {len(names)} columns", file=str(path))
    columns = {name: frame[name].str.strip_chars() for name in names}
    return Table(columns, (fingerprint(path),), str(path), line=partial(_line, data))


def find_delimiter(data: bytes) -> str:
    """The delimiter that cuts all of the first rows into the same, largest number of fields; a comma where none does."""
    sample = data[:SAMPLE_BYTES]
    whole = len(sample) == len(data)
    best, width = ",", 1
    loose, loose_width = ",", 1
    for sign in DELIMITERS:
        rows = _rows(sample, sign, SAMPLE_ROWS)
        widths = [len(row) for row in (rows if whole or len(rows) == SAMPLE_ROWS else rows[:-1]) if row] or [1]
        if min(widths) == max(widths) > width:
            best, width = sign, widths[0]
        if widths[0] > loose_width:
            loose, loose_width = sign, widths[0]
    return best if width > 1 else loose


def _rows(sample: bytes, sign: str, limit: int) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):  # the sample ends inside a quoted field
        rows.extend(islice(_reader(sample, sign), limit))
    return rows


def _reader(data: bytes, sign: str) -> "Iterator[list[str]]":
    return csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8", errors="replace", newline=""), delimiter=sign)


def _header(data: bytes, sign: str, path: File) -> list[str]:
    try:
        names = [trimmed(name) for name in next(iter(_reader(data, sign)))]
    except csv.Error:
        raise InputError("the header cannot be read", file=str(path), line=1) from None
    if not names:
        raise InputError("a header with the names of the columns is expected", file=str(path), line=1)
    require_width(len(names), str(path))
    seen = set[str]()
    for c, name in enumerate(names):
        if not name:
            raise InputError("every column needs a name in the header", file=str(path), line=1, column=c + 1)
        if name in seen:
            raise InputError(f"the name {name!r} is used for two columns", file=str(path), line=1, column=c + 1)
        seen.add(name)
    return names


def _well_formed(data: bytes, sign: str, width: int, path: File) -> int:
    """The number of rows, header included; raises at the first one that is not well formed."""
    finding, rows, line, fields = parse.scan_rows(np.frombuffer(data, np.uint8), ord(sign), width)
    complaints = {
        parse.RAGGED: f"{width} fields are expected, as in the header; got {fields}",
        parse.STRAY_QUOTE: 'a quotation mark inside a field; write the field in quotation marks, and "" for each inside',
        parse.TEXT_AFTER_QUOTE: "a delimiter is expected after the closing quotation mark",
        parse.OPEN_QUOTE: "a quotation mark is opened and never closed",
    }
    if finding != parse.GOOD:
        raise InputError(complaints[finding], file=str(path), line=line)
    return int(rows)


def _line(data: bytes, row: int) -> int:
    """The line on which a record begins; a field may hold line ends."""
    return int(parse.line_of_row(np.frombuffer(data, np.uint8), row + 1))
