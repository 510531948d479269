"""The formats a dataset is read from: one reader a file, all listed here."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from anonset.data.files import SUFFIXES, ZIP, BufferedBytes, File, PartFiles, as_input_errors, chunks, member_of
from anonset.errors import InputError
from anonset.model.progress import Progress, silent

if TYPE_CHECKING:
    from anonset.data.coding import Table


class Reader(NamedTuple):
    """What file names of a format end in, the function that reads it (loaded when it is used), and what it can be told."""

    suffixes: tuple[str, ...]
    home: str
    delimiter: str | None = None  # "" where it is found out, None where there is none
    in_parts: bool = False  # whether several files may be one table
    has_sheets: bool = False


READERS: dict[str, Reader] = {
    "csv": Reader((".csv",), "delimited:read_delimited", ""),
    "tsv": Reader((".tsv", ".tab"), "delimited:read_delimited", "\t"),
    "parquet": Reader((".parquet", ".pq"), "frames:read_parquet", in_parts=True),
    "feather": Reader((".feather", ".arrow", ".ipc"), "frames:read_feather"),
    "jsonl": Reader((".jsonl", ".ndjson"), "json_lines:read_json_lines"),
    "json": Reader((".json",), "json_lines:read_json_array"),
    "xlsx": Reader((".xlsx",), "workbooks:read_workbook", has_sheets=True),
    "fimi": Reader((".dat",), "baskets:read_fimi"),
    "spmf": Reader((".spmf", ".txt"), "baskets:read_spmf"),
}
STARTS = {b"PAR1": "parquet", b"ARROW1": "feather", ZIP: "xlsx", b"[": "json", b"{": "jsonl", b"@": "spmf"}
WORKBOOK = b"[Content_Types].xml"  # a file in every workbook, which is a zip file too


def format_of(file: File | PartFiles) -> str:
    """The format that a file's name ends in, or that of the file in a zip file; of nameless bytes what they look like."""
    if isinstance(file, PartFiles):
        return "parquet"
    name = file.name.lower()
    if name.endswith(".zip") or (isinstance(file, BufferedBytes) and file.data.startswith(ZIP) and WORKBOOK not in file.data):
        with as_input_errors(file), file.open("rb") as raw:
            name = member_of(raw, str(file)).filename.lower()
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    for format, reader in READERS.items():
        if name.endswith(reader.suffixes):
            return format
    if isinstance(file, BufferedBytes) and "." not in name:
        return _sniffed(file)
    endings = " ".join(suffix for reader in READERS.values() for suffix in reader.suffixes)
    way_out = f"({' '.join(SUFFIXES)} may follow), or the format be given: {', '.join(READERS)}"
    raise InputError(f"must end in {endings} {way_out}", file=str(file))


def _sniffed(file: BufferedBytes) -> str:
    """The format that bytes look like; delimited text where they look like nothing else."""
    start = file.data if file.data.startswith(ZIP) else next(chunks(file), b"")
    start = start[: 1 << 16].removeprefix(b"\xef\xbb\xbf").lstrip()
    for sign, format in STARTS.items():
        if start.startswith(sign):
            return format
    words = start.rpartition(b"\n")[0].split() or start.split()
    return "fimi" if words and all(word.isdigit() for word in words) else "csv"


def read_file(
    file: File | PartFiles,
    format: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    progress: Progress = silent,
) -> "Table":
    """The table in a file, before its columns mean anything."""
    if format is not None and format not in READERS:
        raise InputError(f"format must be one of {', '.join(READERS)}; got {format!r}")
    reader = READERS[format or format_of(file)]
    if isinstance(file, PartFiles) and not reader.in_parts:
        raise InputError("several files that are one table must be Parquet files", file=str(file))
    if sheet is not None and not reader.has_sheets:
        raise InputError("a sheet is named, and only xlsx files have sheets", file=str(file))
    options: dict[str, Any] = {"progress": progress}
    if reader.delimiter is not None:
        options["delimiter"] = delimiter or reader.delimiter or None
    if reader.has_sheets:
        options["sheet"] = sheet
    module, function = reader.home.split(":")
    table: Table = getattr(import_module(f"{__name__}.{module}"), function)(file, **options)
    return table
