"""Typed tables: Parquet and Feather files, how many values they say they hold, and any DataFrame with the Arrow interface."""

import hashlib
import io
import re
import struct
from collections.abc import Iterator
from mmap import mmap
from struct import unpack_from
from typing import Any

import polars as pl

from anonset.data.coding import SLICE, ItemSets, Table, as_text, require_width, sets_of_lists
from anonset.data.files import File, Part, PartFiles, check_size, fingerprint, whole
from anonset.errors import InputError
from anonset.model.dataset import Source
from anonset.model.progress import Progress, silent
from anonset.runtime.native_panics import without_panic

Bytes = bytes | mmap
VALUE = 8  # bytes that a value takes at the very least once it is read
DAMAGED = (LookupError, ValueError, ArithmeticError, TypeError, AttributeError, RecursionError, struct.error)
ROW_GROUPS, COLUMNS, META, NUM_VALUES = 4, 1, 3, 5  # numbers of fields in Parquet's description of itself
BATCHES, DICTIONARIES, HEADER, NODES, DATA = 3, 2, 2, 1, 1  # and in Arrow's
BLOCK, NODE, DICTIONARY_BATCH, CONTINUED = 24, 16, 2, b"\xff\xff\xff\xff"


def check_declared(data: Bytes, kind: str, shown: str) -> None:
    """Raise where the file is damaged at its end, or would take beyond all measure more than its size."""
    try:
        values = parquet_values(data) if kind == "Parquet" else feather_values(data)
    except DAMAGED:
        raise InputError(f"is not a whole {kind} file", file=shown) from None
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
                return [self.value(3 if kind < 3 else kind) for _ in range(size)]  # yes and no take a byte here
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


UNNAMED_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls it


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


def _columnar(file: File, kind: str, progress: Progress) -> pl.DataFrame:
    data = whole(file, progress)
    if not data:
        raise InputError("is empty", file=str(file))
    check_declared(data, kind, str(file))
    damaged = InputError(f"is not a whole {kind} file", file=str(file))
    try:
        with without_panic(str(damaged)):
            frame = pl.read_parquet(io.BytesIO(data)) if kind == "Parquet" else pl.read_ipc(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError, ValueError):
        raise damaged from None
    check_size(sum(map(_length, frame.iter_columns())), len(data), str(file))
    return frame


def _length(column: pl.Series) -> int:
    """The bytes of all texts of a column, were each written out; a file may hold a long one once for many records."""
    while isinstance(column.dtype, pl.List | pl.Array):
        column = column.explode()
    if isinstance(column.dtype, pl.String):
        return int(column.str.len_bytes().cast(pl.Int64).sum())
    return int(column.cat.len_bytes().cast(pl.Int64).sum()) if isinstance(column.dtype, pl.Categorical | pl.Enum) else 0


class _Stream:
    """A DataFrame stripped of everything but the Arrow interface, so that all libraries are read in one way."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def is_frame(source: Any) -> bool:
    """Whether an object hands out its table through the Arrow interface."""
    return hasattr(source, "__arrow_c_stream__")


def read_frame(source: Any, *, with_hash: bool = True) -> Table:
    """The table in a DataFrame; list columns are item sets, an index without a name is left out.

    `with_hash`: whether a hash of what it holds is among its sources.
    """
    try:
        frame = pl.DataFrame(_Stream(source))
    except ImportError:
        raise InputError("this DataFrame can be read only where the package pyarrow is installed") from None
    except pl.exceptions.DuplicateError:
        raise InputError("the DataFrame has two columns of one name") from None
    except Exception as error:  # whatever the library that made the frame may raise
        raise InputError(_unreadable(source, type(error).__name__)) from None
    frame = frame.drop([name for name in frame.columns if UNNAMED_INDEX.fullmatch(name)])
    columns, sets = texts_and_sets(frame, None)
    return Table(columns, (hashed(columns, sets, "DataFrame"),) if with_hash else (), None, sets)


def _unreadable(source: Any, error: str) -> str:
    """Why Arrow cannot have a table, as far as a DataFrame of pandas tells."""
    if getattr(source, "ndim", 2) == 1:
        return f"a DataFrame is expected; got {type(source).__name__}: to_frame() makes one of it"
    names = [*getattr(source, "columns", ())]
    if len(set(names)) < len(names):
        return "the DataFrame has two columns of one name"
    for name in names if hasattr(source, "loc") else ():
        try:
            pl.DataFrame(_Stream(source[[name]]))
        except Exception:
            return f"the column {name} holds what Arrow cannot take, such as values of several types; astype(str) makes texts"
    return f"the DataFrame cannot be read through Arrow ({error})"


def texts_and_sets(frame: pl.DataFrame, file: str | None) -> tuple[dict[str, pl.Series], dict[str, ItemSets]]:
    """The plain columns as texts, and the list columns as item sets."""
    if frame.width == 0 or frame.height == 0:
        raise InputError("has no records" if frame.width else "has no columns", file=file)
    require_width(frame.width, file)
    columns, sets = {}, {}
    for name in frame.columns:
        if not name.strip():
            raise InputError("every column needs a name", file=file)

        def error(message: str, row: int | None, name: str = name) -> InputError:
            return InputError(message if row is None else f"record {row + 1}: {message}", file=file, column=name)

        if isinstance(frame[name].dtype, pl.List | pl.Array):
            sets[name] = sets_of_lists(frame[name], error)
        else:
            columns[name] = as_text(frame[name], error).str.strip_chars()
    return columns, sets


def hashed(columns: dict[str, pl.Series], sets: dict[str, ItemSets], called: str) -> Source:
    """A hash of what a table holds that has no bytes of its own."""
    digest = hashlib.sha256()
    for name, column in columns.items():
        digest.update(f"\x1dcolumn\x1f{name}\x1e".encode())
        for start in range(0, len(column), SLICE):
            texts = column.slice(start, SLICE).fill_null("\x00").to_list()
            digest.update(("\x1e".join(texts) + "\x1e").encode())
    for name, items in sets.items():
        digest.update(f"\x1dsets\x1f{name}\x1e".encode() + "\x1e".join(items.names).encode())
        digest.update(items.offsets.tobytes() + items.entries.tobytes())
    return Source(called, digest.hexdigest())
