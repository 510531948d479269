"""Typed tables: Parquet and Feather files, and any DataFrame that speaks the Arrow interface (pandas, polars, pyarrow)."""

import hashlib
import io
import re
from typing import Any

import polars as pl

from anonset.data.coding import SLICE, as_text, sets_of_lists
from anonset.data.formats.footers import check_declared
from anonset.data.packing import check_size
from anonset.data.places import Part, PartFiles
from anonset.data.sources import File, fingerprint, whole
from anonset.data.table import ItemSets, Table, require_width
from anonset.errors import InputError
from anonset.model.dataset import Source
from anonset.model.panics import without_panic
from anonset.model.progress import Progress, silent

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
