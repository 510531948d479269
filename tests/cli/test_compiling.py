"""A word is said when kernels compile, once, and none where they are loaded from disk."""

import os
import subprocess
import sys

SCRIPT = """
import sys
from anonset.cli import output
import numba
output.announce_compiling(quiet={quiet})
output.announce_compiling(quiet={quiet})
kernel = numba.njit(lambda x: x + 1)
kernel(1), kernel(1.5)
"""


def said(quiet):
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(quiet=quiet)], capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_it_is_said_once():
    assert said(False) == "compiling, once per installation, about 20 s\n"


def test_it_is_not_said_where_nobody_wants_to_hear():
    assert said(True) == ""
