"""Parquet and Feather: columns of numbers, texts and lists; and how many values a file declares, before it is read.

A release has numbers as numbers where every value of a column is exact, and two columns for ranges.
"""

import io
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from pathlib import Path
from struct import unpack_from
from typing import Any

import numpy as np
import polars as pl

from anonset.data.coding import Table
from anonset.data.files import SUFFIXES, File, Part, PartFiles, as_input_errors, check_size, chunks, fingerprint, whole
from anonset.data.formats.base import Guide, Published, ReleaseFormat
from anonset.data.formats.frames import texts_and_sets
from anonset.data.formats.tokens import (
    CERTAIN_MARK,
    UNCERTAIN,
    coded,
    column_from_tokens,
    column_tokens,
    exploded,
    free_name,
    items_from_tokens,
    lists,
    range_text,
    ranges,
    token_sets,
)
from anonset.errors import GuaranteeViolated, InputError
from anonset.model.arrays import Ids, Offsets, Reals
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.literals import LONGEST
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.sets import rows_of
from anonset.runtime.native_panics import without_panic

BATCH = 1 << 17  # rows of a batch
Bytes = bytes | mmap
VALUE = 8  # least bytes of a value in memory
DAMAGED = (LookupError, ValueError, ArithmeticError, TypeError, AttributeError, RecursionError, struct.error)
ROW_GROUPS, COLUMNS, META, NUM_VALUES = 4, 1, 3, 5  # field numbers in the footer of Parquet
BATCHES, DICTIONARIES, HEADER, NODES, DATA = 3, 2, 2, 1, 1  # field numbers in the footer of Arrow IPC
BLOCK, NODE, DICTIONARY_BATCH, CONTINUED = 24, 16, 2, b"\xff\xff\xff\xff"


def check_declared(data: Bytes, kind: str, shown: str) -> None:
    """Raise if the footer is damaged, or declares more values than the size limit allows."""
    try:
        values = parquet_values(data) if kind == "Parquet" else feather_values(data)
    except DAMAGED:
        raise InputError(f"is not a complete {kind} file", file=shown) from None
    check_size(VALUE * values, len(data), shown)


def parquet_values(data: Bytes) -> int:
    """The values in all columns of a Parquet file."""
    (length,) = unpack_from("<I", data, len(data) - 8)
    footer = _Compact(data[max(0, len(data) - 8 - length) : len(data) - 8]).struct()
    return sum(chunk[META][NUM_VALUES] for group in footer[ROW_GROUPS] for chunk in group[COLUMNS])


def feather_values(data: Bytes) -> int:
    """The values in all columns and dictionaries of an Arrow IPC file."""
    (length,) = unpack_from("<i", data, len(data) - 10)
    footer = _root(data, len(data) - 10 - length)
    return sum(
        _values_of_batch(data, place)
        for field in (DICTIONARIES, BATCHES)
        for place in _vector(data, _at(data, footer, field), BLOCK)
    )


class _Compact:
    """Thrift's compact protocol: structs as dictionaries by field number."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def number(self) -> int:
        found = shift = 0
        while (byte := self.byte()) & 0x80:
            found, shift = found | (byte & 0x7F) << shift, shift + 7
        return found | byte << shift

    def signed(self) -> int:
        number = self.number()
        return number >> 1 ^ -(number & 1)

    def struct(self) -> dict[int, Any]:
        found: dict[int, Any] = {}
        field = 0
        while head := self.byte():
            field = field + (head >> 4) if head >> 4 else self.signed()
            found[field] = self.value(head & 0x0F)
        return found

    def value(self, kind: int) -> Any:
        match kind:
            case 1 | 2:
                return kind == 1
            case 3:
                return self.byte()
            case 4 | 5 | 6:
                return self.signed()
            case 7:
                self.place += 8
            case 8:
                length = self.number()
                self.place += length
            case 9 | 10:
                head = self.byte()
                size = head >> 4 if head >> 4 < 15 else self.number()
                kind = head & 0x0F
                return [self.value(3 if kind < 3 else kind) for _ in range(size)]  # booleans take a byte in lists
            case 12:
                return self.struct()
            case _:
                raise ValueError(kind)
        return None


def _root(data: Bytes, place: int) -> int:
    return place + int(unpack_from("<I", data, place)[0])


def _at(data: Bytes, table: int, field: int) -> int:
    """Where a field of a flatbuffers table is, after its offset if it has one; 0 if it is left out."""
    entries = table - unpack_from("<i", data, table)[0]
    size, _ = unpack_from("<HH", data, entries)
    if 4 + 2 * field >= size:
        return 0
    (offset,) = unpack_from("<H", data, entries + 4 + 2 * field)
    return _root(data, table + offset) if offset else 0


def _vector(data: Bytes, place: int, width: int) -> Iterator[int]:
    """The places of the elements of a vector."""
    size = unpack_from("<I", data, place)[0] if place else 0
    return (place + 4 + width * n for n in range(size))


def _values_of_batch(data: Bytes, block: int) -> int:
    (start,) = unpack_from("<q", data, block)
    message = _root(data, start + (8 if data[start : start + 4] == CONTINUED else 4))
    batch = _at(data, message, HEADER)
    (kind,) = unpack_from("<B", data, message + unpack_from("<H", data, message - unpack_from("<i", data, message)[0] + 6)[0])
    if kind == DICTIONARY_BATCH:
        batch = _at(data, batch, DATA)
    return sum(unpack_from("<q", data, node)[0] for node in _vector(data, _at(data, batch, NODES), NODE))


def read_parquet(path: File | PartFiles, progress: Progress = silent) -> Table:
    """The table in a Parquet file, or in several; list columns are item sets."""
    parts = path.parts if isinstance(path, PartFiles) else (Part(path),)
    frames: list[pl.DataFrame] = []
    for n, part in enumerate(parts):
        frame = _columnar(part.file, "Parquet", lambda done, n=n: progress((n + done) / len(parts)))  # type: ignore[misc]
        frame = frame.with_columns(pl.lit(value, pl.String).alias(column) for column, value in part.values)
        if frames and frame.schema != frames[0].schema:
            raise InputError(f"has other columns, or of other types, than {parts[0].file.name}", file=str(part.file))
        frames.append(frame)
    columns, sets = texts_and_sets(pl.concat(frames, rechunk=False), str(path))
    return Table(columns, tuple(fingerprint(part.file) for part in parts), str(path), sets)


def read_feather(path: File, progress: Progress = silent) -> Table:
    """The table in a Feather (Arrow IPC) file; list columns are item sets."""
    columns, sets = texts_and_sets(_columnar(path, "Feather", progress), str(path))
    return Table(columns, (fingerprint(path),), str(path), sets)


def parquet_batches(path: File | PartFiles, progress: Progress = silent, rows: int = BATCH) -> Iterator[Table]:
    """The rows of a Parquet file, or of several, in batches."""
    parts = path.parts if isinstance(path, PartFiles) else (Part(path),)
    schema: dict[str, pl.DataType] | None = None
    for n, part in enumerate(parts):
        with _on_disk(part.file, "Parquet", str(path)) as name:
            for start, frame in _slices(pl.scan_parquet(name), rows, part.file, "Parquet"):
                frame = frame.with_columns(pl.lit(value, pl.String).alias(column) for column, value in part.values)
                if schema is not None and frame.schema != schema:
                    raise InputError(f"has other columns, or of other types, than {parts[0].file.name}", file=str(part.file))
                schema = dict(frame.schema)
                columns, sets = texts_and_sets(frame, str(path), start)
                progress(n / len(parts))
                yield Table(columns, (), str(path), sets)


def feather_batches(path: File, progress: Progress = silent, rows: int = BATCH) -> Iterator[Table]:
    """The rows of a Feather file in batches."""
    with _on_disk(path, "Feather", str(path)) as name:
        for start, frame in _slices(pl.scan_ipc(name), rows, path, "Feather"):
            columns, sets = texts_and_sets(frame, str(path), start)
            progress(0.0)
            yield Table(columns, (), str(path), sets)


@contextmanager
def _on_disk(file: File, kind: str, shown: str) -> Iterator[Path]:
    """The file where it can be read in any order, decompressed; a damaged one is refused."""
    with as_input_errors(file), tempfile.NamedTemporaryFile(prefix="anonset-") as copy:
        name = file if isinstance(file, Path) and not file.name.lower().endswith(SUFFIXES) else Path(copy.name)
        if not isinstance(file, Path) or name is not file:
            for piece in chunks(file):
                copy.write(piece)
            copy.flush()
        if not name.stat().st_size:
            raise InputError("is empty", file=shown)
        with name.open("rb") as raw, mmap(raw.fileno(), 0, access=ACCESS_READ) as data:
            check_declared(data, kind, shown)
        yield name


def _slices(frame: pl.LazyFrame, rows: int, file: File, kind: str) -> Iterator[tuple[int, pl.DataFrame]]:
    """The rows of a file, so many at a time, with the number of the first; a file may store a repeated text once."""
    damaged = InputError(f"is not a complete {kind} file", file=str(file))
    size, total, start = _size(file), 0, 0
    while True:
        try:
            with without_panic(str(damaged)):
                found = frame.slice(start, rows).collect()
        except (pl.exceptions.PolarsError, OSError, ValueError):
            raise damaged from None
        if not found.height:
            if not start:
                raise InputError("has no records" if found.width else "has no columns", file=str(file))
            return
        total += sum(map(text_length, found.iter_columns()))
        check_size(total, size, str(file))
        yield start, found
        start += found.height


def _size(file: File) -> int:
    with file.open("rb") as raw:
        return raw.seek(0, io.SEEK_END)


def _columnar(file: File, kind: str, progress: Progress) -> pl.DataFrame:
    data = whole(file, progress)
    if not data:
        raise InputError("is empty", file=str(file))
    check_declared(data, kind, str(file))
    damaged = InputError(f"is not a complete {kind} file", file=str(file))
    try:
        with without_panic(str(damaged)):
            frame = pl.read_parquet(io.BytesIO(data)) if kind == "Parquet" else pl.read_ipc(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError, ValueError):
        raise damaged from None
    check_size(sum(map(text_length, frame.iter_columns())), len(data), str(file))
    return frame


def text_length(column: pl.Series) -> int:
    """The total length of all texts of a column; a file may store a repeated text once."""
    while isinstance(column.dtype, pl.List | pl.Array):
        column = column.explode()
    if isinstance(column.dtype, pl.String):
        return int(column.str.len_bytes().cast(pl.Int64).sum())
    return int(column.cat.len_bytes().cast(pl.Int64).sum()) if isinstance(column.dtype, pl.Categorical | pl.Enum) else 0


def exact_numbers(column: PublishedColumn, original: Column) -> Reals | None:
    """The number behind each label; None where the original has no numbers or a label stands for several."""
    if isinstance(column.labels, Ranges):
        return column.labels.low if (column.labels.low == column.labels.high).all() else None
    if original.values is None or (np.diff(column.labels.offsets) != 1).any():
        return None
    exact: Reals = original.values[column.labels.members]
    return exact


def number_series(values: Reals, codes: Ids) -> pl.Series:
    """The numbers of the records by code, as integers if all are whole; -1 is missing."""
    whole = bool((values == np.floor(values)).all() and (np.abs(values) < LONGEST).all())
    typed = pl.Series(values, dtype=pl.Float64).cast(pl.Int64 if whole else pl.Float64)
    return typed.extend_constant(None, 1).gather(places(codes, len(values)))


def places(codes: Ids, missing: int) -> Ids:
    """The codes with `missing` in place of -1."""
    return np.where(codes < 0, np.int32(missing), codes)


def write_parquet(release: Release, original: Dataset, path: Path) -> list[Guide]:
    """Write the records; the guides say how to read each attribute."""
    frame, guides = typed_frame(release, original)
    write_parquet_frame(frame, path)
    return guides


def write_parquet_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write typed columns as they are."""
    frame.write_parquet(path)


def read_back_parquet(path: Path, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
    """The published columns and items of a file that `write` wrote."""
    frame = pl.read_parquet(path, memory_map=False)  # Windows cannot move a folder that contains a mapped file
    return from_typed_frame(frame, path.name, guides, original, suppressed)


def typed_frame(release: Release, original: Dataset, *, part: bool = False) -> tuple[pl.DataFrame, list[Guide]]:
    """The records as columns of numbers, texts and lists, and how to read each attribute.

    A part of a release has the columns and the types that any other part would have.
    """
    taken = [*(column.name for column in release.columns), original.item_column]
    frame: dict[str, pl.Series] = {}
    guides = []
    for column in release.columns:
        source = original.column(column.name)
        tokens, guide = column_tokens(column, source)
        if part and isinstance(column.labels, Ranges):
            guide, series = _numbers_of_part(column, guide, taken, source)
            frame |= series
        elif not part and (exact := exact_numbers(column, source)) is not None:
            frame[column.name] = number_series(exact, column.codes)
            guide["generalized"] = {}
        elif isinstance(column.labels, Ranges):
            guide, series = _ranges(column, guide, taken)
            frame |= series
        else:
            frame[column.name] = pl.Series([*tokens, None], dtype=pl.String).gather(places(column.codes, len(tokens)))
        guides.append(guide)
    if release.items is not None:
        guide, series = _sets(release.items, original.item_column, taken)
        frame |= series
        guides.append(guide)
    return pl.DataFrame(frame), guides


def from_typed_frame(frame: pl.DataFrame, name: str, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
    """The published columns and items of a frame that `typed_frame` made."""
    named = {name for guide in guides for name in _columns(guide)}
    if set(frame.columns) != named:
        odd = min(set(frame.columns) ^ named)
        raise GuaranteeViolated(f"{name} and about.json disagree about the column {odd!r}")
    columns, items = [], None
    for guide in guides:
        if guide["role"] == "items":
            assert original.transactions is not None
            items = _read_sets(frame, guide, original.transactions.domain, suppressed)
        elif guide["labels"] == "ranges":
            columns.append(_read_numbers(frame, guide))
        else:
            source = original.column(guide["name"])
            texts, codes = coded(as_domain_texts(frame[guide["column"]], source))
            columns.append(column_from_tokens(texts, codes, guide, source))
    return tuple(columns), items


def as_domain_texts(values: pl.Series, original: Column) -> pl.Series:
    """The values as texts, numbers in the spelling of the original."""
    if not values.dtype.is_numeric() or original.values is None:
        return values
    spelled = dict(zip(original.values.tolist(), original.domain, strict=True))
    texts = [None if value is None else spelled.get(value, repr(value)) for value in values.to_list()]
    return pl.Series(texts, dtype=pl.String)


def _columns(guide: Guide) -> list[str]:
    return list(guide["columns"].values()) if "columns" in guide else [guide["column"]]


def _ranges(column: PublishedColumn, guide: Guide, taken: list[str]) -> tuple[Guide, dict[str, pl.Series]]:
    assert isinstance(column.labels, Ranges)
    names = {"lo": free_name(f"{column.name}.lo", taken), "hi": free_name(f"{column.name}.hi", taken)}
    guide = {key: value for key, value in guide.items() if key not in ("generalized", "column")}
    low, high = (number_series(side, column.codes) for side in (column.labels.low, column.labels.high))
    return guide | {"columns": names}, {names["lo"]: low, names["hi"]: high}


def _numbers_of_part(
    column: PublishedColumn, guide: Guide, taken: list[str], source: Column
) -> tuple[Guide, dict[str, pl.Series]]:
    """Two columns for a quasi column, one for any other; whole numbers where the original has no others."""
    assert source.values is not None
    assert isinstance(column.labels, Ranges)
    kind = number_series(source.values, np.zeros(0, np.int32)).dtype
    guide, series = _ranges(column, guide | {"generalized": {}}, taken)
    ends = [end.cast(kind) for end in series.values()]
    if column.role == "quasi":
        return guide, dict(zip(series, ends, strict=True))
    return {name: value for name, value in guide.items() if name != "columns"} | {"column": column.name}, {column.name: ends[0]}


def _read_numbers(frame: pl.DataFrame, guide: Guide) -> PublishedColumn:
    names = guide.get("columns", {"lo": guide.get("column"), "hi": guide.get("column")})
    low, high = (frame[names[side]].cast(pl.Float64) for side in ("lo", "hi"))
    there = (low.is_not_null() & high.is_not_null()).to_numpy()
    if (low.is_null() != high.is_null()).any():
        raise GuaranteeViolated(f"{guide['name']}: a published range has only one end")
    distinct, code = np.unique(np.stack([low.to_numpy()[there], high.to_numpy()[there]]), axis=1, return_inverse=True)
    codes = np.full(len(frame), -1, np.int32)
    codes[there] = code
    pairs = list(zip(*distinct.tolist(), strict=True))
    return PublishedColumn(guide["name"], guide["role"], codes, ranges(pairs, [range_text(*pair) for pair in pairs]))


def _sets(items: PublishedItems, name: str, taken: list[str]) -> tuple[Guide, dict[str, pl.Series]]:
    if isinstance(items, GeneralizedItems):
        sets = token_sets(items, name)
        return sets.guide, {name: lists(sets.offsets, sets.codes, sets.tokens)}
    parts = {part: free_name(f"{name}.{part}", taken) for part in ("base", "uncertain", "errors")}
    guide: dict[str, Any] = {"name": name, "role": "items", "kind": UNCERTAIN, "columns": parts}
    return guide, {
        parts["base"]: lists(items.base_offsets, items.base, items.domain),
        parts["uncertain"]: lists(items.distance_offsets, items.distance, items.domain),
        parts["errors"]: pl.Series(items.threshold),
    }


def _read_sets(frame: pl.DataFrame, guide: Guide, domain: tuple[str, ...], suppressed: Ids) -> PublishedItems:
    if guide["kind"] == CERTAIN_MARK:
        offsets, tokens = exploded(frame[guide["column"]])
        return items_from_tokens((offsets, *coded(tokens)), None, guide, domain, suppressed)
    base, doubt = (_read_items(frame[guide["columns"][part]], guide, domain) for part in ("base", "uncertain"))
    return UncertainItems(*base, *doubt, frame[guide["columns"]["errors"]].to_numpy().astype(np.int32), domain)


def _read_items(column: pl.Series, guide: Guide, domain: tuple[str, ...]) -> tuple[Offsets, Ids]:
    offsets, tokens = exploded(column)
    plain = {"name": guide["name"], "kind": CERTAIN_MARK, "generalized": {}}
    items = items_from_tokens((offsets, *coded(tokens)), None, plain, domain, np.zeros(0, np.int32))
    assert isinstance(items, GeneralizedItems)
    member = items.labels.members
    order = np.argsort(member[items.shown] + rows_of(items.offsets) * len(domain))
    return items.offsets, member[items.shown][order]


def write_feather(release: Release, original: Dataset, path: Path) -> list[Guide]:
    """Write the records; the guides say how to read each attribute."""
    frame, guides = typed_frame(release, original)
    write_feather_frame(frame, path)
    return guides


def write_feather_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write typed columns as they are."""
    frame.write_ipc(path, compression="zstd", compat_level=pl.CompatLevel.oldest())


def read_back_feather(path: Path, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
    """The published columns and items of a file that `write` wrote."""
    return from_typed_frame(pl.read_ipc(path.read_bytes()), path.name, guides, original, suppressed)


PARQUET = ReleaseFormat(
    id="parquet",
    suffixes=(".parquet", ".pq"),
    read=read_parquet,
    batches=parquet_batches,
    magic=b"PAR1",
    in_parts=True,
    write=write_parquet,
    read_back=read_back_parquet,
    write_frame=write_parquet_frame,
)
FEATHER = ReleaseFormat(
    id="feather",
    suffixes=(".feather", ".arrow", ".ipc"),
    read=read_feather,
    batches=feather_batches,
    magic=b"ARROW1",
    write=write_feather,
    read_back=read_back_feather,
    write_frame=write_feather_frame,
)
