"""What is said when a command fails: one line, and one JSON object where JSON was asked for."""

import json
import logging
import shlex
import sys

from anonset.errors import AnonsetError, Call, Cancelled, InputError, SetParameter, Setting, render
from anonset.model.passwords import without_password

PROGRAM = "anonset"
FLAGS = {"item_hierarchy": "hierarchy", "format": "input_format"}  # flags that are not called like their parameter
LOG = logging.getLogger(__name__)
logging.getLogger(PROGRAM).addHandler(logging.NullHandler())  # silent unless asked to log


def with_flags(text: str | AnonsetError) -> str:
    """A sentence or an error with the flags of its settings."""
    return render(text, lambda fix: fix.filled(_flag))


def _flag(setting: Setting) -> str:
    """The flag of a setting: --accept-exposure town, --set items=lift."""
    if isinstance(setting, SetParameter):
        return f"--set {shlex.quote(f'{setting.name}={setting.value}')}"
    if isinstance(setting, Call):
        return str(setting)
    name, value = setting.name, setting.value
    flag = f"{'-' if len(name) == 1 else '--'}{FLAGS.get(name, name).replace('_', '-')}"
    if value is ... or value is True:
        return flag
    return f"{flag} {shlex.quote(','.join(value) if isinstance(value, list) else str(value))}"


def tell(error: BaseException, *, as_json: bool = False) -> int:
    """Say what went wrong and return the exit code; the log hears of the kind alone, since messages may quote names."""
    if isinstance(error, BrokenPipeError):
        return 1
    kind, message, code = _told(error)
    LOG.error("%s, exit code %d", kind, code)
    if kind == "Help":
        print(message, file=sys.stderr)
        return code
    line = " ".join(without_password(message).split())
    print(f"{PROGRAM}: {line}", file=sys.stderr)
    if as_json:
        print(json.dumps({"error": {"kind": kind, "message": line, "exit_code": code}}, ensure_ascii=False))
    return code


def _told(error: BaseException) -> tuple[str, str, int]:
    """The kind of an error, its message and the exit code."""
    if isinstance(error, AnonsetError):
        return type(error).__name__, with_flags(error), error.exit_code
    if isinstance(error, MemoryError):
        return "MemoryError", "there is not enough memory for this", 1
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":  # Typer's, when a dialogue is left
        return "Cancelled", "interrupted; nothing was written", Cancelled.exit_code
    if hasattr(error, "format_message"):  # a usage error of the parser
        kind = "Help" if type(error).__name__ == "NoArgsIsHelpError" else "UsageError"
        return kind, error.format_message(), 2
    if isinstance(error, OSError) and isinstance(error.filename, str) and error.strerror:
        return "InputError", str(InputError(error.strerror, file=error.filename)), InputError.exit_code
    return "InternalError", _place(error), 1


def _place(error: BaseException) -> str:
    """Only where an unforeseen error happened, since its message may quote the data."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{place.tb_frame.f_globals.get('__name__', '?')}, line {place.tb_lineno}" if place is not None else "?"
    return f"internal error: {type(error).__name__} in {where}; --traceback shows more"
