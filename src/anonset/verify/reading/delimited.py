"""CSV as docs/release.md describes it, by whole columns, and items with marks that say how certain they are."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from os import SEEK_CUR
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import polars as pl

from anonset.errors import GuaranteeViolated
from anonset.model.arrays import Rows
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
