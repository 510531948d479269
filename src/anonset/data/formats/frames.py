"""Typed tables: Parquet files, and any DataFrame that speaks the Arrow interface (pandas, polars, pyarrow)."""

import hashlib
import io
import re
from pathlib import Path
from typing import Any

import polars as pl

from anonset.data.coding import SLICE, as_text, sets_of_lists
from anonset.data.sources import fingerprint, whole
from anonset.data.table import ItemSets, Table
from anonset.errors import InputError
from anonset.model.dataset import Source
from anonset.model.progress import Progress, silent

UNNAMED_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls it


def read_parquet(path: Path, progress: Progress = silent) -> Table:
    """The table in a Parquet file; list columns are item sets."""
    data = whole(path, progress)
    if not data:
        raise InputError("is empty", file=path)
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        raise InputError("is not a whole Parquet file", file=path) from None
    columns, sets = _texts_and_sets(frame, str(path))
    return Table(columns, (fingerprint(path),), str(path), sets)


class _Stream:
    """A DataFrame stripped of everything but the Arrow interface, so that all libraries are read in one way."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def is_frame(source: Any) -> bool:
    """Whether an object hands out its table through the Arrow interface."""
    return hasattr(source, "__arrow_c_stream__")


def read_frame(source: Any) -> Table:
    """The table in a DataFrame; list columns are item sets, an index without a name is left out."""
    try:
        frame = pl.DataFrame(_Stream(source))
    except ImportError:
        raise InputError("this DataFrame can be read only where the package pyarrow is installed") from None
    except pl.exceptions.DuplicateError:
        raise InputError("the DataFrame has two columns of one name") from None
    except Exception as error:  # whatever the library that made the frame may raise
        raise InputError(f"the DataFrame cannot be read through Arrow ({type(error).__name__})") from None
    frame = frame.drop([name for name in frame.columns if UNNAMED_INDEX.fullmatch(name)])
    columns, sets = _texts_and_sets(frame, None)
    return Table(columns, (_hashed(columns, sets),), None, sets)


def _texts_and_sets(frame: pl.DataFrame, file: str | None) -> tuple[dict[str, pl.Series], dict[str, ItemSets]]:
    if frame.width == 0 or frame.height == 0:
        raise InputError("has no records" if frame.width else "has no columns", file=file)
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


def _hashed(columns: dict[str, pl.Series], sets: dict[str, ItemSets]) -> Source:
    """A hash of what a DataFrame holds, since it has no bytes of its own."""
    digest = hashlib.sha256()
    for name, column in columns.items():
        digest.update(f"\x1dcolumn\x1f{name}\x1e".encode())
        for start in range(0, len(column), SLICE):
            texts = column.slice(start, SLICE).fill_null("\x00").to_list()
            digest.update(("\x1e".join(texts) + "\x1e").encode())
    for name, items in sets.items():
        digest.update(f"\x1dsets\x1f{name}\x1e".encode() + "\x1e".join(items.names).encode())
        digest.update(items.offsets.tobytes() + items.entries.tobytes())
    return Source("DataFrame", digest.hexdigest())
