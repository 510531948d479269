"""Packed files: gzip, zstd, and zip with one file in it, unpacked piece by piece and never beyond all measure."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from anonset.errors import InputError
from anonset.model.limits import limit

SUFFIXES = (".gz", ".zst", ".zip")
GZIP, ZSTD, ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
MAGIC = {".gz": (GZIP, "gzip"), ".zst": (ZSTD, "zstd"), ".zip": (ZIP, "zip")}
FREE, TIMES = 1 << 28, 250  # a file may unpack to 256 MB, or to 250 times its size
RAISED_BY = "ANONSET_UNPACKED_TIMES"  # in the environment
STEP = 1 << 12  # of a zstd file at a time: what a step unpacks to is bounded, if generously


def unpacked(raw: IO[bytes], name: str, shown: str, size: int) -> Iterator[bytes]:
    """The bytes of a stream in pieces; what it begins with tells whether and how it is packed, and must fit its name."""
    start = raw.read(4)
    packed = raw.seek(0, io.SEEK_END)
    raw.seek(0)
    for suffix, (magic, called) in MAGIC.items():
        if name.lower().endswith(suffix) and not start.startswith(magic):
            raise InputError(f"ends in {suffix} but is not a {called} file", file=shown)
        if start.startswith(magic):
            yield from _limited(_opened(raw, suffix, called, shown, size), packed, shown)
            return
    while piece := raw.read(size):
        yield piece


def member_of(raw: IO[bytes], shown: str) -> zipfile.ZipInfo:
    """The one file in a zip file."""
    try:
        archive = zipfile.ZipFile(raw)
    except zipfile.BadZipFile:
        raise InputError("is not a whole zip file: it is cut off or damaged", file=shown) from None
    with archive:
        inside = [info for info in archive.infolist() if not info.is_dir() and not info.filename.startswith("__MACOSX/")]
    if len(inside) != 1:
        raise InputError(f"holds {len(inside)} files; a zip file with one is expected: unpack it and name the one", file=shown)
    if inside[0].flag_bits & 1:
        raise InputError("is encrypted; unpack it first", file=shown)
    return inside[0]


def _opened(raw: IO[bytes], suffix: str, called: str, shown: str, size: int) -> Iterator[bytes]:
    damaged = InputError(f"is not a whole {called} file: it is cut off or damaged", file=shown)
    try:
        if suffix == ".zst":
            yield from _zstd(raw, shown, damaged)
            return
        with zipfile.ZipFile(raw).open(member_of(raw, shown)) if suffix == ".zip" else gzip.GzipFile(fileobj=raw) as stream:
            while piece := stream.read(size):
                yield piece
    except (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, NotImplementedError):
        raise damaged from None


def _zstd(raw: IO[bytes], shown: str, damaged: InputError) -> Iterator[bytes]:
    """The frames of a zstd file one after the other; a reader of streams would not tell a frame that is cut off."""
    try:
        import zstandard
    except ImportError:
        raise InputError("zstd files need the package zstandard: pip install 'anonset[zstd]'", file=shown) from None
    frame = zstandard.ZstdDecompressor().decompressobj()
    try:
        while piece := raw.read(STEP):
            while piece:
                if frame.eof:
                    frame = zstandard.ZstdDecompressor().decompressobj()
                yield frame.decompress(piece)
                piece = frame.unused_data if frame.eof else b""
    except zstandard.ZstdError:
        raise damaged from None
    if not frame.eof:
        raise damaged


def _limited(pieces: Iterator[bytes], packed: int, shown: str) -> Iterator[bytes]:
    total = 0
    for piece in pieces:
        total += len(piece)
        check_size(total, packed, shown)
        yield piece


def check_size(unpacked: int, packed: int, shown: str) -> None:
    """Raise where a file unpacks to more than a file in good faith does."""
    times = limit(RAISED_BY, TIMES)
    if unpacked > max(FREE, times * packed):
        raise InputError(f"unpacks to more than {times} times its size; if you trust it, {RAISED_BY} allows more", file=shown)
