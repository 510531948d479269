"""Files as bytes: opened, unpacked, hashed; whatever goes wrong becomes an InputError that names the file."""

import codecs
import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal, Protocol

from anonset.data.packing import unpacked
from anonset.errors import InputError
from anonset.model.dataset import Source
from anonset.model.progress import Progress, silent

CHUNK = 1 << 25
BLANKS = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"


class File(Protocol):
    """Bytes under a name: a path, or what was fetched from elsewhere."""

    @property
    def name(self) -> str:
        """The name without folders."""

    def open(self, mode: Literal["rb"], /) -> IO[bytes]:
        """A stream of the bytes that can seek."""


@dataclass(frozen=True, slots=True)
class BufferedBytes:
    """Bytes that can be fetched only once, or only slowly: from standard input, a pipe or the net."""

    address: str
    name: str
    data: bytes = field(repr=False)

    def __str__(self) -> str:
        return self.address

    def open(self, mode: Literal["rb"], /) -> IO[bytes]:
        """A stream of the bytes."""
        return io.BytesIO(self.data)


def trimmed(text: str) -> str:
    """The text without the blanks around it: those of Unicode, as tables are trimmed too; control characters stay."""
    return text.strip(BLANKS)


@contextmanager
def as_input_errors(file: str | Path | File) -> Iterator[None]:
    """Turn what goes wrong with a file below Python into an InputError."""
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
        raise InputError("a name of a file has no zero byte", file=str(file).replace("\0", "?")) from None


def fingerprint(file: File) -> Source:
    """The file's name, without its folders, and the hash of its bytes."""
    with as_input_errors(file), file.open("rb") as stream:
        digest = hashlib.sha256()
        while piece := stream.read(1 << 20):
            digest.update(piece)
        return Source(file.name, digest.hexdigest())


def chunks(file: File, progress: Progress = silent, size: int = CHUNK) -> Iterator[bytes]:
    """The file's bytes, unpacked where it is packed, piece by piece."""
    with as_input_errors(file), file.open("rb") as raw:
        total = max(1, raw.seek(0, io.SEEK_END))
        raw.seek(0)
        for piece in unpacked(raw, file.name, str(file), size):
            progress(min(1.0, raw.tell() / total))
            yield piece


def whole(file: File, progress: Progress = silent) -> bytes:
    """All of the file's bytes, unpacked where it is packed."""
    return b"".join(chunks(file, progress))


def text_bytes(path: File, progress: Progress = silent) -> bytes:
    """The bytes of a text file, checked to be UTF-8 and not empty, without a byte order mark."""
    data = whole(path, progress)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError("must be UTF-8 text; this looks like UTF-16", file=str(path))
    data = data.removeprefix(codecs.BOM_UTF8)
    _check_utf8(data, path)
    if (zero := data.find(b"\0")) >= 0:
        raise InputError("must be text; this is a zero byte", file=str(path), line=data.count(b"\n", 0, zero) + 1)
    if not data.strip():
        raise InputError("is empty", file=str(path))
    return data


def text(path: File) -> str:
    """The text of a small file."""
    return text_bytes(path).decode("utf-8")


def _check_utf8(data: bytes, path: File) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), CHUNK):
        held = len(decoder.getstate()[0])  # bytes of a character that began in the chunk before
        try:
            decoder.decode(data[start : start + CHUNK], final=start + CHUNK >= len(data))
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, start - held + error.start) + 1
            raise InputError("must be UTF-8 text; this is a byte that is not", file=str(path), line=line) from None
