"""Files as bytes: opened, unpacked, hashed; whatever goes wrong becomes an InputError that names the file."""

import codecs
import gzip
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anonset.errors import InputError
from anonset.model.dataset import Source
from anonset.model.progress import Progress, silent

CHUNK = 1 << 25
GZIP_MAGIC = b"\x1f\x8b"
BLANKS = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"


def trimmed(text: str) -> str:
    """The text without the blanks around it: those of Unicode, as tables are trimmed too; control characters stay."""
    return text.strip(BLANKS)


@contextmanager
def as_input_errors(path: str | Path) -> Iterator[None]:
    """Turn what goes wrong with a file below Python into an InputError."""
    try:
        yield
    except FileNotFoundError:
        raise InputError("there is no such file", file=path) from None
    except IsADirectoryError:
        raise InputError("is a folder; a file is expected", file=path) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError("is not a whole gzip file: it is cut off or damaged", file=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or 'input/output error'}", file=path) from None


def fingerprint(path: Path) -> Source:
    """The file's name, without its folders, and the hash of its bytes."""
    with as_input_errors(path), path.open("rb") as file:
        return Source(path.name, hashlib.file_digest(file, "sha256").hexdigest())


def chunks(path: Path, progress: Progress = silent, size: int = CHUNK) -> Iterator[bytes]:
    """The file's bytes, unpacked where it is gzipped, piece by piece."""
    with as_input_errors(path), path.open("rb") as raw:
        packed = raw.read(2) == GZIP_MAGIC
        if path.name.lower().endswith(".gz") and not packed:
            raise InputError("ends in .gz but is not a gzip file", file=path)
        raw.seek(0)
        total = max(1, path.stat().st_size)
        stream = gzip.GzipFile(fileobj=raw) if packed else raw
        while chunk := stream.read(size):
            progress(min(1.0, raw.tell() / total))
            yield chunk


def whole(path: Path, progress: Progress = silent) -> bytes:
    """All of the file's bytes, unpacked where it is gzipped."""
    return b"".join(chunks(path, progress))


def text_bytes(path: Path, progress: Progress = silent) -> bytes:
    """The bytes of a text file, checked to be UTF-8 and not empty, without a byte order mark."""
    data = whole(path, progress)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError("must be UTF-8 text; this looks like UTF-16", file=path)
    data = data.removeprefix(codecs.BOM_UTF8)
    _check_utf8(data, path)
    if (zero := data.find(b"\0")) >= 0:
        raise InputError("must be text; this is a zero byte", file=path, line=data.count(b"\n", 0, zero) + 1)
    if not data.strip():
        raise InputError("is empty", file=path)
    return data


def text(path: Path) -> str:
    """The text of a small file."""
    return text_bytes(path).decode("utf-8")


def _check_utf8(data: bytes, path: Path) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), CHUNK):
        held = len(decoder.getstate()[0])  # bytes of a character that began in the chunk before
        try:
            decoder.decode(data[start : start + CHUNK], final=start + CHUNK >= len(data))
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, start - held + error.start) + 1
            raise InputError("must be UTF-8 text; this is a byte that is not", file=path, line=line) from None
