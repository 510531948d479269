"""Native libraries on damaged files: a panic becomes a ValueError, an abort ends a process of ours with one line.

Rust code prints a trace to file descriptor 2 when it panics, and calls `abort` when a damaged length asks for more memory
than there is. A library call only catches the panic and notes which file it reads. A process of ours (the command line, a
worker) calls `guard_process` when it starts: there, standard error is muted while native code reads, and an abort prints
the note and exits with the code for bad input.
"""

import ctypes
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STDERR, BAD_INPUT = 2, 2

_lock = threading.Lock()
_messages: list[str] = []  # what to print if the process is aborted now; one for each thread that reads
_saved_stderr: list[int] = []  # a copy of the file descriptor while it is muted
_guards: list[object] = []  # the handler of SIGABRT, which must not be collected; empty where the process is not ours


@contextmanager
def without_panic(message: str) -> Iterator[None]:
    """Turn a panic of native code into a ValueError; `message` says what is wrong with the file if the code aborts."""
    with _lock:
        if _guards and not _messages:
            _mute()
        _messages.append(message)
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # no subclass of Exception, and each library has a class of its own
            raise
        raise ValueError("the file is damaged") from None
    finally:
        with _lock:
            _messages.remove(message)
            if not _messages:
                unmute()


def guard_process() -> None:
    """Mute native traces and explain aborts from now on; only for a process of ours, never in a library call."""
    if _guards or os.name != "posix":
        return
    handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(_explain_abort)
    install = ctypes.CDLL(None).signal  # Python's own handlers run too late: abort does not return to the interpreter
    install.restype, install.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_void_p)
    install(signal.SIGABRT, ctypes.cast(handler, ctypes.c_void_p).value)
    _guards.append(handler)


def unmute() -> None:
    """Restore standard error if it is muted."""
    if _saved_stderr:
        os.dup2(_saved_stderr[0], STDERR)
        os.close(_saved_stderr.pop())


def _mute() -> None:
    """Send file descriptor 2 to nowhere."""
    try:
        _saved_stderr.append(os.dup(STDERR))
    except OSError:  # the process has no standard error
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, STDERR)
    os.close(nowhere)


def _explain_abort(number: int) -> None:
    """Print which file was being read and exit; an abort elsewhere goes on."""
    if _messages:
        os.write(_saved_stderr[0] if _saved_stderr else STDERR, f"anonset: {_messages[-1]}\n".encode())
        os._exit(BAD_INPUT)
