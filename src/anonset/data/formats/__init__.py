"""The formats a dataset is read from: one reader a file, all listed here."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from anonset.errors import InputError
from anonset.model.progress import Progress, silent

if TYPE_CHECKING:
    from anonset.data.table import Table


class Reader(NamedTuple):
    """What file names of a format end in, the function that reads it (loaded when it is used), and the column delimiter."""

    suffixes: tuple[str, ...]
    home: str
    delimiter: str | None = None  # "" where it is found out, None where there is none


READERS: dict[str, Reader] = {
    "csv": Reader((".csv",), "delimited:read_delimited", ""),
    "tsv": Reader((".tsv", ".tab"), "delimited:read_delimited", "\t"),
    "parquet": Reader((".parquet", ".pq"), "frames:read_parquet"),
    "jsonl": Reader((".jsonl", ".ndjson"), "json_lines:read_json_lines"),
    "fimi": Reader((".dat",), "baskets:read_fimi"),
    "spmf": Reader((".spmf", ".txt"), "baskets:read_spmf"),
}


def format_of(path: Path) -> str:
    """The format that a file's name ends in, with or without .gz."""
    name = path.name.lower().removesuffix(".gz")
    for format, reader in READERS.items():
        if name.endswith(reader.suffixes):
            return format
    endings = " ".join(suffix for reader in READERS.values() for suffix in reader.suffixes)
    raise InputError(f"must end in {endings} (.gz may follow), or the format be given: {', '.join(READERS)}", file=path)


def read_file(path: Path, format: str | None = None, delimiter: str | None = None, progress: Progress = silent) -> "Table":
    """The table in a file, before its columns mean anything."""
    if format is not None and format not in READERS:
        raise InputError(f"format must be one of {', '.join(READERS)}; got {format!r}")
    reader = READERS[format or format_of(path)]
    module, function = reader.home.split(":")
    options: dict[str, Any] = {"progress": progress}
    if reader.delimiter is not None:
        options["delimiter"] = delimiter or reader.delimiter or None
    table: Table = getattr(import_module(f"{__name__}.{module}"), function)(path, **options)
    return table
