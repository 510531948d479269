"""How a person passes something: a parameter in Python, a flag on the command line."""

import shlex
from contextvars import ContextVar

FLAGS = {"item_hierarchy": "hierarchy", "format": "input_format"}  # where a flag is called otherwise than its parameter
ON_COMMAND_LINE: ContextVar[bool] = ContextVar("on_command_line", default=False)


def way(name: str, value: object = ...) -> str:
    """What to pass, as it is passed where the program was called: accept_exposure=['town'], or --accept-exposure town."""
    if not ON_COMMAND_LINE.get():
        return f"{name}={'...' if value is ... else repr(value)}"
    flag = f"{'-' if len(name) == 1 else '--'}{FLAGS.get(name, name).replace('_', '-')}"
    if value is ... or value is True:
        return flag
    return f"{flag} {shlex.quote(','.join(value) if isinstance(value, list) else str(value))}"


def setting(name: str, value: object) -> str:
    """A parameter of an algorithm that has no flag of its own, as it is passed: items='lift', or --set items=lift."""
    return f"--set {shlex.quote(f'{name}={value}')}" if ON_COMMAND_LINE.get() else f"{name}={value!r}"
