"""What a file format is: how datasets are read from it and, for some, how a release is written in it and read back."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anonset.data.coding import Table
from anonset.data.files import File
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.labels import PublishedColumn, PublishedItems
from anonset.model.release import Release

Guide = dict[str, Any]  # how to read one attribute of a published file, as about.json has it
Published = tuple[tuple[PublishedColumn, ...], PublishedItems | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format that datasets are read from.

    `read` takes the file, `progress`, and `delimiter` or `sheet` if `options` names them. `batches` takes the same and yields
    the table in batches of rows; without it the file is one batch. Columns may be added from batch to batch, as fields of JSON
    are. `magic` are the first bytes of a binary file, `text_start` the first character of a text file, if that identifies the
    format. `sheets` gives the names of the tables in a file that may hold several; `in_parts` says whether several files may
    be one table.
    """

    id: str
    suffixes: tuple[str, ...]
    read: Callable[..., Table]
    batches: Callable[..., Iterator[Table]] | None = None
    options: frozenset[str] = frozenset()
    magic: bytes = b""
    text_start: bytes = b""
    sheets: Callable[[File], tuple[str, ...]] | None = None
    in_parts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFormat(Format):
    """A format that releases are written in too.

    `write` writes the records and returns the guides that explain each attribute; `read_back` reads what `write` wrote.
    `reader` is the verifier's own reader of a plug-in's format (`anonset.verify.reading.formats` has those of the others): it
    takes the file and the guides and returns what each attribute shows. It must not share code with `write` and `read_back`.

    A release in parts has one file a part, written by `write_frame` from typed columns as they are, or by `write_part`, which
    also takes the items of the whole release, so that all parts spell them in the same way. A format with neither holds a
    release in one file only.
    """

    write: Callable[[Release, Dataset, Path], list[Guide]]
    read_back: Callable[[Path, list[Guide], Dataset, Ids], Published]
    reader: Callable[[Path, Sequence[Guide]], Any] | None = None
    write_frame: Callable[[pl.DataFrame, Path], None] | None = None
    write_part: Callable[[Release, Dataset, Path, PublishedItems | None], list[Guide]] | None = None

    @property
    def has_parts(self) -> bool:
        """Whether a release may be in several files of this format."""
        return self.write_frame is not None or self.write_part is not None

    @property
    def file(self) -> str:
        """The name of the file with the published records."""
        return f"records{self.suffixes[0]}"
