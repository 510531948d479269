"""Ctrl-C and SIGTERM end any command within a second or two, whatever compiled code it is in."""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from types import FrameType

GRACE = 1.5  # seconds to wind down by itself
LOOK = 0.05


def run_interruptibly(work: Callable[[], int], interrupted: int) -> int:
    """Run the work in a thread of its own, so that this one can hear signals; its exit code, or `interrupted`.

    On a signal the work is stopped as if by Ctrl-C and tidies up. Compiled code cannot be stopped: where the work does not
    come back in time, what it was writing is cleared away and the process ends.
    """
    code: list[int] = []
    context = copy_context()
    thread = threading.Thread(target=lambda: code.append(context.run(work)), daemon=True)
    before = signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        thread.start()
        while thread.is_alive():
            thread.join(LOOK)
    except KeyboardInterrupt:
        _stop(thread, interrupted)
    finally:
        signal.signal(signal.SIGTERM, before)
    return code[0] if code else interrupted


def _stop(thread: threading.Thread, interrupted: int) -> None:
    assert thread.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt))
    thread.join(GRACE)
    if thread.is_alive():
        from anonset.tasks.anonymize import abandon

        abandon()
        print("anonset: interrupted; nothing was written", file=sys.stderr, flush=True)
        os._exit(interrupted)


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
