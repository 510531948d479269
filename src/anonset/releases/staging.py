"""A folder that appears whole or not at all: made beside its place, then exchanged with what is there."""

import ctypes
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from anonset.errors import InputError, way

STAGE = re.compile(r"\.(?P<name>.+)\.anonset-[^.]+")
LOCK, NEW, OLD = "lock", "new", "old"
RELEASE = frozenset({"published", "private", "report.html", "report.json"})  # all that a release folder may hold
EXCHANGE, HERE = 2, -100  # RENAME_EXCHANGE and AT_FDCWD of renameat2

_open_stages: dict[Path, Path] = {}  # staging folders of this process, and what they are for


def check_output(out: Path, *, overwrite: bool) -> None:
    """Raise unless a release can be put there: told before the work, not after it."""
    parent = out.absolute().parent
    if not parent.is_dir():
        raise InputError("the folder to write into is not there", file=parent)
    try:
        with tempfile.TemporaryDirectory(prefix=".anonset-", dir=parent):
            pass
    except OSError as error:
        raise InputError(f"cannot be written to: {error.strerror or error}", file=parent) from None
    if not out.exists() and not out.is_symlink():
        return
    if not overwrite:
        raise InputError(f"exists already; choose another name, or pass {way('overwrite', True)}", file=out)
    if not (out / "published" / "about.json").is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError("is not a release, so it is not overwritten", file=out)
    foreign = next((path for path in sorted(out.iterdir()) if path.name not in RELEASE), None)
    if foreign is not None:
        raise InputError(f"holds {foreign.name}, which is no part of a release, so it is not overwritten", file=out)


@contextmanager
def staged(out: Path, *, overwrite: bool) -> Iterator[Path]:
    """A new folder beside `out` that takes its place at the end, or is gone; what was there stays until then."""
    try:
        stage = Path(tempfile.mkdtemp(prefix=f".{out.name}.anonset-", dir=out.absolute().parent))
        _open_stages[stage] = out
        with _locked(stage):
            try:
                folder = stage / NEW
                folder.mkdir()
                yield folder
                _flush(folder)
                check_output(out, overwrite=overwrite)  # again: somebody else may have been quicker
                _take_place(folder, out, stage / OLD)
                _fsync(out.absolute().parent)
            finally:
                _clear(stage, out)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=out) from error


def sweep(parent: Path) -> None:
    """Clear the staging folders that killed processes left; what one of them had moved aside goes back to its place."""
    for stage in parent.glob(".*.anonset-*"):
        named = STAGE.fullmatch(stage.name)
        if named is None or stage in _open_stages:
            continue
        with suppress(OSError):  # another user's, or cleared by another process just now
            if (stage / LOCK).is_file():
                with _locked(stage) as ours:
                    if ours:
                        _clear(stage, parent / named["name"])


def clear_stages() -> None:
    """Clear the staging folders of this process: for whoever ends it in the middle of its work."""
    for stage, out in list(_open_stages.items()):
        _clear(stage, out)


def _take_place(folder: Path, out: Path, aside: Path) -> None:
    """Put the folder where `out` is, in one step where the system can; otherwise what is there is moved aside first."""
    if out.exists() and exchanged(folder, out):
        return
    if out.exists():
        out.rename(aside)
    folder.rename(out)


def exchanged(first: Path, second: Path) -> bool:
    """Whether the system has exchanged two folders in one step; nothing has happened where not."""
    if not sys.platform.startswith("linux"):
        return False
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    paths = (os.fsencode(first.absolute()), os.fsencode(second.absolute()))
    return bool(renameat2(HERE, ctypes.c_char_p(paths[0]), HERE, ctypes.c_char_p(paths[1]), ctypes.c_uint(EXCHANGE)) == 0)


def _clear(stage: Path, out: Path) -> None:
    """Remove a staging folder; what was moved aside goes back if nothing took its place."""
    if (stage / OLD).exists() and not out.exists():
        (stage / OLD).rename(out)
    shutil.rmtree(stage, ignore_errors=True)
    _open_stages.pop(stage, None)  # last: whoever interrupts this can take it up again


@contextmanager
def _locked(stage: Path) -> Iterator[bool]:
    """Whether a staging folder is ours for now: its lock is free as soon as its process has ended, however it did."""
    ours = False
    try:
        with (stage / LOCK).open("w") as lock:
            ours = _held(lock)
            yield ours
    finally:
        with suppress(OSError):  # Windows removes no file that is open: there the lock is all that is left
            if ours and [path.name for path in stage.iterdir()] == [LOCK]:
                shutil.rmtree(stage, ignore_errors=True)


def _held(lock: IO[str]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _flush(folder: Path) -> None:
    """Make sure that the folder is on the disk before it is moved."""
    for path in sorted(folder.rglob("*"), reverse=True):
        _fsync(path)
    _fsync(folder)


def _fsync(path: Path) -> None:
    if path.is_dir() and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)  # Windows flushes only what may be written to
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
