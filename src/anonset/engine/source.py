"""The input as batches of rows of Parquet files, small enough for the memory limit; other formats are copied to Parquet."""

import glob
import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, count, pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import polars as pl

from anonset.data.coding import Table
from anonset.data.databases import connected, is_database, item_batches, main_batches
from anonset.data.files import SUFFIXES, FetchedFile, Part, PartFiles, as_input_errors, check_size, fingerprint, located
from anonset.data.files import File as InputFile
from anonset.data.formats import FORMATS, file_batches, format_of
from anonset.data.formats.frames import is_frame, read_frame, texts_and_sets
from anonset.data.formats.parquet import check_declared, text_length
from anonset.data.formats.tokens import lists
from anonset.errors import InputError
from anonset.model.dataset import Source as File
from anonset.model.schema import Schema
from anonset.runtime.native_panics import without_panic

COPY_ROWS = 1 << 18  # rows of a file of the copy
DAMAGED = "is not a complete Parquet file"
BROKEN = (pl.exceptions.PolarsError, OSError, ValueError)
Values = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class BatchRef:
    """A batch: rows start .. start + rows - 1 of a Parquet file; the first of them is record `first` of the whole input."""

    path: str
    start: int
    rows: int
    first: int
    values: Values = ()  # columns that the names of its folders give (year=2020)

    def __str__(self) -> str:
        return f"{self.path}, rows {self.start} to {self.start + self.rows - 1}"


@dataclass(frozen=True, slots=True)
class BatchSource:
    """The batches of the input in order, and the files that they come from."""

    batches: tuple[BatchRef, ...]
    files: tuple[File, ...]
    items: "tuple[BatchRef, ...] | None" = None  # the rows of a second file with items

    @property
    def rows(self) -> int:
        """Return the number of records."""
        return sum(ref.rows for ref in self.batches)

    @property
    def fingerprint(self) -> str:
        """Return a hash that changes with any byte of the input and with the borders of the batches."""
        cuts = [(ref.start, ref.rows) for ref in self.batches]
        return hashlib.sha256(repr(([file.sha256 for file in self.files], cuts)).encode()).hexdigest()

    def first(self, rows: int) -> tuple[BatchRef, ...]:
        """Return the first batches with about so many rows."""
        few = self.split(rows).batches
        ends = list(accumulate(ref.rows for ref in few))
        return few[: 1 + sum(end < rows for end in ends)]

    def split(self, rows: int) -> "BatchSource":
        """Return the same records in batches of at most `rows` rows."""
        batches: list[BatchRef] = []
        for ref in self.batches:
            n = max(1, -(-ref.rows // rows))
            cuts = [ref.rows * p // n for p in range(n + 1)]
            batches += [BatchRef(ref.path, ref.start + a, b - a, ref.first + a, ref.values) for a, b in pairwise(cuts) if b > a]
        return BatchSource(tuple(batches), self.files, self.items)


def open_source(data: Any, schema: Schema, work: Path) -> BatchSource:
    """Open files of any format (one, a folder, a pattern, a remote address), a database, or an object with the Arrow interface.

    Input that is not Parquet is copied to Parquet files in the folder `work`, batch by batch.
    """
    if is_database(data):
        with connected(data) as database:
            parts = _copied(main_batches(database, schema), work / "copy")
            second = _copied(item_batches(database, schema), work / "copy-items") if schema.items_table is not None else None
        files = _fingerprints([*parts, *(second or ())])
    elif is_frame(data):
        parts, second = _copied(_stream(data), work / "copy"), None
        files = _fingerprints(parts)
    else:
        parts, files = _parts_of(data, schema, work)
        second = None
    if schema.long is not None:
        second, more = _parts_of(schema.long, Schema(missing=schema.missing), work)
        files += more
    source = BatchSource(_in_turn(parts), files, None if second is None else _in_turn(second))
    if not source.batches:
        raise InputError("has no records", file=str(data) if isinstance(data, str | Path) else None)
    return source


def _parts_of(data: Any, schema: Schema, work: Path) -> tuple[list[BatchRef], tuple[File, ...]]:
    """Return the rows of files, and the hashes of the files."""
    found = _files(data, work)
    files = tuple(fingerprint(part.file) for part in found)
    return [ref for part, file in zip(found, files, strict=True) for ref in _as_parquet(part, file, schema, work)], files


def _fingerprints(parts: list[BatchRef]) -> tuple[File, ...]:
    return tuple(fingerprint(Path(part.path)) for part in parts)


def _in_turn(parts: list[BatchRef]) -> tuple[BatchRef, ...]:
    """Return the batches that have rows, with the number of their first record."""
    firsts = accumulate((ref.rows for ref in parts), initial=0)
    return tuple(BatchRef(ref.path, 0, ref.rows, n, ref.values) for ref, n in zip(parts, firsts, strict=False) if ref.rows)


def read_batch(ref: BatchRef) -> Table:
    """Read the rows of a batch."""
    try:
        with without_panic(f"{ref.path}: {DAMAGED}"):
            frame = pl.scan_parquet(ref.path).slice(ref.start, ref.rows).collect()
    except BROKEN:
        raise InputError(DAMAGED, file=ref.path) from None
    if frame.height != ref.rows:
        raise InputError(f"{ref.rows} rows are expected at {ref.start}; got {frame.height}", file=ref.path)
    with as_input_errors(ref.path):
        check_size(sum(map(text_length, frame.iter_columns())), Path(ref.path).stat().st_size, ref.path)
    frame = frame.with_columns(pl.lit(value, pl.String).alias(name) for name, value in ref.values)
    return read_frame(frame, with_hash=False)


def _files(data: Any, work: Path) -> list[Part]:
    """Return the files that a path, folder, pattern or address names; what is no file is copied to one."""
    if not isinstance(data, str | Path):
        raise InputError(f"a path, a pattern or a DataFrame is expected; got {type(data).__name__}")
    named = _named(Path(data)) if "://" not in str(data) else []
    if len(named) > 1 or (named and Path(data).is_dir()):
        return [Part(path) for path in named]
    found = located(data, work)
    return list(found.parts) if isinstance(found, PartFiles) else [Part(found)]


def _named(path: Path) -> list[Path]:
    """Return the files of a folder without Parquet files, or of a pattern, sorted by name; none for anything else."""
    if path.is_dir():
        found = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith((".", "_")))
        return [] if any(_is_parquet(p) for p in path.rglob("*")) else [p for p in found if _is_known(p)]
    if path.exists():
        return []
    found = sorted(Path(name) for name in glob.glob(str(path), recursive=True) if Path(name).is_file())
    return [] if all(map(_is_parquet, found)) else found


def _is_parquet(path: Path) -> bool:
    return path.name.lower().endswith(FORMATS["parquet"].suffixes)


def _is_known(path: Path) -> bool:
    """Return whether the suffix of a file is that of a format."""
    try:
        return format_of(path) in FORMATS
    except InputError:
        return False


def _as_parquet(part: Part, file: File, schema: Schema, work: Path) -> list[BatchRef]:
    """Return the file itself if it is Parquet, else the files of a Parquet copy of it."""
    format = schema.format or format_of(part.file)
    if format == "parquet" and (path := _on_disk(part.file)) is not None:
        with as_input_errors(part.file), path.open("rb") as raw:
            data = mmap(raw.fileno(), 0, access=ACCESS_READ) if path.stat().st_size else b""
            check_declared(data, "Parquet", str(part.file))
        return [BatchRef(str(path), 0, _height(path), 0, part.values)]
    how = repr((file.sha256, format, schema.delimiter, schema.sheet))
    copy = work / f"copy-{hashlib.sha256(how.encode()).hexdigest()[:32]}"
    if copy.exists():  # of an interrupted run
        return [BatchRef(str(path), 0, _height(path), 0, part.values) for path in sorted(copy.iterdir())]
    tables = file_batches(part.file, schema.format, schema.delimiter, schema.sheet)
    return [BatchRef(ref.path, 0, ref.rows, 0, part.values) for ref in _copied(tables, copy)]


def _on_disk(file: InputFile) -> Path | None:
    """Return the path of a file that is not compressed."""
    if file.name.lower().endswith(SUFFIXES):
        return None
    return file.path if isinstance(file, FetchedFile) else file if isinstance(file, Path) else None


def _stream(data: Any) -> Iterator[Table]:
    """Yield the batches of an object with the Arrow interface; all rows at once if pyarrow is not installed."""
    try:
        from pyarrow import RecordBatchReader
    except ImportError:
        yield read_frame(data, with_hash=False)
        return
    first = 0
    for batch in RecordBatchReader.from_stream(data):
        if batch.num_rows:
            columns, sets = texts_and_sets(pl.DataFrame(batch), None, first)
            first += batch.num_rows
            yield Table(columns, (), None, sets)


def _copied(tables: Iterator[Table], folder: Path) -> list[BatchRef]:
    """Copy batches into Parquet files of about COPY_ROWS rows; the folder has its name once they are complete."""
    half = folder.with_suffix(".half")
    for old in (half, folder):
        shutil.rmtree(old, ignore_errors=True)
    half.mkdir()
    written: list[tuple[str, int, pl.Schema]] = []
    held: list[pl.DataFrame] = []
    for number in count():
        frame = None if (table := next(tables, None)) is None else frame_of(table)
        if held and (frame is None or frame.schema != held[0].schema or sum(f.height for f in held) >= COPY_ROWS):
            whole = pl.concat(held)
            whole.write_parquet(half / f"{number:08}.parquet")
            written.append((f"{number:08}.parquet", whole.height, whole.schema))
            held = []
        if frame is None:
            break
        held.append(frame)
    _complete(half, written)
    half.rename(folder)
    return [BatchRef(str(folder / name), 0, rows, 0) for name, rows, _ in written]


def frame_of(table: Table) -> pl.DataFrame:
    """Return a table as a frame of texts and lists of texts."""
    sets = {name: lists(held.offsets, held.entries, held.names) for name, held in table.sets.items()}
    return pl.DataFrame(table.columns | sets)


def _complete(folder: Path, written: list[tuple[str, int, pl.Schema]]) -> None:
    """Write files again that lack a column, or have nothing but missing texts where later ones have sets."""
    if not written:
        return
    schema = written[-1][2]
    for name, _, found in written:
        if found != schema:
            frame = pl.read_parquet(folder / name, memory_map=False)
            empty = {c: pl.lit(None if kind == pl.String else [], kind) for c, kind in schema.items() if found.get(c) != kind}
            frame.with_columns(**empty).select(schema.names()).write_parquet(folder / name)


def _height(path: Path) -> int:
    """Return the number of rows of a Parquet file."""
    try:
        with without_panic(f"{path}: {DAMAGED}"):
            return int(pl.scan_parquet(path).select(pl.len()).collect().item())
    except BROKEN:
        raise InputError(DAMAGED, file=path) from None
