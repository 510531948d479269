"""One heap for all threads of a process that works within a limit of memory.

glibc gives each thread a heap of its own, and what one thread has freed no other can take: a process that works piece by piece,
on two threads, came to hold twice what it used.
"""

import ctypes
from functools import cache

M_ARENA_MAX = -8  # malloc.h


@cache
def share_heap() -> bool:
    """Have threads share one heap from now on; tell whether this system can."""
    try:
        library = ctypes.CDLL(None)
        _ = library.gnu_get_libc_version
    except (OSError, TypeError, AttributeError):  # not glibc: its heaps are its own affair
        return False
    return bool(library.mallopt(M_ARENA_MAX, 1))
