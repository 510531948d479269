"""Flags that several commands share, made from what is declared; `flags` hands a command each group as one value."""

import inspect
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import MISSING, Field, dataclass, field, fields, make_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer

from anonset.cli.errors import FLAGS
from anonset.cli.output import start as start_log
from anonset.model.cover import SAID, Cover
from anonset.model.parameters import Delta, K, L, M, Seed
from anonset.model.schema import Schema

if TYPE_CHECKING:
    from anonset.model.accepted import Accepted
    from anonset.tasks.algorithms import AlgorithmChoice
    from anonset.tasks.inputs import Input, Pieces
    from anonset.tasks.verify import Promise

COMMAND: ContextVar[str] = ContextVar("command", default="")  # the command line that runs, as it can be typed again
READING, ASKING, ACCEPTING, SHOWING = "How the data are read", "What is asked for", "What is insisted on", "What is shown"
LARGER = "Data larger than memory"
NUMBERS: dict[str, Any] = {"k": K, "m": M, "l": L, "delta": Delta, "seed": Seed}  # parameters with flags of their own
PROMISED = ("k", "m", "l")
DATA = "A file (CSV, TSV, Parquet, Feather, JSON, Excel, FIMI, SPMF; also packed), - , or the address of a file or database."
ENDS = "Ends of numeric ranges: auto rounds numbers of four digits or more outward, by 1 % at most; rounded all, exact none."
LISTS = ("quasi", "sensitive", "identifier", "other", "items", "drop_items")  # with commas between, or given several times
OTHER_NAMES = {"id": ("--key",), "items": ("--item",)}  # of flags that people who have databases look for


def _option(*names: str, panel: str, help: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=panel, **more)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _declared_flags(declaration: type, panel: str) -> Iterator[tuple[str, Any, Any]]:
    """A flag for each field of a declaration that says what it means."""
    for name, hint in get_type_hints(declaration, include_extras=True).items():
        notes = [note for note in getattr(hint, "__metadata__", ()) if isinstance(note, str)]
        if notes:
            flag = FLAGS.get(name, name)
            is_switch = get_args(hint)[0] is bool
            taken: Any = bool if is_switch else list[str] | None if name in LISTS else str | None
            option = _option(
                f"--{flag.replace('_', '-')}",
                *OTHER_NAMES.get(name, ()),
                panel=panel,
                help=_sentence(notes[0]),
                metavar=None if is_switch else notes[1],
            )
            yield flag, Annotated[taken, option], field(default=False if is_switch else None)


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
            value = getattr(self, FLAGS.get(f.name, f.name), None)
            if value is not None and value is not False:
                given[f.name] = names(",".join(value)) if f.name in LISTS else value
        return Input(data, given, self.schema)

    def words(self) -> list[str]:
        """The flags as they can be typed again."""
        found = []
        for f in fields(self):
            value = getattr(self, f.name)
            if value is not None and value is not False:
                text = ",".join(value) if f.name in LISTS else str(value)
                found += [f"--{f.name.replace('_', '-')}", *([] if value is True else [text])]
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

    def wanted(self, algorithm: str | None) -> "AlgorithmChoice":
        """The algorithm with what was given, by the name of the parameter, as typed."""
        from anonset.tasks.algorithms import AlgorithmChoice

        values = {name: getattr(self, name) for name in NUMBERS if getattr(self, name) is not None}
        values |= {"refine": True} if self.refine else {}
        return AlgorithmChoice(algorithm, values | pairs(self.set, values), self.policy)


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


@dataclass(frozen=True)
class _Signing:
    def given(self) -> dict[str, str]:
        """What was given of it."""
        return {name: value for name in SAID if (value := getattr(self, name)) is not None}

    def words(self) -> list[str]:
        """The flags as they can be typed again."""
        return [word for name, value in self.given().items() for word in (f"--{name}", value)]


Reading: Any = make_dataclass("Reading", list(_declared_flags(Schema, READING)), bases=(_Reading,), frozen=True)
Asking: Any = make_dataclass("Asking", list(_number_flags(tuple(NUMBERS))), bases=(_Asking,), frozen=True)
Signing: Any = make_dataclass("Signing", list(_declared_flags(Cover, SHOWING)), bases=(_Signing,), frozen=True)
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

    accept_repeats: Annotated[
        bool,
        _option(
            "--accept-repeats",
            panel=ACCEPTING,
            help="Count records although several are one person's; recorded. --key gathers them instead.",
        ),
    ] = False

    def accepted(self) -> "Accepted":
        """What is accepted; columns may also be given with commas between."""
        from anonset.model.accepted import Accepted

        columns = [name for text in self.accept_exposure or () for name in names(text)]
        return Accepted(tuple(columns), self.accept_loss, self.accept_repeats)


@dataclass(frozen=True, slots=True)
class Larger:
    """What work on data in pieces may take; any of it asks for pieces."""

    memory: Annotated[
        str | None, _option("--memory", panel=LARGER, metavar="SIZE", help="Read in pieces, within so much memory: 2GB.")
    ] = None
    jobs: Annotated[int | None, _option("--jobs", panel=LARGER, metavar="N", help="Threads or, with a scheduler, workers.")] = (
        None
    )
    scheduler: Annotated[
        str | None,
        _option("--scheduler", panel=LARGER, metavar="ADDRESS", help="A Dask cluster: tcp://..., or local for one of our own."),
    ] = None

    @property
    def asked(self) -> bool:
        """Whether the data are to be read in pieces."""
        return any(value is not None for value in (self.memory, self.jobs, self.scheduler))

    def pieces(self) -> "Pieces | None":
        """What was asked for, where anything was."""
        from anonset.tasks.inputs import Pieces  # with the engine, which most runs do not need

        return Pieces(self.memory, self.jobs, self.scheduler) if self.asked else None


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What is printed."""

    json: Annotated[bool, _option("--json", panel=SHOWING, help="Print one JSON object.")] = False
    quiet: Annotated[bool, _option("--quiet", "-q", panel=SHOWING, help="No progress and no notes.")] = False
    traceback: Annotated[bool, _option("--traceback", panel=SHOWING, help="Show the whole traceback of an error.")] = False
    log_level: Annotated[
        str | None, _option("--log-level", panel=SHOWING, metavar="LEVEL", help="Log as much: debug, info, warning or error.")
    ] = None
    log_file: Annotated[
        Path | None, _option("--log-file", panel=SHOWING, metavar="FILE", help="Log to this file; nothing of the data.")
    ] = None


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
            for value in values.values():
                if isinstance(value, OutputOptions):
                    start_log(command.__module__.removeprefix("anonset.cli."), value.log_level, value.log_file)
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
