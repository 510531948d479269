"""The program put together from its commands, with values as they are typed, so that it starts soon."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from anonset import __version__
from anonset.cli.errors import PROGRAM


class QuickCommand(TyperCommand):
    """A command that takes texts, paths and what is not given as they come, and leaves the rest to Typer."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its parameters."""
        return _as_typed(super().get_params(ctx))


class QuickGroup(TyperGroup):
    """Such a program."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its parameters."""
        return _as_typed(super().get_params(ctx))


def _as_typed(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        parameter._runtime_param = _AsTyped()  # where a version of Typer has it
    return parameters


class _AsTyped:
    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value of a parameter that was typed like this."""
        kind = param.type_descriptor.annotation
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if kind is str and isinstance(value, str):
            return value
        if kind is Path and isinstance(value, str):
            return Path(value)
        if kind == list[str] and not isinstance(value, str):
            return list(value)
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def built(names: Sequence[str], *, whole: bool) -> typer.Typer:
    """The program with these commands; the `whole` one also with those of packages that build on this one.

    The list of all commands needs no boxes, and is quicker without what draws them.
    """
    app = typer.Typer(
        name=PROGRAM,
        cls=QuickGroup,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None if whole else "rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_start)
    for name in names:
        module = import_module(f"anonset.cli.{name}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            said = (module.__doc__ or "").partition(": ")[2].rstrip(".\n")
            app.command(name, cls=QuickCommand, short_help=f"{said[:1].upper()}{said[1:]}.")(module.run)
    if whole:
        from importlib.metadata import entry_points  # slow to import

        for more in entry_points(group="anonset.commands"):
            app.command(more.name)(more.load())
    return app


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
