"""Flags that several commands share, declared once; `flags` hands a command each group as one value."""

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from anonset.data.schema import Schema

COMMAND: ContextVar[str] = ContextVar("command", default="")  # the command line that runs, as it can be typed again
READING, ASKING, SHOWING = "How the data are read", "What is asked for", "What is shown"
LISTS = {"quasi", "sensitive", "identifier", "items"}
SCHEMA_NAMES = {"hierarchy": "item_hierarchy", "input_format": "format"}  # where a flag is called otherwise than its field


def _option(*names: str, panel: str, help: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=panel, **more)


@dataclass(frozen=True, slots=True)
class Reading:
    """How an input is to be read; what is not given is guessed."""

    quasi: Annotated[
        str | None, _option("--quasi", panel=READING, metavar="A,B", help="Columns an attacker may know: generalized.")
    ] = None
    sensitive: Annotated[
        str | None, _option("--sensitive", panel=READING, metavar="A,B", help="Columns published as they are, never linkable.")
    ] = None
    identifier: Annotated[
        str | None, _option("--identifier", panel=READING, metavar="A,B", help="Columns that are dropped.")
    ] = None
    items: Annotated[
        str | None, _option("--items", panel=READING, metavar="A,B", help="The set-valued column (several become one).")
    ] = None
    item_separator: Annotated[
        str | None, _option("--item-separator", panel=READING, metavar="TEXT", help="What stands between its items.")
    ] = None
    delimiter: Annotated[
        str | None, _option("--delimiter", panel=READING, metavar="CHAR", help="What stands between columns.")
    ] = None
    id: Annotated[
        str | None, _option("--id", panel=READING, metavar="A", help="The column that ties the rows of one person.")
    ] = None
    long: Annotated[
        Path | None, _option("--long", panel=READING, metavar="FILE", help="A second file with one row per id and item.")
    ] = None
    repeated: Annotated[bool, _option("--repeated", panel=READING, help="The file itself has one row an item.")] = False
    hierarchy: Annotated[
        str | None,
        _option("--hierarchy", panel=READING, metavar="FILE", help="The items' hierarchy: a file, or e.g. balanced:5."),
    ] = None
    hierarchies: Annotated[
        Path | None,
        _option("--hierarchies", panel=READING, metavar="DIR", help="Hierarchies: <column>.csv, and items.csv for the items."),
    ] = None
    sensitive_items: Annotated[
        str | None,
        _option(
            "--sensitive-items", panel=READING, metavar="A,B", help="Items protected against inference, or a file of them."
        ),
    ] = None
    input_format: Annotated[
        str | None,
        _option("--input-format", panel=READING, metavar="FORMAT", help="csv, tsv, parquet, jsonl, fimi, spmf."),
    ] = None
    schema: Annotated[
        Path | None, _option("--schema", panel=READING, metavar="FILE.toml", help="All this in a file; flags come first.")
    ] = None

    def given(self) -> "Schema":
        """The schema that the flags, and the file they name, ask for."""
        from anonset.data.schema import Schema

        base = Schema.from_toml(self.schema) if self.schema is not None else Schema()
        changes: dict[str, Any] = {"repeated": True} if self.repeated else {}
        for f in fields(self):
            value = getattr(self, f.name)
            if value is not None and f.name not in {"schema", "repeated"}:
                changes[SCHEMA_NAMES.get(f.name, f.name)] = names(value) if f.name in LISTS else value
        return replace(base, **changes)


@dataclass(frozen=True, slots=True)
class Asking:
    """Parameters of an algorithm; those not given are not passed."""

    k: Annotated[str | None, _option("-k", panel=ASKING, metavar="N", help="Records no attacker can tell apart.")] = None
    m: Annotated[str | None, _option("-m", panel=ASKING, metavar="N", help="Items an attacker may know.")] = None
    l: Annotated[str | None, _option("-l", panel=ASKING, metavar="N", help="Sensitive values behind every match.")] = None  # noqa: E741
    delta: Annotated[str | None, _option("--delta", panel=ASKING, metavar="X", help="Bound on a loss, 0 to 1.")] = None
    seed: Annotated[str | None, _option("--seed", panel=ASKING, metavar="N", help="Makes a random run repeatable.")] = None
    refine: Annotated[bool, _option("--refine", panel=ASKING, help="Improve the result afterwards.")] = False
    set: Annotated[
        list[str] | None, _option("--set", panel=ASKING, metavar="NAME=VALUE", help="Any other parameter; may be repeated.")
    ] = None
    policy: Annotated[
        Path | None, _option("--policy", panel=ASKING, metavar="FILE.toml", help="Privacy and utility constraints.")
    ] = None

    def values(self) -> dict[str, Any]:
        """What was given, by the name of the parameter, as typed."""
        names = ("k", "m", "l", "delta", "seed")
        values: dict[str, Any] = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        values |= {"refine": True} if self.refine else {}
        return values | pairs(self.set, values)


@dataclass(frozen=True, slots=True)
class Promising:
    """A guarantee to be checked."""

    guarantee: Annotated[
        str | None, _option("--guarantee", panel=ASKING, metavar="ID", help="The guarantee to check, instead of its own.")
    ] = None
    k: Annotated[str | None, _option("-k", panel=ASKING, metavar="N", help="Its k.")] = None
    m: Annotated[str | None, _option("-m", panel=ASKING, metavar="N", help="Its m.")] = None
    l: Annotated[str | None, _option("-l", panel=ASKING, metavar="N", help="Its l.")] = None  # noqa: E741
    set: Annotated[
        list[str] | None, _option("--set", panel=ASKING, metavar="NAME=VALUE", help="Anything else it takes; may be repeated.")
    ] = None
    policy: Annotated[
        Path | None, _option("--policy", panel=ASKING, metavar="FILE.toml", help="The constraints of the guarantee.")
    ] = None

    def values(self) -> dict[str, Any]:
        """What was given, by name; numbers as numbers."""
        from anonset.errors import ParameterError

        values: dict[str, Any] = {}
        for name in ("k", "m", "l"):
            text = getattr(self, name)
            if text is not None and (not text.isdecimal() or int(text) < 1):
                raise ParameterError(f"{name} must be an integer from 1; got {text!r}")
            values |= {} if text is None else {name: int(text)}
        return values | {name: _number_or_text(text) for name, text in pairs(self.set, values).items()}


@dataclass(frozen=True, slots=True)
class Showing:
    """What is printed."""

    json: Annotated[bool, _option("--json", panel=SHOWING, help="Print one JSON object.")] = False
    quiet: Annotated[bool, _option("--quiet", "-q", panel=SHOWING, help="No progress and no notes.")] = False
    traceback: Annotated[bool, _option("--traceback", panel=SHOWING, help="Show the whole traceback of an error.")] = False


def flags(**groups: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the flags of the groups; it receives each group as one value under its name."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        parameters = [p for p in own.parameters.values() if p.name not in groups]
        for group in groups.values():
            hints = get_type_hints(group, include_extras=True)
            parameters += [
                inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=_default(f), annotation=hints[f.name])
                for f in fields(group)
            ]

        @wraps(command)
        def run(**given: Any) -> None:
            values = {name: group(**{f.name: given.pop(f.name) for f in fields(group)}) for name, group in groups.items()}
            command(**given, **values)

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
        return run

    return decorate


def _default(f: Any) -> Any:
    assert f.default is not MISSING, "every shared flag has a default"
    return f.default


def pairs(texts: list[str] | None, given: dict[str, Any], *, flag: str = "--set") -> dict[str, str]:
    """Values by name, from texts like name=value; none of them given otherwise."""
    from anonset.errors import ParameterError

    pairs: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"{flag} needs name=value; got {text!r}")
        if name in given or name in pairs:
            raise ParameterError(f"{name} is given twice")
        pairs[name] = value
    return pairs


def _number_or_text(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def names(text: str) -> tuple[str, ...]:
    """Names with commas between; none for an empty text."""
    return tuple(name.strip() for name in text.split(",")) if text else ()
