"""The command line: parse, call, print. One file a command; imports wait until a command runs."""

import gc
import os
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anonset import __version__
from anonset.cli.errors import PROGRAM, tell
from anonset.errors import Cancelled
from anonset.model.passwords import without_password

if TYPE_CHECKING:
    import typer

# Each is a module of this package with a function `run`, or with a Typer `app` where it has subcommands.
COMMANDS = (
    "init",
    "run",
    "profile",
    "anonymize",
    "verify",
    "measure",
    "workload",
    "query",
    "explain",
    "attack",
    "report",
    "compare",
    "recommend",
    "hierarchy",
    "policy",
    "algorithms",
    "sample",
    "demo",
    "serve",
    "warm",
    "completion",
)
RARELY = (100_000, 50, 50)  # a command loads many objects that stay: looking through them for loops takes a third of its time
COMPLETING = f"_{PROGRAM.upper()}_COMPLETE"  # set by a shell that asks how a line goes on


def build(only: str | None = None) -> "typer.Typer":
    """The whole command line, or what one of its commands needs."""
    from anonset.cli.program import built

    return built(COMMANDS if only is None else (only,), whole=only is None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code: 0 done, 2 bad input, 3 no guarantee, 4 infeasible, 130 interrupted."""
    if arguments is None and sys.argv[1:2] != ["serve"]:  # a server hears signals itself, and ends in good order
        from anonset.cli.imports import load_less
        from anonset.cli.interruption import run_interruptibly

        load_less()
        gc.set_threshold(*RARELY)
        code = run_interruptibly(lambda: _main(sys.argv[1:]), Cancelled.exit_code)
        gc.freeze()  # what is left needs no looking through before the process ends
        return code
    return _main(list(sys.argv[1:] if arguments is None else arguments))


def _main(words: list[str]) -> int:
    if words == ["--version"]:
        print(f"{PROGRAM} {__version__}")
        return 0
    from anonset.cli.options import COMMAND

    outer = COMMAND.set(shlex.join([PROGRAM, *map(without_password, words)]))
    try:
        code = _run(words)
    except (Exception, KeyboardInterrupt) as error:
        if "--traceback" in words:
            raise
        return tell(error, as_json="--json" in words)
    finally:
        COMMAND.reset(outer)
    if code == Cancelled.exit_code:
        return tell(KeyboardInterrupt(), as_json="--json" in words)
    return code if isinstance(code, int) else 0


def _run(words: list[str]) -> object:
    """Whatever the command returns, or the code it ended with."""
    completing = COMPLETING in os.environ
    if completing:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
    only = words[0] if words and words[0] in COMMANDS and not completing else None
    return build(only)(words, prog_name=PROGRAM, standalone_mode=False)
