"""What a file format is: how datasets are read from it and, for some, how a release is written in it and read back."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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

    `read` takes the file, `progress`, and `delimiter` or `sheet` if `options` names them. `magic` are the first bytes of a
    binary file, `text_start` the first character of a text file, if that identifies the format. `sheets` gives the names of
    the tables in a file that may hold several; `in_parts` says whether several files may be one table.
    """

    id: str
    suffixes: tuple[str, ...]
    read: Callable[..., Table]
    options: frozenset[str] = frozenset()
    magic: bytes = b""
    text_start: bytes = b""
    sheets: Callable[[File], tuple[str, ...]] | None = None
    in_parts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFormat(Format):
    """A format that releases are written in too.

    `write` writes the records and returns the guides that explain each attribute; `read_back` reads what `write` wrote.
    """

    write: Callable[[Release, Dataset, Path], list[Guide]]
    read_back: Callable[[Path, list[Guide], Dataset, Ids], Published]

    @property
    def file(self) -> str:
        """The name of the file with the published records."""
        return f"records{self.suffixes[0]}"
