"""What a file is, told by its bytes: names lie."""

import re
from itertools import islice
from pathlib import Path

from anonset.data.formats import READERS, WORKBOOK
from anonset.data.packing import GZIP, SUFFIXES, ZIP, ZSTD, member_of
from anonset.data.sources import as_input_errors, chunks
from anonset.errors import InputError

LOOKED_AT = 1 << 16
TYPED = {b"PAR1": "parquet", b"ARROW1": "feather"}
FIRST_BYTES: dict[bytes, str] = {  # what is no table, or none that can be read
    ZIP: "is a zip archive, and its name does not say so; unpack it, or name it .zip",
    b"PK\x05\x06": "is an empty zip archive",
    b"%PDF": "is a PDF; a table is expected",
    b"\x7fELF": "is a program; a table is expected",
    b"MZ": "is a program; a table is expected",
    b"SQLite format 3\0": "is an SQLite database; name it sqlite:///FILE, with a table; the workbench has From a database",
    GZIP: "is packed twice; unpack it once",
    ZSTD: "is packed twice; unpack it once",
    b"\xd0\xcf\x11\xe0": "is an old office file; save the table as CSV or .xlsx",
}
WHOLE_NUMBERS = re.compile(rb"[ \t]*-?\d+([ \t]+-?\d+)*[ \t]*\r?")


def judged_format(path: Path, name: str) -> str:
    """The format of a file by its content; where several would do, by the name it came with."""
    with as_input_errors(path), path.open("rb") as raw:
        start = raw.read(LOOKED_AT)
        if start.startswith(ZIP) and WORKBOOK in start:
            return "xlsx"
        if start.startswith(ZIP) and name.lower().endswith(".zip"):
            name = member_of(raw, str(path)).filename
        elif start.startswith(ZIP):
            raise InputError(FIRST_BYTES[ZIP], file=path)
    head = next(chunks(path, size=LOOKED_AT), b"")[:LOOKED_AT]
    if not head.strip():
        raise InputError("is empty", file=path)
    for begins, format in TYPED.items():
        if head.startswith(begins):
            return format
    for begins, complaint in FIRST_BYTES.items():
        if head.startswith(begins):
            raise InputError(complaint, file=path)
    if b"\0" in head:
        raise InputError("is no text and no table that is known; CSV, Parquet, Excel or JSON lines are", file=path)
    return _text_format(head.removeprefix(b"\xef\xbb\xbf"), _unpacked_name(name))


def packed_suffix(path: Path) -> str:
    """What the name of a packed file must end in; empty where it is not packed, or packed by its own format."""
    with path.open("rb") as raw:
        start = raw.read(LOOKED_AT)
    if start.startswith(ZIP):
        return "" if WORKBOOK in start else ".zip"
    return ".gz" if start.startswith(GZIP) else ".zst" if start.startswith(ZSTD) else ""


def _unpacked_name(name: str) -> str:
    lower = name.lower()
    for suffix in SUFFIXES:
        lower = lower.removesuffix(suffix)
    return lower


def _text_format(head: bytes, name: str) -> str:
    told = next((format for format, reader in READERS.items() if name.endswith(reader.suffixes)), "csv")
    lines = [line for line in islice(head.split(b"\n"), 50) if line.strip()]
    whole = lines[:-1] if len(lines) > 1 else lines
    if head.lstrip().startswith(b"{"):
        return "jsonl"
    if head.lstrip().startswith(b"[") and told == "json":
        return "json"
    if whole and all(WHOLE_NUMBERS.fullmatch(line) for line in whole) and any(b" " in line.strip() for line in whole):
        return "spmf" if all(line.rstrip().endswith(b"-2") for line in whole) else "fimi"
    return told if told in ("csv", "tsv", "fimi", "spmf") else "csv"
