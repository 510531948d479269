"""Libraries written in Rust on damaged files: what they print is not shown, a panic is an ordinary error, an abort is told.

Where such a library cannot get the memory that a damaged length asks for, it ends the process: then that happens with a line.
"""

import ctypes
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STDERR, BAD_INPUT = 2, 2
LOCK = threading.Lock()
KEPT: list[int] = []  # standard error, while it is muted
TOLD: list[str] = []  # what is wrong if the process is ended, one for each thread that reads


@contextmanager
def without_panic(told: str) -> Iterator[None]:
    """Mute standard error, turn a panic into a ValueError, and an abort into exit code 2 with what is told."""
    with LOCK:
        if not TOLD:
            _mute()
        TOLD.append(told)
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # no Exception, and each library has a class of its own
            raise
        raise ValueError("it is damaged") from None
    finally:
        with LOCK:
            TOLD.remove(told)
            if not TOLD:
                unmute()


def unmute() -> None:
    """Let standard error be heard again."""
    if KEPT:
        os.dup2(KEPT[0], STDERR)
        os.close(KEPT.pop())
        _on_abort(BEFORE.pop() if BEFORE else None)


def _mute() -> None:
    try:
        KEPT.append(os.dup(STDERR))
    except OSError:  # there is none
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, STDERR)
    os.close(nowhere)
    BEFORE.append(_on_abort(ctypes.cast(TELL, ctypes.c_void_p).value))


def _tell_and_end(number: int) -> None:
    os.write(KEPT[0], f"anonset: {TOLD[-1]}\n".encode())
    os._exit(BAD_INPUT)


def _on_abort(handler: int | None) -> int | None:
    """Have compiled code call this when it aborts: Python's own handlers are too late. What was called before."""
    if os.name != "posix":
        return None
    install = ctypes.CDLL(None).signal
    install.restype, install.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_void_p)
    before: int | None = install(signal.SIGABRT, handler)
    return before


BEFORE: list[int | None] = []  # who was called before
TELL = ctypes.CFUNCTYPE(None, ctypes.c_int)(_tell_and_end)
