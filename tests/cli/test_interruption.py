"""A command hears signals whatever it does."""

import signal
import subprocess
import sys
import time

import pytest

from anonset.cli.errors import run_interruptibly

SCRIPT = """
import sys, threading, time
from pathlib import Path
from numba import njit
from anonset.cli.errors import run_interruptibly
from anonset.releases.staging import staged

@njit(nogil=True)
def count(n):
    x = 0
    for i in range(n):
        x ^= (x << 1) + i
    return x

def busy():
    print("ready", flush=True)
    while True:
        time.sleep(0.01)

def compiled():
    count(1)
    with staged(Path(sys.argv[2]) / "out", overwrite=False) as folder:
        (folder / "half").write_text("written")
        print("ready", flush=True)
        print(count(10**13))
    return 0

if __name__ == "__main__":
    sys.exit(run_interruptibly({"busy": busy, "compiled": compiled}[sys.argv[1]], 130))
"""


def test_the_exit_code_is_that_of_the_work():
    assert run_interruptibly(lambda: 3, 130) == 3


def test_an_error_of_the_work_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        run_interruptibly(lambda: 1 // 0, 130)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("work", ["busy", "compiled"])
def test_a_signal_ends_the_work_and_what_it_was_writing_is_gone(work, number, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "place").mkdir()
    with subprocess.Popen(
        [sys.executable, tmp_path / "script.py", work, tmp_path / "place"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.2)
        process.send_signal(number)
        assert process.wait(timeout=60) == 130

    assert list((tmp_path / "place").iterdir()) == []
