"""Files: where data are (a file, a folder, a pattern, standard input, a remote address), opened, unpacked with a size limit,
hashed; and written whole or not at all.
"""

import codecs
import glob
import gzip
import hashlib
import io
import os
import shutil
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import IO, Any, Literal, Protocol
from urllib.parse import unquote

from anonset.errors import Fix, InputError, Set, without_password
from anonset.model.dataset import Source
from anonset.model.progress import Progress, silent
from anonset.threads import environment_limit


def require_free(path: Path, *, overwrite: bool) -> None:
    """Raise if the file exists and may not be overwritten; called before the work starts."""
    if path.exists() and not overwrite:
        raise InputError("exists already", file=path, fix=[Fix("choose another name"), Set("overwrite", True)])


def write_text(path: Path, text: str, *, mode: int = 0o666) -> None:
    """Write a text file atomically: the old file stays until the new one is on the disk.

    `mode`: its permissions, where the system has them.
    """
    draft = path.absolute().with_name(f".{path.name}.{token_hex(4)}")
    try:
        try:
            with open(draft, "x", encoding="utf-8", newline="", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=path) from None


SUFFIXES = (".gz", ".zst", ".zip")
GZIP, ZSTD, ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
MAGIC = {".gz": (GZIP, "gzip"), ".zst": (ZSTD, "zstd"), ".zip": (ZIP, "zip")}
FREE, TIMES = 1 << 28, 250  # a file may unpack to 256 MB, or to 250 times its size
RAISED_BY = "ANONSET_UNPACKED_TIMES"  # in the environment
STEP = 1 << 12  # bytes of a zstd file that are decompressed at a time


def unpacked(raw: IO[bytes], name: str, shown: str, size: int) -> Iterator[bytes]:
    """The decompressed bytes of a stream in chunks; its first bytes give the compression, which must match the file name."""
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
        raise InputError("is not a complete zip file: it is truncated or damaged", file=shown) from None
    with archive:
        inside = [info for info in archive.infolist() if not info.is_dir() and not info.filename.startswith("__MACOSX/")]
    if len(inside) != 1:
        raise InputError(f"holds {len(inside)} files; a zip file with one is expected: unpack it and name the one", file=shown)
    if inside[0].flag_bits & 1:
        raise InputError("is encrypted; unpack it first", file=shown)
    return inside[0]


def _opened(raw: IO[bytes], suffix: str, called: str, shown: str, size: int) -> Iterator[bytes]:
    damaged = InputError(f"is not a complete {called} file: it is truncated or damaged", file=shown)
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
    """Decompress the frames of a zstd file one by one; a stream reader would not notice a truncated frame."""
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
    """Raise if a file decompresses to more than the size limit."""
    times = environment_limit(RAISED_BY, TIMES)
    if unpacked > max(FREE, times * packed):
        raise InputError(f"unpacks to more than {times} times its size; if you trust it, {RAISED_BY} allows more", file=shown)


CHUNK = 1 << 25
BLANKS = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"


class File(Protocol):
    """A named source of bytes: a path, or bytes in memory."""

    @property
    def name(self) -> str:
        """The name without folders."""

    def open(self, mode: Literal["rb"], /) -> IO[bytes]:
        """A seekable stream of the bytes."""


@dataclass(frozen=True, slots=True)
class BufferedBytes:
    """Bytes in memory, from standard input, a pipe or the network."""

    address: str
    name: str
    data: bytes = field(repr=False)

    def __str__(self) -> str:
        return self.address

    def open(self, mode: Literal["rb"], /) -> IO[bytes]:
        """A stream of the bytes."""
        return io.BytesIO(self.data)


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """Bytes from standard input, a pipe or the network that were copied to a file."""

    address: str
    name: str
    path: Path

    def __str__(self) -> str:
        return self.address

    def open(self, mode: Literal["rb"], /) -> IO[bytes]:
        """A stream of the bytes."""
        return self.path.open(mode)


def trimmed(text: str) -> str:
    """The text without Unicode blanks around it; control characters stay."""
    return text.strip(BLANKS)


@contextmanager
def as_input_errors(file: str | Path | File) -> Iterator[None]:
    """Turn errors of the file system into InputErrors."""
    try:
        yield
    except FileNotFoundError:
        raise InputError("there is no such file", file=str(file)) from None
    except IsADirectoryError:
        raise InputError("is a folder; a file is expected", file=str(file)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or 'input/output error'}", file=str(file)) from None
    except ValueError as error:
        if "null byte" not in str(error):
            raise
        raise InputError("a file name must not contain a zero byte", file=str(file).replace("\0", "?")) from None


def fingerprint(file: File) -> Source:
    """The file's name, without its folders, and the hash of its bytes."""
    with as_input_errors(file), file.open("rb") as stream:
        digest = hashlib.sha256()
        while piece := stream.read(1 << 20):
            digest.update(piece)
        return Source(file.name, digest.hexdigest())


def chunks(file: File, progress: Progress = silent, size: int = CHUNK) -> Iterator[bytes]:
    """The file's bytes in chunks, decompressed."""
    with as_input_errors(file), file.open("rb") as raw:
        total = max(1, raw.seek(0, io.SEEK_END))
        raw.seek(0)
        for piece in unpacked(raw, file.name, str(file), size):
            progress(min(1.0, raw.tell() / total))
            yield piece


def whole(file: File, progress: Progress = silent) -> bytes:
    """All of the file's bytes, decompressed."""
    return b"".join(chunks(file, progress))


def text_bytes(path: File, progress: Progress = silent) -> bytes:
    """The bytes of a text file, checked to be UTF-8 and not empty, without a byte order mark."""
    return b"".join(text_chunks(path, progress))


def text_chunks(path: File, progress: Progress = silent, size: int = CHUNK) -> Iterator[bytes]:
    """The bytes of a text file in chunks of `size` or a little more, checked like `text_bytes`."""
    checked, held, begun = _CheckedText(path), b"", False
    for n, data in enumerate(_regrouped(chunks(path, progress, min(size, CHUNK)), size)):
        if n == 0 and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InputError("must be UTF-8 text; this looks like UTF-16", file=str(path))
        held += data.removeprefix(codecs.BOM_UTF8) if n == 0 else data
        checked.add(data)
        if begun or not (held.isspace() or not held):
            begun = True
            yield held
            held = b""
    checked.add(b"", final=True)
    if not begun:
        raise InputError("is empty", file=str(path))


def _regrouped(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in chunks of at least `size`."""
    held: list[bytes] = []
    total = 0
    for piece in pieces:
        held.append(piece)
        total += len(piece)
        if total >= size:
            yield b"".join(held)
            held, total = [], 0
    if held:
        yield b"".join(held)


def text(path: File) -> str:
    """The text of a small file."""
    return text_bytes(path).decode("utf-8")


class _CheckedText:
    """Checks chunks of a text, and names the line of the first byte that is no text."""

    def __init__(self, path: File) -> None:
        self.path, self.lines = path, 0
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def add(self, data: bytes, *, final: bool = False) -> None:
        """Check the next chunk."""
        held = len(self.decoder.getstate()[0])  # bytes of a character that began in the previous chunk
        try:
            self.decoder.decode(data, final=final)
        except UnicodeDecodeError as error:
            line = self.lines + data.count(b"\n", 0, max(0, error.start - held)) + 1
            raise InputError("must be UTF-8 text; this is a byte that is not", file=str(self.path), line=line) from None
        if (zero := data.find(b"\0")) >= 0:
            line = self.lines + data.count(b"\n", 0, zero) + 1
            raise InputError("must be text; this is a zero byte", file=str(self.path), line=line)
        self.lines += data.count(b"\n")


STANDARD_INPUT = "-"
PARTS = (".parquet", ".pq")
PATTERN = "*?["
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a folder, and the values that the names of its folders give (year=2020)."""

    file: File
    values: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class PartFiles:
    """Several files that are one table, in the order of their names."""

    address: str
    parts: tuple[Part, ...]

    def __str__(self) -> str:
        return self.address


def located(source: str | Path, folder: Path | None = None) -> File | PartFiles:
    """The file or files that a path, a pattern, a remote address or - (standard input) names.

    What is no file is read into memory, or copied to files in `folder`.
    """
    text = str(source)
    if isinstance(source, str) and "://" in source:
        return _remote(source, folder)
    if text == STANDARD_INPUT:
        return _received(sys.stdin.buffer, "standard input", "standard input", folder)
    path = Path(source)
    with as_input_errors(path):
        if path.is_dir():
            return _parts(text, [(p, p.relative_to(path).parts) for p in path.rglob("*") if p.is_file()])
        if path.is_fifo() or path.is_char_device():
            with path.open("rb") as stream:
                return _received(stream, text, path.name, folder)
        if not path.exists() and any(sign in text for sign in PATTERN):
            return _matching(text)
    return path


def _matching(pattern: str) -> File | PartFiles:
    found = sorted(Path(name) for name in glob.glob(pattern, recursive=True))
    files = [path for path in found if path.is_file()]
    if not files:
        raise InputError("no file matches this pattern", file=pattern)
    return files[0] if len(files) == 1 else _parts(pattern, [(path, path.parts) for path in files])


def _parts(address: str, found: Sequence[tuple[File, Sequence[str]]]) -> PartFiles:
    """The part files of a folder with the values in their folder names; names that begin with . or _ are skipped."""
    kept = [
        Part(file, tuple(_value(name) for name in names[:-1] if "=" in name))
        for file, names in sorted(found, key=lambda pair: tuple(pair[1]))
        if file.name.lower().endswith(PARTS) and not any(name.startswith((".", "_")) and name != ".." for name in names)
    ]
    if not kept:
        raise InputError("is a folder without Parquet files; a file, or a folder of those, is expected", file=address)
    return PartFiles(address, tuple(kept))


def _value(name: str) -> tuple[str, str | None]:
    column, _, value = name.partition("=")
    return column, None if value == NO_VALUE else unquote(value)


def remote_size(url: str) -> int:
    """The bytes of a remote file, folder or pattern."""
    with _fsspec_errors(without_password(url)):
        import fsspec

        system, root = fsspec.core.url_to_fs(url)
        names = system.glob(root) if any(sign in root for sign in PATTERN) else [root]
        return sum(int(system.du(name)) for name in names)


def _received(stream: IO[bytes], address: str, name: str, folder: Path | None) -> File:
    if folder is None:
        return BufferedBytes(address, name, stream.read())
    copy = folder / f"fetched-{hashlib.sha256(address.encode()).hexdigest()[:16]}"
    with copy.open("wb") as file:
        shutil.copyfileobj(stream, file, 1 << 20)
    return FetchedFile(address, name, copy)


def _remote(url: str, folder: Path | None) -> File | PartFiles:
    shown = without_password(url)
    with _fsspec_errors(shown):
        import fsspec

        system, root = fsspec.core.url_to_fs(url)
        if any(sign in root for sign in PATTERN):
            names = sorted(system.glob(root))
            base = ""
        elif system.isdir(root):
            names, base = sorted(system.find(root)), root.rstrip("/") + "/"
        else:
            return _held(system, root, shown, folder)
        found = [
            (_held(system, n, n, folder), PurePosixPath(n.removeprefix(base)).parts) for n in names if n.lower().endswith(PARTS)
        ]
    return _parts(shown, found)


def _held(system: Any, name: str, shown: str, folder: Path | None) -> File:
    if folder is None:
        return BufferedBytes(shown, PurePosixPath(name).name, system.cat_file(name))
    with system.open(name, "rb") as stream:
        return _received(stream, shown, PurePosixPath(name).name, folder)


@contextmanager
def _fsspec_errors(shown: str) -> Iterator[None]:
    """Turn errors of remote storage into InputErrors, without the libraries' messages, which may quote credentials."""
    try:
        yield
    except (FileNotFoundError, IsADirectoryError):
        raise InputError("there is no such file", file=shown) from None
    except PermissionError:
        raise InputError("cannot be read with the available credentials", file=shown) from None
    except ImportError as error:
        wanted = "fsspec" if error.name == "fsspec" else "the fsspec package for this kind of address (s3fs, gcsfs, adlfs, ...)"
        raise InputError(f"addresses need {wanted}: pip install 'anonset[remote]'", file=shown) from None
    except Exception as error:  # storage libraries have their own error classes
        raise InputError(f"cannot be read ({type(error).__name__})", file=shown) from None
