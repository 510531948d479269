"""What a native library does on damaged files: a panic is an error; in a process of ours nothing of it is printed."""

import os
import subprocess
import sys

import pytest

from anonset.runtime.native_panics import without_panic

GUARDED = "import os\nfrom anonset.runtime.native_panics import guard_process, without_panic\nguard_process()\n"
LIBRARY_CALL = """
import ctypes, os, signal, sys
import anonset
from pathlib import Path

def handler():
    signal_of = ctypes.CDLL(None).signal
    signal_of.restype, signal_of.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_void_p)
    before = signal_of(signal.SIGABRT, None)
    signal_of(signal.SIGABRT, before)
    return before

def state():
    python = {number: signal.getsignal(number) for number in signal.valid_signals()}
    return os.fstat(2), handler(), python

dup2, moved = os.dup2, []
os.dup2 = lambda *numbers, **more: moved.append(numbers) or dup2(*numbers, **more)
before = state()
folder = Path(sys.argv[1])
data = anonset.read(folder / "people.parquet", quasi=["age"])
anonset.anonymize(data, "identity", k=2).write(folder / "out")
try:
    anonset.read(folder / "damaged.parquet")
except anonset.InputError as error:
    print(error)
assert state() == before
assert moved == [], moved
"""


class PanicException(BaseException):
    """What such a library raises."""


def read(*printed, then):
    with without_panic("x"):
        for text in printed:
            with without_panic("y"):
                os.write(2, text)
        raise then


def run(program, *arguments):
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=300)


def test_a_panic_is_an_ordinary_error():
    with pytest.raises(ValueError, match="damaged"):
        read(then=PanicException)


def test_other_errors_pass_and_readers_may_be_nested(capfd):
    with pytest.raises(KeyError):
        read(b"a", b"b", then=KeyError)

    assert capfd.readouterr().err == "ab"


def test_a_library_call_leaves_standard_error_and_signal_handlers_alone(tmp_path):
    import polars as pl

    pl.DataFrame({"age": [30, 30, 40, 40]}).write_parquet(tmp_path / "people.parquet")
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1junkPAR1")

    ended = run(LIBRARY_CALL, tmp_path)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "damaged.parquet: is not a complete Parquet file" in ended.stdout


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems have these signals")
def test_a_process_of_ours_prints_nothing_of_a_panic():
    program = "with without_panic('x'):\n    with without_panic('y'):\n        os.write(2, b'thread panicked')\n"

    ended = run(GUARDED + program + "os.write(2, b'said after')")

    assert (ended.returncode, ended.stderr) == (0, "said after")


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems have these signals")
def test_an_abort_ends_a_process_of_ours_with_one_line_and_the_code_of_bad_input():
    ended = run(f"{GUARDED}with without_panic('t.parquet: is bad'):\n    os.write(2, b'stack backtrace')\n    os.abort()")

    assert (ended.returncode, ended.stderr) == (2, "anonset: t.parquet: is bad\n")


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems have these signals")
def test_an_abort_that_is_no_readers_ends_as_ever():
    assert run(f"{GUARDED}os.abort()").returncode < 0
