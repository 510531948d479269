"""Ctrl-C and SIGTERM end any command within a second or two, whatever compiled code it is in."""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from types import FrameType

from anonset.runtime.native_panics import unmute

GRACE = 1.5  # seconds to wind down by itself
LOOK = 0.05


def run_interruptibly(work: Callable[[], int], interrupted: int) -> int:
    """Run the work in a thread of its own, so that this one can hear signals; its exit code, or `interrupted`.

    On a signal the work is stopped as if by Ctrl-C and tidies up. Compiled code cannot be stopped: where the work does not
    come back in time, what it was writing is cleared away and the process ends.
    """
    code: list[int] = []
    errors: list[BaseException] = []
    ended = threading.Event()  # asked instead of the thread: a join that is interrupted takes it for ended
    context = copy_context()

    def run() -> None:
        try:
            code.append(context.run(work))
        except BaseException as error:
            errors.append(error)
        finally:
            ended.set()

    thread = threading.Thread(target=run, daemon=True)
    before = signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        thread.start()
        while not ended.wait(LOOK):
            pass
    except KeyboardInterrupt:
        _stop(thread, ended, interrupted)
    finally:
        signal.signal(signal.SIGTERM, before)
    if errors and not isinstance(errors[0], KeyboardInterrupt):
        raise errors[0]
    return code[0] if code else interrupted


def _stop(thread: threading.Thread, ended: threading.Event, interrupted: int) -> None:
    assert thread.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt))
    in_time = ended.wait(GRACE)
    writing = sys.modules.get("anonset.releases.staging")
    if writing is not None:
        writing.clear_stages()  # also where the work ended: its tidying up may have been what was interrupted
    if not in_time:
        unmute()
        print("anonset: interrupted; nothing was written", file=sys.stderr, flush=True)
        os._exit(interrupted)


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
