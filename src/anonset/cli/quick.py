"""Commands that start sooner: values as they are typed need no library that checks types, which is slow to load."""

from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup


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
