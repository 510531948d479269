"""Where data are: a file, a folder of part files, a pattern, standard input, a pipe, an address of an object store."""

import glob
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from anonset.data.sources import BufferedBytes, File, as_input_errors
from anonset.errors import InputError
from anonset.model.passwords import without_password

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


def located(source: str | Path) -> File | PartFiles:
    """What is behind a path, a pattern, an address, or - for standard input."""
    text = str(source)
    if isinstance(source, str) and "://" in source:
        return _remote(source)
    if text == STANDARD_INPUT:
        return BufferedBytes("standard input", "standard input", sys.stdin.buffer.read())
    path = Path(source)
    with as_input_errors(path):
        if path.is_dir():
            return _parts(text, [(p, p.relative_to(path).parts) for p in path.rglob("*") if p.is_file()])
        if path.is_fifo() or path.is_char_device():
            return BufferedBytes(text, path.name, path.read_bytes())
        if not path.exists() and any(sign in text for sign in PATTERN):
            return _matching(text)
    return path


def _matching(pattern: str) -> File | PartFiles:
    found = sorted(Path(name) for name in glob.glob(pattern, recursive=True))
    files = [path for path in found if path.is_file()]
    if not files:
        raise InputError("no file is called like this", file=pattern)
    return files[0] if len(files) == 1 else _parts(pattern, [(path, path.parts) for path in files])


def _parts(address: str, found: Sequence[tuple[File, Sequence[str]]]) -> PartFiles:
    """The part files among files with the names on their way; what is hidden or begins with _ is none."""
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


def _remote(url: str) -> File | PartFiles:
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
            return _held(system, root, shown)
        found = [(_held(system, n, n), PurePosixPath(n.removeprefix(base)).parts) for n in names if n.lower().endswith(PARTS)]
    return _parts(shown, found)


def _held(system: Any, name: str, shown: str) -> BufferedBytes:
    return BufferedBytes(shown, PurePosixPath(name).name, system.cat_file(name))


@contextmanager
def _fsspec_errors(shown: str) -> Iterator[None]:
    """Turn what goes wrong far away into an InputError; messages of libraries may quote keys, so none is passed on."""
    try:
        yield
    except (FileNotFoundError, IsADirectoryError):
        raise InputError("there is no such file", file=shown) from None
    except PermissionError:
        raise InputError("may not be read with the credentials that are there", file=shown) from None
    except ImportError as error:
        wanted = "fsspec" if error.name == "fsspec" else "the fsspec package for this kind of address (s3fs, gcsfs, adlfs, ...)"
        raise InputError(f"addresses need {wanted}: pip install 'anonset[remote]'", file=shown) from None
    except Exception as error:  # whatever the library of a store may raise
        raise InputError(f"cannot be read ({type(error).__name__})", file=shown) from None
