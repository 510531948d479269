"""The input as batches of rows of Parquet files, small enough for the memory limit; other formats are copied to Parquet."""

import glob
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import polars as pl

from anonset.data.coding import Table
from anonset.data.databases import connected, is_database, ordered_query
from anonset.data.files import as_input_errors, fingerprint
from anonset.data.formats.frames import is_frame, read_frame
from anonset.data.formats.parquet import check_declared
from anonset.errors import InputError
from anonset.model.dataset import Source as File
from anonset.model.schema import Schema
from anonset.runtime.native_panics import without_panic

COPY_ROWS = 1 << 18  # rows of a stream that are copied into one file
COPIED = (".csv", ".tsv", ".txt")
DAMAGED = "is not a complete Parquet file"
BROKEN = (pl.exceptions.PolarsError, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class Piece:
    """A batch: rows start .. start + rows - 1 of a Parquet file; the first of them is record `first` of the whole input."""

    path: str
    start: int
    rows: int
    first: int

    def __str__(self) -> str:
        return f"{self.path}, rows {self.start} to {self.start + self.rows - 1}"


@dataclass(frozen=True, slots=True)
class PieceSource:
    """The batches of the input in order, and the files that they come from."""

    pieces: tuple[Piece, ...]
    files: tuple[File, ...]

    @property
    def rows(self) -> int:
        """Return the number of records."""
        return sum(piece.rows for piece in self.pieces)

    @property
    def fingerprint(self) -> str:
        """Return a hash that changes with any byte of the input and with the borders of the batches."""
        cuts = [(piece.start, piece.rows) for piece in self.pieces]
        return hashlib.sha256(repr(([file.sha256 for file in self.files], cuts)).encode()).hexdigest()

    def split(self, rows: int) -> "PieceSource":
        """Return the same records in batches of at most `rows` rows."""
        pieces: list[Piece] = []
        for piece in self.pieces:
            n = max(1, -(-piece.rows // rows))
            cuts = [piece.rows * p // n for p in range(n + 1)]
            pieces += [Piece(piece.path, piece.start + a, b - a, piece.first + a) for a, b in pairwise(cuts) if b > a]
        return PieceSource(tuple(pieces), self.files)


def open_source(data: Any, schema: Schema, work: Path) -> PieceSource:
    """Open Parquet or CSV files (one, a folder, a pattern), a database, or an object with the Arrow interface.

    Input that is not Parquet is copied to Parquet files in the folder `work`.
    """
    if schema.long is not None or schema.repeated or schema.items_table is not None:
        raise InputError("data in pieces must have one row a person; join the rows of one person first")
    if is_database(data):
        with connected(data) as database:
            paths, files = list(_copied(database.batches(ordered_query(database, schema)), work)), None
    elif is_frame(data):
        paths, files = list(_copied(_stream(data), work)), None
    else:
        named = _files(data)
        files = tuple(fingerprint(path) for path in named)
        paths = [_as_parquet(path, file, schema, work) for path, file in zip(named, files, strict=True)]
    pieces, first = [], 0
    for path in paths:
        rows = _height(path)
        if rows:
            pieces.append(Piece(str(path), 0, rows, first))
        first += rows
    if not pieces:
        raise InputError("has no records", file=str(data) if isinstance(data, str | Path) else None)
    return PieceSource(tuple(pieces), files or tuple(fingerprint(path) for path in paths))


def read_piece(piece: Piece) -> Table:
    """Read the rows of a batch."""
    try:
        with without_panic(f"{piece.path}: {DAMAGED}"):
            frame = pl.scan_parquet(piece.path).slice(piece.start, piece.rows).collect()
    except BROKEN:
        raise InputError(DAMAGED, file=piece.path) from None
    if frame.height != piece.rows:
        raise InputError(f"{piece.rows} rows are expected at {piece.start}; got {frame.height}", file=piece.path)
    return read_frame(frame, with_hash=False)


def _files(data: Any) -> list[Path]:
    """Return the files that a path, folder or pattern matches, sorted by name."""
    if not isinstance(data, str | Path):
        raise InputError(f"a path, a pattern or a DataFrame is expected; got {type(data).__name__}")
    path = Path(data)
    if path.is_dir():
        found = sorted(p for p in path.iterdir() if p.suffix == ".parquet" or p.suffix in COPIED)
    elif path.is_file():
        found = [path]
    else:
        found = sorted(Path(name) for name in glob.glob(str(data)) if Path(name).is_file())
    if not found:
        raise InputError("there is no such file; a Parquet or CSV file, a folder of such or a pattern is expected", file=path)
    odd = next((p for p in found if p.suffix != ".parquet" and p.suffix not in COPIED), None)
    if odd is not None:
        raise InputError("only Parquet and CSV files are read in pieces", file=odd)
    return found


def _as_parquet(path: Path, file: File, schema: Schema, work: Path) -> Path:
    """Return the file itself if it is Parquet, else a Parquet copy of it."""
    if path.suffix == ".parquet":
        with as_input_errors(path), path.open("rb") as raw:
            check_declared(mmap(raw.fileno(), 0, access=ACCESS_READ) if path.stat().st_size else b"", "Parquet", str(path))
        return path
    copy = work / f"copy-{file.sha256}.parquet"
    if not copy.exists():
        sign = schema.delimiter or ("\t" if path.suffix == ".tsv" else ",")
        half = copy.with_suffix(".half")
        try:
            with without_panic(f"{path}: cannot be read as delimited text"):
                pl.scan_csv(path, separator=sign, infer_schema=False).sink_parquet(half)
        except BROKEN:
            raise InputError("cannot be read as delimited text", file=path) from None
        half.rename(copy)
    return copy


def _stream(data: Any) -> Iterator[pl.DataFrame]:
    """Yield the batches of an object with the Arrow interface; all rows at once if pyarrow is not installed."""
    try:
        from pyarrow import RecordBatchReader
    except ImportError:
        yield pl.DataFrame(data)
        return
    for batch in RecordBatchReader.from_stream(data):
        yield pl.DataFrame(batch)


def _copied(batches: Iterator[pl.DataFrame], work: Path) -> Iterator[Path]:
    """Copy batches into Parquet files of about COPY_ROWS rows, since a stream can be read only once; yield the files."""
    held: list[pl.DataFrame] = []
    for number in count():
        more = next(batches, None)
        held += [more] if more is not None else []
        if held and (more is None or sum(frame.height for frame in held) >= COPY_ROWS):
            path = work / f"batch-{number:06}.parquet"
            pl.concat(held).write_parquet(path)
            held = []
            yield path
        if more is None:
            return


def _height(path: Path) -> int:
    """Return the number of rows of a Parquet file."""
    try:
        with without_panic(f"{path}: {DAMAGED}"):
            return int(pl.scan_parquet(path).select(pl.len()).collect().item())
    except BROKEN:
        raise InputError(DAMAGED, file=path) from None
