import platform
import re
import subprocess
import sys

import pytest

HELD = """
import ctypes, threading
from anonset.engine.heap import share_heap

if {shared}:
    assert share_heap() and share_heap()

def hold(ready, kept=[]):
    kept.append(bytes(60_000))
    ready.wait()

ready = threading.Barrier(5)
threads = [threading.Thread(target=hold, args=(ready,)) for _ in range(4)]
for thread in threads:
    thread.start()
ready.wait()
ctypes.CDLL(None).malloc_stats()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="heaps of other systems are their own affair")
def test_threads_share_one_heap():
    def heaps(shared):
        found = subprocess.run([sys.executable, "-c", HELD.format(shared=shared)], check=True, capture_output=True, text=True)
        return len(re.findall(r"^Arena \d+:", found.stderr, re.M))

    assert heaps(shared=True) == 1
    assert heaps(shared=False) > 1
