"""Folders that appear whole or not at all, also where the system is Windows: played here as far as that goes."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from anonset.algorithms.identity import Identity
from anonset.errors import InputError
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.releases import staging
from anonset.releases.publish import publish, verify_folder
from anonset.releases.staging import check_output, clear_stages, staged, sweep

only_linux = pytest.mark.skipif(sys.platform != "linux", reason="who has a file open is read from /proc")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def in_use():
    """The files that this process has open or mapped."""
    handles = Path("/proc/self/fd")
    found = {os.path.realpath(handles / name) for name in os.listdir(handles)}
    maps = Path("/proc/self/maps").read_text().splitlines()
    return found | {line.split(maxsplit=5)[5] for line in maps if len(line.split(maxsplit=5)) == 6}


class Windows:
    """The module `os` of a system that flushes only what may be written to, and no folders."""

    name = "nt"

    def __init__(self):
        self._written = set()

    def __getattr__(self, name):
        return getattr(os, name)

    def open(self, path, flags):
        if Path(path).is_dir():
            raise PermissionError(errno.EACCES, "is a folder", str(path))
        handle = os.open(path, flags)
        self._written |= {handle} if flags & os.O_RDWR else set()
        return handle

    def fsync(self, handle):
        if handle not in self._written:
            raise OSError(errno.EBADF, "Bad file descriptor")


def remove_what_is_not_open(folder, ignore_errors=False):
    """Remove a folder as Windows does: what is open stays, and so do the folders around it."""
    used = in_use()
    for path in sorted(Path(folder).rglob("*"), reverse=True):
        if os.path.realpath(path) not in used and not (path.is_dir() and any(path.iterdir())):
            path.rmdir() if path.is_dir() else path.unlink()
    if not any(Path(folder).iterdir()):
        Path(folder).rmdir()


@pytest.fixture
def windows(monkeypatch):
    """Locks, flushes, removing and renaming as on Windows."""
    import fcntl

    rename = Path.rename

    def renamed(self, target):
        inside = [path for path in in_use() if Path(path).is_relative_to(os.path.realpath(self))]
        if inside or Path(target).exists():
            raise PermissionError(errno.EACCES, "Access is denied", inside[0] if inside else str(target))
        return rename(self, target)

    def locking(handle, mode, size):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    monkeypatch.setattr(staging, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(staging, "os", Windows())
    monkeypatch.setattr(staging, "shutil", SimpleNamespace(rmtree=remove_what_is_not_open))
    monkeypatch.setattr(Path, "rename", renamed)


@pytest.fixture
def data():
    ages = Column("age", "quasi", "numeric", np.array([0, 1] * 3, np.int32), ("30", "40"), np.array([30.0, 40.0]))
    return Dataset((ages,), Transactions.from_records(["ab", "c"] * 3))


@only_linux
@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
def test_releases_are_published_and_overwritten_on_windows(windows, data, tmp_path, format):
    release = Identity(k=3, m=2).anonymize(data)

    publish(data, release, tmp_path / "out", format=format)
    publish(data, release, tmp_path / "out", format=format, overwrite=True)

    assert names(tmp_path) == ["out"]
    assert verify_folder(data, tmp_path / "out").holds


@only_linux
def test_on_windows_a_failure_leaves_the_old_folder_and_nothing_else(windows, tmp_path):
    (tmp_path / "out/published").mkdir(parents=True)
    (tmp_path / "out/published/about.json").touch()

    with (
        (tmp_path / "out/published/about.json").open(),
        pytest.raises(InputError, match="Access is denied"),
        staged(tmp_path / "out", overwrite=True),
    ):
        pass
    with pytest.raises(ValueError, match="stop"), staged(tmp_path / "new", overwrite=False):
        raise ValueError("stop")

    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == ["published"]


@only_linux
def test_on_windows_the_stages_of_others_stay_and_those_of_the_dead_go(windows, tmp_path):
    import fcntl

    dead, alive = tmp_path / ".out.anonset-dead", tmp_path / ".out.anonset-alive"
    for stage in (dead, alive):
        (stage / "new").mkdir(parents=True)
        (stage / "new" / "records.csv").touch()
        (stage / "lock").touch()

    with (alive / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sweep(tmp_path)

    assert names(tmp_path) == [alive.name]
    assert (alive / "new" / "records.csv").exists()


def test_a_stage_that_may_not_be_looked_at_stops_nobody(tmp_path, monkeypatch):
    (tmp_path / ".out.anonset-others").mkdir()

    def refuse(self):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "is_file", refuse)

    sweep(tmp_path)

    assert names(tmp_path) == [".out.anonset-others"]


def test_what_could_not_be_put_back_is_never_removed(tmp_path, monkeypatch):
    stage = tmp_path / ".out.anonset-x"
    (stage / "old" / "published").mkdir(parents=True)
    (stage / "lock").touch()

    def refuse(self, target):
        raise PermissionError(errno.EACCES, "Access is denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refuse)
        sweep(tmp_path)
    assert (stage / "old" / "published").exists()

    sweep(tmp_path)
    assert names(tmp_path) == ["out"]


def test_stages_of_this_process_are_cleared_when_it_is_ended(tmp_path):
    with pytest.raises(InputError, match="cannot be written"), staged(tmp_path / "out", overwrite=False):
        clear_stages()

    assert names(tmp_path) == []


WRITER = """
import os, resource, sys
from pathlib import Path
from anonset.errors import InputError
from anonset.releases.staging import staged
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
out = Path(sys.argv[1])
try:
    with staged(out, overwrite=True) as folder:
        (folder / "big").write_bytes(b"x" * 9_000)
except InputError as error:
    print(error)
print(sorted(path.name for path in out.parent.iterdir()), flush=True)
with staged(out, overwrite=True) as folder:
    (folder / "half").write_text("half")
    os.kill(os.getpid(), 9)
"""


@only_linux
def test_a_full_disk_and_a_killed_process_leave_the_old_release(tmp_path):
    out = tmp_path / "out"
    (out / "published").mkdir(parents=True)
    (out / "published" / "about.json").write_text("old")

    ended = subprocess.run([sys.executable, "-c", WRITER, out], capture_output=True, text=True, timeout=60)

    assert ended.returncode == -signal.SIGKILL
    assert ended.stdout == f"{out}: cannot be written: File too large\n['out']\n"
    assert len(names(tmp_path)) == 2  # what the killed one was writing
    sweep(tmp_path)
    assert names(tmp_path) == ["out"]
    assert (out / "published" / "about.json").read_text() == "old"


def test_of_two_writers_the_first_to_be_done_wins_and_the_other_is_told(tmp_path):
    out = tmp_path / "out"

    def slower():
        with staged(out, overwrite=False) as folder:
            (folder / "who").write_text("slower")
            with staged(out, overwrite=False) as other:
                (other / "who").write_text("quicker")
            sweep(tmp_path)  # somebody begins meanwhile: this writer's folder stays

    with pytest.raises(InputError, match="exists already"):
        slower()

    assert names(tmp_path) == ["out"]
    assert (out / "who").read_text() == "quicker"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="who is root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_told_before_the_work(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match="cannot be written to: Permission denied"):
            check_output(tmp_path / "out", overwrite=False)
    finally:
        tmp_path.chmod(0o700)


def test_a_disk_that_may_not_be_written_to_is_told_before_the_work(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)

    with pytest.raises(InputError, match="cannot be written to: Read-only file system"):
        check_output(tmp_path / "out", overwrite=False)
