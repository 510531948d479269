"""Tables in memory: any DataFrame with the Arrow interface, and typed columns as texts and item sets."""

import hashlib
import re
from typing import Any

import polars as pl

from anonset.data.coding import SLICE, ItemSets, Table, as_text, require_width, sets_of_lists
from anonset.errors import InputError
from anonset.model.dataset import Source

UNNAMED_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls it


class _Stream:
    """A DataFrame stripped of everything but the Arrow interface, so that all libraries are read in one way."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def is_frame(source: Any) -> bool:
    """Whether an object has the Arrow stream interface."""
    return hasattr(source, "__arrow_c_stream__")


def read_frame(source: Any, *, with_hash: bool = True) -> Table:
    """The table in a DataFrame; list columns are item sets, an index without a name is left out.

    `with_hash`: whether to hash the content as its source.
    """
    try:
        frame = pl.DataFrame(_Stream(source))
    except ImportError:
        raise InputError("this DataFrame can be read only where the package pyarrow is installed") from None
    except pl.exceptions.DuplicateError:
        raise InputError("the DataFrame has two columns with the same name") from None
    except Exception as error:  # libraries have their own error classes
        raise InputError(_unreadable(source, type(error).__name__)) from None
    frame = frame.drop([name for name in frame.columns if UNNAMED_INDEX.fullmatch(name)])
    columns, sets = texts_and_sets(frame, None)
    return Table(columns, (hashed(columns, sets, "DataFrame"),) if with_hash else (), None, sets)


def _unreadable(source: Any, error: str) -> str:
    """Why a DataFrame cannot be exported to Arrow, as far as pandas can tell."""
    if getattr(source, "ndim", 2) == 1:
        return f"a DataFrame is expected; got {type(source).__name__}: to_frame() makes one of it"
    names = [*getattr(source, "columns", ())]
    if len(set(names)) < len(names):
        return "the DataFrame has two columns with the same name"
    for name in names if hasattr(source, "loc") else ():
        try:
            pl.DataFrame(_Stream(source[[name]]))
        except Exception:
            return f"the column {name} holds what Arrow cannot take, such as values of several types; astype(str) makes texts"
    return f"the DataFrame cannot be read through Arrow ({error})"


def texts_and_sets(frame: pl.DataFrame, file: str | None, first: int = 0) -> tuple[dict[str, pl.Series], dict[str, ItemSets]]:
    """The plain columns as texts, and the list columns as item sets; `first` is the number of the first record."""
    if frame.width == 0 or frame.height == 0:
        raise InputError("has no records" if frame.width else "has no columns", file=file)
    require_width(frame.width, file)
    columns, sets = {}, {}
    for name in frame.columns:
        if not name.strip():
            raise InputError("every column needs a name", file=file)

        def error(message: str, row: int | None, name: str = name) -> InputError:
            return InputError(message if row is None else f"record {first + row + 1}: {message}", file=file, column=name)

        if isinstance(frame[name].dtype, pl.List | pl.Array):
            sets[name] = sets_of_lists(frame[name], error)
        else:
            columns[name] = as_text(frame[name], error).str.strip_chars()
    return columns, sets


def hashed(columns: dict[str, pl.Series], sets: dict[str, ItemSets], called: str) -> Source:
    """A hash of the content of a table that is not a file."""
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
