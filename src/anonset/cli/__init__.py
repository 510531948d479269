"""The command line: parse, call, print. One file a command; heavy imports wait until a command runs."""

import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Annotated

import typer

from anonset import __version__
from anonset.cli.interruption import run_interruptibly
from anonset.cli.options import COMMAND
from anonset.errors import AnonsetError, Cancelled

# Each is a module of this package with a function `run`, or with a Typer `app` where it has subcommands.
COMMANDS = (
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
)
PROGRAM = "anonset"


def build() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(
        name=PROGRAM,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_start)
    for name in COMMANDS:
        module = import_module(f"anonset.cli.{name}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(module.run)
    for more in entry_points(group="anonset.commands"):  # of packages that build on this one
        app.command(more.name)(more.load())
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code: 0 done, 2 bad input, 3 no guarantee, 4 infeasible, 130 interrupted."""
    if arguments is None:
        return run_interruptibly(lambda: _main(sys.argv[1:]), Cancelled.exit_code)
    return _main(list(arguments))


def _main(words: list[str]) -> int:
    outer = COMMAND.set(shlex.join([PROGRAM, *words]))
    try:
        code = build()(words, prog_name=PROGRAM, standalone_mode=False)
    except (AnonsetError, KeyboardInterrupt, typer.Abort, MemoryError) as error:
        if "--traceback" in words:
            raise
        return _tell(error)
    except Exception as error:
        if "--traceback" in words:
            raise
        return _tell_unexpected(error)
    finally:
        COMMAND.reset(outer)
    if code == Cancelled.exit_code:
        return _tell(KeyboardInterrupt())
    return code if isinstance(code, int) else 0


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"{PROGRAM} {__version__}")
        raise typer.Exit


def _start(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Publish tables about persons, with sets of items, under a guarantee that is proven on the written file."""


def _tell(error: BaseException) -> int:
    match error:
        case AnonsetError():
            return _say(str(error), error.exit_code)
        case MemoryError():
            return _say("there is not enough memory for this", 1)
        case _:
            return _say("interrupted; nothing was written", Cancelled.exit_code)


def _tell_unexpected(error: Exception) -> int:
    """Usage errors in one line; of anything else only where it happened, since its message may quote the data."""
    if hasattr(error, "format_message"):  # a usage error of the parser
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message(), file=sys.stderr)
            return 2
        return _say(error.format_message(), 2)
    if isinstance(error, BrokenPipeError):
        return 1
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{place.tb_frame.f_globals.get('__name__', '?')}, line {place.tb_lineno}" if place is not None else "?"
    return _say(f"internal error: {type(error).__name__} in {where}; --traceback shows more", 1)


def _say(message: str, code: int) -> int:
    print(f"{PROGRAM}: {' '.join(message.split())}", file=sys.stderr)
    return code
