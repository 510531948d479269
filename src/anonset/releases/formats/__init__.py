"""The formats a release is written in and read back from: one codec a file, all listed here."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.labels import PublishedColumn, PublishedItems
from anonset.model.release import Release
from anonset.releases.formats import baskets, delimited, json_lines, parquet, workbooks
from anonset.releases.formats.tokens import Guide


class Codec(NamedTuple):
    """The name of the file with the records, what writes it, and what reads it back."""

    file: str
    write: Callable[[Release, Dataset, Path], list[Guide]]
    read: Callable[[Path, list[Guide], Dataset, Ids], tuple[tuple[PublishedColumn, ...], PublishedItems | None]]


CODECS: dict[str, Codec] = {
    "csv": Codec("records.csv", delimited.write, delimited.read),
    "parquet": Codec("records.parquet", parquet.write, parquet.read),
    "feather": Codec("records.feather", parquet.write_feather, parquet.read_feather),
    "jsonl": Codec("records.jsonl", json_lines.write, json_lines.read),
    "xlsx": Codec("records.xlsx", workbooks.write, workbooks.read),
    "fimi": Codec("records.dat", baskets.write, baskets.read),
}
