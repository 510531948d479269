"""Delimited text with a header: datasets with commas, tabs, semicolons or bars; releases as CSV.

A published record is a row: generalized values by their texts, items with a separator between them.
"""

import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from anonset.data._kernels import parse
from anonset.data.coding import Table, require_width, whole_table
from anonset.data.files import File, fingerprint, text_chunks, trimmed
from anonset.data.formats.base import Format, Guide, Published, ReleaseFormat
from anonset.data.formats.tokens import (
    TokenSets,
    coded,
    column_from_tokens,
    column_tokens,
    free_name,
    items_from_tokens,
    joined,
    separator_for,
    split,
    token_sets,
)
from anonset.errors import GuaranteeViolated, InputError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.labels import PublishedItems
from anonset.model.progress import Progress, silent
from anonset.model.release import Release

BLOCK = 1 << 24  # bytes of a batch
WHOLE = 1 << 62  # larger than any file
LONGEST_ROW = 1 << 26
DELIMITERS = (",", ";", "\t", "|")
SAMPLE_BYTES, SAMPLE_ROWS = 1 << 16, 100


def read_delimited(path: File, delimiter: str | None = None, progress: Progress = silent) -> Table:
    """The table in a file of delimited text; the delimiter is detected if it is not given."""
    return whole_table(delimited_batches(path, delimiter, progress, WHOLE), (fingerprint(path),))


def delimited_batches(
    path: File, delimiter: str | None = None, progress: Progress = silent, size: int = BLOCK
) -> Iterator[Table]:
    """The rows of a file of delimited text in batches of some `size` bytes."""
    sign = delimiter if delimiter is not None else find_delimiter(next(text_chunks(path, size=SAMPLE_BYTES)))
    if not sign.isascii():
        raise InputError(f"the delimiter must be an ASCII character; got {sign!r}", file=str(path))
    header, names = b"", list[str]()
    lines = rows = 0
    for block in _whole_rows(text_chunks(path, progress, size)):
        text, shift = header + block, lines - header.count(b"\n")
        if not header:
            header, names = block[: _first_row(block)], _header(block, sign, path)
        if (table := _table(text, sign, names, path, shift)) is not None:
            rows += len(table)
            yield table
        lines += block.count(b"\n")
    if not rows:
        raise InputError("has a header but no records", file=str(path))


def _table(data: bytes, sign: str, names: list[str], path: File, shift: int) -> Table | None:
    """The table in a header and whole rows; `shift` is the number of lines left out after the header."""
    data = data.rstrip(b"\r\n") if len(names) > 1 else data
    rows = _well_formed(data, sign, len(names), path, shift)
    if rows < 2:
        return None
    try:
        frame = pl.read_csv(data, separator=sign, infer_schema=False, new_columns=names)
    except pl.exceptions.PolarsError:
        raise InputError("cannot be read as delimited text", file=str(path)) from None
    if frame.shape != (rows - 1, len(names)):
        raise InputError(f"cannot be read as delimited text of {len(names)} columns", file=str(path))
    columns = {name: frame[name].str.strip_chars() for name in names}
    return Table(columns, (), str(path), line=lambda row: _line(data, row) + shift)


def _whole_rows(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes in blocks that end where a row ends; empty lines at the end of a block begin the next one."""
    held = next(chunks)
    for chunk in chunks:
        end = _last_row(held)
        if end == 0 and len(held) > LONGEST_ROW:
            end = len(held)  # a quotation mark is never closed, which is found when the block is read
        filled = len(held[:end].rstrip(b"\r\n"))
        end = min(end, held.find(b"\n", filled) + 1 or end)
        if filled:
            yield held[:end]
        held = held[end if filled else 0 :] + chunk
    yield held


def _last_row(data: bytes) -> int:
    """Where the last whole row ends: after the last line end that is in no quoted field; 0 if there is none."""
    end, start = len(data), data.rfind(b"\n") + 1
    odd = data.count(b'"') % 2
    while start > 0:
        odd ^= data.count(b'"', start, end) % 2
        if not odd:
            return start
        end, start = start, data.rfind(b"\n", 0, start - 1) + 1
    return 0


def _first_row(data: bytes) -> int:
    """Where the first row ends."""
    start, odd = 0, 0
    while (end := data.find(b"\n", start) + 1) > 0:
        odd ^= data.count(b'"', start, end) % 2
        if not odd:
            return end
        start = end
    return len(data)


def find_delimiter(data: bytes) -> str:
    """The delimiter that splits all of the first rows into the same, largest number of fields; a comma if none does."""
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


def _well_formed(data: bytes, sign: str, width: int, path: File, shift: int) -> int:
    """The number of rows, header included; raises at the first one that is not well formed."""
    finding, rows, line, fields = parse.scan_rows(np.frombuffer(data, np.uint8), ord(sign), width)
    complaints = {
        parse.RAGGED: f"{width} fields are expected, as in the header; got {fields}",
        parse.STRAY_QUOTE: 'a quotation mark inside a field; write the field in quotation marks, and "" for each inside',
        parse.TEXT_AFTER_QUOTE: "a delimiter is expected after the closing quotation mark",
        parse.OPEN_QUOTE: "a quotation mark is opened and never closed",
    }
    if finding != parse.GOOD:
        raise InputError(complaints[finding], file=str(path), line=line + shift)
    return int(rows)


def _line(data: bytes, row: int) -> int:
    """The line on which a record begins; a field may hold line ends."""
    return int(parse.line_of_row(np.frombuffer(data, np.uint8), row + 1))


CHUNK = 250_000  # records turned into text at a time
FORMULA = r"^'*[=+\-@\t\r]"  # start of a cell that a spreadsheet would run as a formula, or that was escaped
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def write(release: Release, original: Dataset, path: Path, whole: PublishedItems | None = None) -> list[Guide]:
    """Write the records; the guides say how to read each attribute. In a part, `whole` has the items of all parts."""
    columns = [(column, *column_tokens(column, original.column(column.name))) for column in release.columns]
    texts = [pl.Series([*tokens, ""], dtype=pl.String) for _, tokens, _ in columns]
    sets = None if release.items is None else with_separator(token_sets(release.items, original.item_column), release, whole)
    with path.open("wb") as file:
        for start in range(0, max(1, len(release)), CHUNK):
            stop = min(start + CHUNK, len(release))
            frame = {
                column.name: text.gather(column.codes[start:stop]) for (column, _, _), text in zip(columns, texts, strict=True)
            }
            if sets is not None:
                frame |= set_columns(sets, start, stop)
            cells = {name: no_formulas(part) if part.dtype == pl.String else part for name, part in frame.items()}
            header = no_formulas(pl.Series([*cells], dtype=pl.String)).to_list()
            pl.DataFrame(dict(zip(header, cells.values(), strict=True))).write_csv(file, include_header=start == 0)
    return [guide for _, _, guide in columns] + ([sets.guide] if sets is not None else [])


def read_back(path: Path, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
    """The published columns and items of a file that `write` wrote."""
    frame = read_texts(path, guides)
    columns, items = [], None
    for guide in guides:
        column = frame[guide["column"]]
        if guide["role"] != "items":
            texts, codes = coded(column.replace("", None))
            columns.append(column_from_tokens(texts, codes, guide, original.column(guide["name"])))
            continue
        assert original.transactions is not None
        offsets, tokens = split(column, guide["separator"])
        errors = None
        if "errors_column" in guide:
            errors = frame[guide["errors_column"]].cast(pl.Int32).to_numpy().astype(np.int32)
        items = items_from_tokens((offsets, *coded(tokens)), errors, guide, original.transactions.domain, suppressed)
    return tuple(columns), items


def read_texts(path: Path, guides: list[Guide]) -> pl.DataFrame:
    """The columns of the file as texts, under the names that the guides give them."""
    names = [name for guide in guides for name in (guide["column"], guide.get("errors_column")) if name is not None]
    frame = pl.read_csv(path, infer_schema=False)
    if frame.width != len(names):
        raise GuaranteeViolated(f"{path.name} has {frame.width} columns; about.json explains {len(names)}")
    frame.columns = names
    return frame.with_columns(
        pl.when(text.str.contains(FORMULA)).then(text.str.strip_prefix("'")).otherwise(text)
        for text in (pl.col(name) for name in names)
    )


def with_separator(sets: TokenSets, release: Release, whole: PublishedItems | None = None) -> TokenSets:
    """The sets with a separator that is in no token, of `whole` either, and a name for the column of error bounds."""
    tokens = sets.tokens if whole is None else token_sets(whole, sets.guide["name"]).tokens
    guide = sets.guide | {"separator": separator_for(tokens)}
    if sets.errors is not None:
        names = [column.name for column in release.columns]
        guide["errors_column"] = free_name(f"{guide['column']}.errors", [*names, guide["column"]])
    return sets._replace(guide=guide)


def set_columns(sets: TokenSets, start: int, stop: int) -> dict[str, pl.Series]:
    """The columns of the sets of some records."""
    columns = {sets.guide["column"]: joined(*sets.part(start, stop), sets.tokens, sets.guide["separator"])}
    if sets.errors is not None:
        columns[sets.guide["errors_column"]] = pl.Series(sets.errors[start:stop])
    return columns


def no_formulas(cells: pl.Series) -> pl.Series:
    """The cells with an apostrophe before anything that a spreadsheet would run as a formula; numbers are unchanged."""
    risky = cells.str.contains(FORMULA) & ~cells.str.contains(NUMBER)
    if not risky.any():
        return cells
    return pl.select(pl.when(risky).then("'" + cells).otherwise(cells)).to_series().alias(cells.name)


def read_tabbed(path: File, delimiter: str | None = None, progress: Progress = silent) -> Table:
    """The table in a file of delimited text; the delimiter is a tab if it is not given."""
    return read_delimited(path, delimiter or "\t", progress)


def tabbed_batches(path: File, delimiter: str | None = None, progress: Progress = silent) -> Iterator[Table]:
    """Its rows in batches."""
    return delimited_batches(path, delimiter or "\t", progress)


CSV = ReleaseFormat(
    id="csv",
    suffixes=(".csv",),
    read=read_delimited,
    batches=delimited_batches,
    options=frozenset({"delimiter"}),
    write=write,
    read_back=read_back,
    write_part=write,
)
TSV = Format(
    id="tsv",
    suffixes=(".tsv", ".tab"),
    read=read_tabbed,
    batches=tabbed_batches,
    options=frozenset({"delimiter"}),
)
