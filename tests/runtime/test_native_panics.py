"""What a library in Rust does on damaged files: nothing of it is printed, a panic is an error, an abort ends with a line."""

import os
import subprocess
import sys

import pytest

from anonset.runtime.native_panics import without_panic


class PanicException(BaseException):
    """What such a library raises."""


def read(*printed, then):
    with without_panic("x"):
        for text in printed:
            with without_panic("y"):
                os.write(2, text)
        raise then


def test_a_panic_is_an_ordinary_error_and_what_it_prints_is_not_shown(capfd):
    with pytest.raises(ValueError, match="damaged"):
        read(b"thread panicked at x.rs", then=PanicException)

    os.write(2, b"heard again")
    assert capfd.readouterr().err == "heard again"


def test_other_errors_pass_and_readers_may_be_in_one_another(capfd):
    with pytest.raises(KeyError):
        read(b"a", b"b", then=KeyError)

    assert capfd.readouterr().err == ""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an abort is not heard")
def test_an_abort_ends_with_one_line_and_the_code_of_bad_input():
    program = "import os\nfrom anonset.runtime.native_panics import without_panic\nwith without_panic('t.parquet: is bad'):\n"
    program += "    os.write(2, b'stack backtrace')\n    os.abort()"

    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)

    assert (ended.returncode, ended.stderr) == (2, "anonset: t.parquet: is bad\n")
