"""Flags that several commands share, made from what is declared; `flags` hands a command each group as one value."""

import inspect
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import MISSING, Field, dataclass, field, fields, make_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer

from anonset.model.parameters import Delta, K, L, M, Seed
from anonset.model.schema import Schema

if TYPE_CHECKING:
    from anonset.model.accepted import Accepted
    from anonset.tasks.choosing import Wanted
    from anonset.tasks.inputs import Input
    from anonset.tasks.verify import Promise

COMMAND: ContextVar[str] = ContextVar("command", default="")  # the command line that runs, as it can be typed again
READING, ASKING, ACCEPTING, SHOWING = "How the data are read", "What is asked for", "What is insisted on", "What is shown"
SCHEMA_FLAGS = {"item_hierarchy": "hierarchy", "format": "input_format"}  # where a flag is called otherwise than its field
NUMBERS: dict[str, Any] = {"k": K, "m": M, "l": L, "delta": Delta, "seed": Seed}  # parameters with flags of their own
PROMISED = ("k", "m", "l")


def _option(*names: str, panel: str, help: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=panel, **more)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _schema_flags() -> Iterator[tuple[str, Any, Any]]:
    """A flag for each field of the schema that says what it means."""
    for name, hint in get_type_hints(Schema, include_extras=True).items():
        notes = [note for note in getattr(hint, "__metadata__", ()) if isinstance(note, str)]
        if notes:
            flag = SCHEMA_FLAGS.get(name, name)
            is_switch = get_args(hint)[0] is bool
            option = _option(
                f"--{flag.replace('_', '-')}",
                panel=READING,
                help=_sentence(notes[0]),
                metavar=None if is_switch else notes[1],
            )
            yield flag, Annotated[bool if is_switch else str | None, option], field(default=False if is_switch else None)


def _number_flags(names: tuple[str, ...]) -> Iterator[tuple[str, Any, Any]]:
    """A flag for each of these parameters, in the words of its declaration."""
    for name in names:
        words = next(note for note in NUMBERS[name].__metadata__ if isinstance(note, str))
        flag = f"-{name}" if len(name) == 1 else f"--{name}"
        metavar = "X" if name == "delta" else "N"
        yield (
            name,
            Annotated[str | None, _option(flag, panel=ASKING, metavar=metavar, help=_sentence(words))],
            field(default=None),
        )


@dataclass(frozen=True)
class _Reading:
    schema: Annotated[
        Path | None, _option("--schema", panel=READING, metavar="FILE.toml", help="All this in a file; flags come first.")
    ] = None

    def of(self, data: Any) -> "Input":
        """The data, to be read as the flags and the file they name ask for; what is not given is guessed."""
        from anonset.tasks.inputs import Input

        given: dict[str, Any] = {}
        for f in fields(Schema):
            value = getattr(self, SCHEMA_FLAGS.get(f.name, f.name), None)
            if value is not None and value is not False:
                is_list = f.name in ("quasi", "sensitive", "identifier", "other", "items")
                given[f.name] = names(value) if is_list else value
        return Input(data, given, self.schema)

    def words(self) -> list[str]:
        """The flags as they can be typed again."""
        found = []
        for f in fields(self):
            value = getattr(self, f.name)
            if value is not None and value is not False:
                found += [f"--{f.name.replace('_', '-')}", *([] if value is True else [str(value)])]
        return found


@dataclass(frozen=True)
class _Asking:
    refine: Annotated[bool, _option("--refine", panel=ASKING, help="Improve the result afterwards.")] = False
    set: Annotated[
        list[str] | None, _option("--set", panel=ASKING, metavar="NAME=VALUE", help="Any other parameter; may be repeated.")
    ] = None
    policy: Annotated[
        Path | None, _option("--policy", panel=ASKING, metavar="FILE.toml", help="Privacy and utility constraints.")
    ] = None

    def wanted(self, algorithm: str | None) -> "Wanted":
        """The algorithm with what was given, by the name of the parameter, as typed."""
        from anonset.tasks.choosing import Wanted

        values = {name: getattr(self, name) for name in NUMBERS if getattr(self, name) is not None}
        values |= {"refine": True} if self.refine else {}
        return Wanted(algorithm, values | pairs(self.set, values), self.policy)


@dataclass(frozen=True)
class _Promising:
    guarantee: Annotated[
        str | None, _option("--guarantee", panel=ASKING, metavar="ID", help="The guarantee to check, instead of its own.")
    ] = None
    set: Annotated[
        list[str] | None, _option("--set", panel=ASKING, metavar="NAME=VALUE", help="Anything else it takes; may be repeated.")
    ] = None
    policy: Annotated[
        Path | None, _option("--policy", panel=ASKING, metavar="FILE.toml", help="The constraints of the guarantee.")
    ] = None

    def promise(self) -> "Promise | None":
        """The guarantee that is asked for, if any; numbers as numbers."""
        from anonset.tasks.verify import Promise

        values = {name: getattr(self, name) for name in PROMISED if getattr(self, name) is not None}
        values |= pairs(self.set, values)
        if self.guarantee is None:
            return None
        return Promise(self.guarantee, {name: _number_or_text(text) for name, text in values.items()}, self.policy)


Reading: Any = make_dataclass("Reading", list(_schema_flags()), bases=(_Reading,), frozen=True)
Asking: Any = make_dataclass("Asking", list(_number_flags(tuple(NUMBERS))), bases=(_Asking,), frozen=True)
Promising: Any = make_dataclass("Promising", list(_number_flags(PROMISED)), bases=(_Promising,), frozen=True)


@dataclass(frozen=True, slots=True)
class Accepting:
    """What is refused otherwise."""

    accept_exposure: Annotated[
        list[str] | None,
        _option(
            "--accept-exposure",
            panel=ACCEPTING,
            metavar="COLUMN",
            help="Publish this column although nothing covers it or it nearly names people; recorded. May be repeated.",
        ),
    ] = None
    accept_loss: Annotated[bool, _option("--accept-loss", panel=ACCEPTING, help="Publish even what says next to nothing.")] = (
        False
    )

    def accepted(self) -> "Accepted":
        """What is accepted; columns may also be given with commas between."""
        from anonset.model.accepted import Accepted

        columns = [name for text in self.accept_exposure or () for name in names(text)]
        return Accepted(tuple(columns), self.accept_loss)


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


def _default(f: "Field[Any]") -> Any:
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
