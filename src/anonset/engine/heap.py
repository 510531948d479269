"""Share one heap among all threads of a process that has a memory limit.

glibc gives each thread its own heap, and memory that one thread frees is not available to the others: a process that worked
through batches on two threads held twice the memory that it used.
"""

import ctypes
from functools import cache

M_ARENA_MAX = -8  # malloc.h


@cache
def share_heap() -> bool:
    """Let threads share one heap from now on; return whether the system supports it."""
    try:
        library = ctypes.CDLL(None)
        _ = library.gnu_get_libc_version
    except (OSError, TypeError, AttributeError):  # not glibc
        return False
    return bool(library.mallopt(M_ARENA_MAX, 1))
