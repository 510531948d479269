"""How a command ends: one line for an error, an exit code, and an end within two seconds on Ctrl-C or SIGTERM."""

import ctypes
import json
import logging
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from types import FrameType

from anonset.errors import AnonsetError, Call, Cancelled, InputError, SetParameter, Setting, render, without_password
from anonset.runtime.native_panics import unmute

PROGRAM = "anonset"
FLAGS = {"item_hierarchy": "hierarchy", "format": "input_format"}  # flags that are not called like their parameter
INTERRUPTED = "interrupted; nothing was written"
LOG = logging.getLogger(__name__)
logging.getLogger(PROGRAM).addHandler(logging.NullHandler())  # silent unless a log is started
GRACE = 1.5  # seconds to wind down after a signal
POLL = 0.05  # seconds between looks at the work


def with_flags(text: str | AnonsetError) -> str:
    """Return a sentence or an error with its settings as flags."""
    return render(text, lambda fix: fix.filled(_flag))


def _flag(setting: Setting) -> str:
    """Return the flag of a setting: --accept-exposure town, --set items=lift."""
    if isinstance(setting, SetParameter):
        return f"--set {shlex.quote(f'{setting.name}={setting.value}')}"
    if isinstance(setting, Call):
        return str(setting)
    flag, value = flag_of(setting.name), setting.value
    if value is ... or value is True:
        return flag
    return f"{flag} {shlex.quote(','.join(value) if isinstance(value, list) else str(value))}"


def flag_of(parameter: str) -> str:
    """Return the flag of a parameter: -k, --accept-exposure."""
    return f"{'-' if len(parameter) == 1 else '--'}{FLAGS.get(parameter, parameter).replace('_', '-')}"


def print_error(error: BaseException, *, as_json: bool = False) -> int:
    """Print what went wrong and return the exit code; only the kind is logged, since messages may quote names."""
    if isinstance(error, BrokenPipeError):
        return 1
    kind, message, code = _described(error)
    LOG.error("%s, exit code %d", kind, code)
    if kind == "Help":
        import click

        click.echo(message, err=True)
        return code
    line = " ".join(without_password(message).split())
    print(f"{PROGRAM}: {line}", file=sys.stderr)
    if as_json:
        print(json.dumps({"error": {"kind": kind, "message": line, "exit_code": code}}, ensure_ascii=False))
    return code


def _described(error: BaseException) -> tuple[str, str, int]:
    """Return the kind of an error, its message and the exit code."""
    import click

    if isinstance(error, AnonsetError):
        return type(error).__name__, with_flags(error), error.exit_code
    if isinstance(error, MemoryError):
        return "MemoryError", "not enough memory", 1
    if isinstance(error, KeyboardInterrupt | click.Abort):  # the latter where a dialogue is left
        return "Cancelled", INTERRUPTED, Cancelled.exit_code
    if isinstance(error, click.ClickException):
        kind = "Help" if isinstance(error, click.exceptions.NoArgsIsHelpError) else "UsageError"
        return kind, error.format_message(), 2
    if isinstance(error, OSError) and isinstance(error.filename, str) and error.strerror:
        return "InputError", str(InputError(error.strerror, file=error.filename)), InputError.exit_code
    return "InternalError", _place(error), 1


def _place(error: BaseException) -> str:
    """Return only where an unexpected error happened, since its message may quote the data."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{place.tb_frame.f_globals.get('__name__', '?')}, line {place.tb_lineno}" if place is not None else "?"
    return f"internal error: {type(error).__name__} in {where}; --traceback shows more"


def run_interruptibly(work: Callable[[], int], interrupted: int) -> int:
    """Run the work in another thread, so that this one can handle signals; return its exit code, or `interrupted`.

    On a signal the work is stopped as if by Ctrl-C and cleans up. Compiled code cannot be stopped: where the work does not
    return in time, unfinished files are removed and the process ends.
    """
    code: list[int] = []
    errors: list[BaseException] = []
    ended = threading.Event()  # and not thread.join: a join that is interrupted takes the thread for ended
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
        while not ended.wait(POLL):
            pass
    except KeyboardInterrupt:
        _stop(thread, ended, interrupted)
    finally:
        signal.signal(signal.SIGTERM, before)
    if errors and not isinstance(errors[0], KeyboardInterrupt):
        raise errors[0]
    return code[0] if code else interrupted


def _stop(thread: threading.Thread, ended: threading.Event, interrupted: int) -> None:
    """Interrupt the thread; end the process where it does not return in time."""
    assert thread.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt))
    in_time = ended.wait(GRACE)
    writing = sys.modules.get("anonset.releases.staging")
    if writing is not None:
        writing.clear_stages()  # also where the work ended: the signal may have interrupted its own cleaning up
    if not in_time:
        unmute()
        print(f"{PROGRAM}: {INTERRUPTED}", file=sys.stderr, flush=True)
        os._exit(interrupted)


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
