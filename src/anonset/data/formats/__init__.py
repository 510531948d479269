"""The formats of files: one file a format or two that are close, and one line each here.

Readers, writers and interfaces use FORMATS. The verifier does not: it has its own reader of published files.
A plug-in registers a `Format` or a `ReleaseFormat` in the entry-point group ``anonset.formats``.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from anonset.data.coding import Table
from anonset.data.files import SUFFIXES, ZIP, BufferedBytes, File, PartFiles, as_input_errors, chunks, member_of
from anonset.data.formats.base import Format, ReleaseFormat
from anonset.data.formats.baskets import FIMI, SPMF
from anonset.data.formats.delimited import CSV, TSV
from anonset.data.formats.json_lines import JSON, JSON_LINES
from anonset.data.formats.parquet import FEATHER, PARQUET
from anonset.data.formats.workbooks import XLSX
from anonset.errors import InputError
from anonset.model.progress import Progress, silent
from anonset.plugins import FORMAT_GROUP, Registry

REGISTERED: tuple[Format, ...] = (
    CSV,
    TSV,
    PARQUET,
    FEATHER,
    JSON_LINES,
    JSON,
    XLSX,
    FIMI,
    SPMF,
)


def _faults(id: str, value: Any) -> list[str]:
    """What keeps an object from being a format."""
    if not isinstance(value, Format):
        return ["it is not a value of anonset.data.formats.base.Format"]
    found = [] if value.id == id else [f"its id is {value.id!r}"]
    taken = next((suffix for other in REGISTERED for suffix in other.suffixes if suffix in value.suffixes), None)
    if taken is not None or not value.suffixes:
        found.append("it has no suffix" if taken is None else f"its suffix {taken} is that of another format")
    if isinstance(value, ReleaseFormat) and value.reader is None:
        found.append("it has no reader for the verifier")
    return found


FORMATS: Registry[Format] = Registry("format", FORMAT_GROUP, {format.id: format for format in REGISTERED}, _faults)


class _ReleaseFormats(Mapping[str, ReleaseFormat]):
    """The formats that releases can be written in."""

    def __getitem__(self, id: str) -> ReleaseFormat:
        if isinstance(format := FORMATS[id], ReleaseFormat):
            return format
        raise KeyError(id)

    def __iter__(self) -> Iterator[str]:
        return (id for id, format in FORMATS.items() if isinstance(format, ReleaseFormat))

    def __len__(self) -> int:
        return sum(1 for _ in self)


RELEASE_FORMATS = _ReleaseFormats()
WORKBOOK = b"[Content_Types].xml"  # a file in every workbook, which is a zip file too


def release_formats() -> str:
    """The ids of the built-in formats of releases, for help texts: csv, parquet or fimi."""
    *others, last = (format.id for format in REGISTERED if isinstance(format, ReleaseFormat))
    return f"{', '.join(others)} or {last}"


def format_of(file: File | PartFiles) -> str:
    """The format by the suffix of a file, or of the file inside a zip file; by the content for bytes without a name."""
    if isinstance(file, PartFiles):
        return "parquet"
    name = file.name.lower()
    if name.endswith(".zip") or (isinstance(file, BufferedBytes) and file.data.startswith(ZIP) and WORKBOOK not in file.data):
        with as_input_errors(file), file.open("rb") as raw:
            name = member_of(raw, str(file)).filename.lower()
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    for format in FORMATS.values():
        if name.endswith(format.suffixes):
            return format.id
    if isinstance(file, BufferedBytes) and "." not in name:
        return _sniffed(file)
    endings = " ".join(suffix for format in FORMATS.values() for suffix in format.suffixes)
    way_out = f"({' '.join(SUFFIXES)} may follow), or the format be given: {', '.join(FORMATS)}"
    raise InputError(f"must end in {endings} {way_out}", file=str(file))


def _sniffed(file: BufferedBytes) -> str:
    """The format by the first bytes; delimited text if nothing else matches."""
    start = file.data if file.data.startswith(ZIP) else next(chunks(file), b"")
    start = start[: 1 << 16].removeprefix(b"\xef\xbb\xbf").lstrip()
    for format in FORMATS.values():
        if (sign := format.magic or format.text_start) and start.startswith(sign):
            return format.id
    words = start.rpartition(b"\n")[0].split() or start.split()
    return "fimi" if words and all(word.isdigit() for word in words) else "csv"


def read_file(
    file: File | PartFiles,
    format: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    progress: Progress = silent,
) -> Table:
    """The table in a file, as texts and item sets without roles."""
    chosen, given = _chosen(file, format, delimiter, sheet)
    with FORMATS.blamed(chosen.id):
        return chosen.read(file, progress=progress, **given)


def file_batches(
    file: File | PartFiles,
    format: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    progress: Progress = silent,
) -> Iterator[Table]:
    """The same table in batches of rows; a format that has no batches is read as one."""
    chosen, given = _chosen(file, format, delimiter, sheet)
    if chosen.batches is None:
        yield read_file(file, format, delimiter, sheet, progress)
        return
    with FORMATS.blamed(chosen.id):
        yield from chosen.batches(file, progress=progress, **given)


def _chosen(
    file: File | PartFiles, format: str | None, delimiter: str | None, sheet: str | None
) -> tuple[Format, dict[str, Any]]:
    """The format of a file, and the options for its reader."""
    if format is not None and format not in FORMATS:
        raise InputError(f"format must be one of {', '.join(FORMATS)}; got {format!r}")
    chosen = FORMATS[format or format_of(file)]
    if isinstance(file, PartFiles) and not chosen.in_parts:
        raise InputError("several files that are one table must be Parquet files", file=str(file))
    if sheet is not None and "sheet" not in chosen.options:
        raise InputError("a sheet is given, but only xlsx files have sheets", file=str(file))
    given: dict[str, Any] = {"delimiter": delimiter or None, "sheet": sheet}
    return chosen, {name: given[name] for name in chosen.options}
