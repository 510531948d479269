"""Options that several commands share, in groups; a command receives each group as one frozen value.

An option is declared once. Those of `InputOptions`, `AlgorithmOptions`, `GuaranteeOptions` and `CoverOptions` are made from
the declarations of the library: fields of `Schema` and `Cover`, and the parameters k, m, l, delta and seed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, get_args, get_type_hints

import click

from anonset.cli.errors import flag_of
from anonset.model.cover import Cover
from anonset.model.parameters import Delta, K, L, M, Seed
from anonset.model.schema import Schema

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from anonset.model.release import Accepted
    from anonset.tasks.algorithms import AlgorithmChoice
    from anonset.tasks.inputs import Input, Limits
    from anonset.tasks.verify import Promise

OWN, ALGORITHM, INPUT, LARGE = "Options", "Algorithm and guarantee", "Input", "Data larger than memory"
ACCEPTED, OUTPUT, COVER = "Exceptions", "Output", "Report and certificate"
PANELS = (OWN, ALGORITHM, INPUT, LARGE, ACCEPTED, OUTPUT, COVER)  # of a help text, in this order
DATA = "A file (CSV, TSV, Parquet, Feather, JSON, Excel, FIMI, SPMF; also compressed), - for standard input, or a URL."
ENDS = (
    "Ends of numeric ranges: `auto` rounds numbers of four digits or more outward, by at most 1 %, `rounded` all, `exact` none."
)
PARAMETERS: dict[str, Any] = {"k": K, "m": M, "l": L, "delta": Delta, "seed": Seed}  # those with options of their own
OF_GUARANTEES = ("k", "m", "l")
LISTS = ("quasi", "sensitive", "identifier", "other", "items", "drop_items")  # separated by commas, or given several times
F = TypeVar("F", bound=Callable[..., Any])
SYNONYMS = {"id": ("--key",), "items": ("--item",)}  # names that people who work with databases look for


class FilePath(click.ParamType["Path | str"]):
    """A path that shells complete; it is not checked here, since tasks say more precisely what is wrong with it."""

    name = "path"

    def __init__(self, kind: type[Path] | type[str]) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path | str:
        """Return the path as it was typed."""
        return self.kind(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list["CompletionItem"]:
        """Let the shell complete the name of a file or folder."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


PATH = FilePath(Path)
SOURCE = FilePath(str)  # a path or an address


class Option(click.Option):
    """An option that is listed in a panel of the help text."""

    def __init__(self, *args: Any, panel: str = OWN, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.panel = panel

    def make_metavar(self, ctx: click.Context) -> str:
        """Return the placeholder of the value: the declared one, or N or X for a number."""
        numbers = {click.types.IntParamType: "N", click.types.FloatParamType: "X"}
        plain = next((letter for kind, letter in numbers.items() if isinstance(self.type, kind)), None)
        return plain if plain is not None and self.metavar is None and not self.is_flag else super().make_metavar(ctx)


def option(*names: str, **attributes: Any) -> Callable[[F], F]:
    """Decorate a command with an option; it takes what `click.option` takes, and the `panel`."""
    return click.option(*names, cls=Option, **attributes)


class OptionGroup:
    """Base of frozen values whose fields are options, each made by `member`.

    A group with options that are `declared` elsewhere has a field `given` at their place: the values that were given, by
    the name they are declared under.
    """

    declared: ClassVar[Mapping[str, Option]] = {}

    @classmethod
    def options(cls) -> list[Option]:
        """Return the options of the group."""
        found: list[Option] = []
        for f in fields(cls):  # type: ignore[arg-type]  # every subclass is a dataclass
            found += cls.declared.values() if f.name == "given" else [f.metadata["option"]]
        return found

    @classmethod
    def take(cls, values: dict[str, Any]) -> Self:
        """Take the group's values out of those that were parsed."""
        taken: dict[str, Any] = {found.name: values.pop(found.name) for found in cls.options()}
        if cls.declared:
            declared = {name: taken.pop(found.name) for name, found in cls.declared.items()}
            taken["given"] = {name: value for name, value in declared.items() if value not in (None, False, ())}
        return cls(**taken)


def member(*names: str, default: Any = None, **attributes: Any) -> Any:
    """Return a field of a group that is given by an option."""
    found = Option(names, **attributes if default is None else attributes | {"default": default})
    return field(default=() if found.multiple else default, metadata={"option": found})


def declared_options(declaration: type, panel: str) -> dict[str, Option]:
    """Return an option for each field of a declaration that has a description, by the name of the field."""
    found = {}
    for name, hint in get_type_hints(declaration, include_extras=True).items():
        notes = [note for note in getattr(hint, "__metadata__", ()) if isinstance(note, str)]
        if notes:
            is_flag = get_args(hint)[0] is bool
            metavar = None if is_flag else notes[1]
            found[name] = Option(
                [flag_of(name), *SYNONYMS.get(name, ())],
                panel=panel,
                is_flag=True if is_flag else None,
                multiple=name in LISTS,
                metavar=metavar,
                type=SOURCE if metavar in ("FILE", "DIR") else None,
                help=_sentence(notes[0]),
            )
    return found


def parameter_options(names: tuple[str, ...]) -> dict[str, Option]:
    """Return an option for each of these parameters, described as it is declared; its value stays a text."""
    found = {}
    for name in names:
        description = next(note for note in PARAMETERS[name].__metadata__ if isinstance(note, str))
        metavar = "X" if name == "delta" else "N"
        found[name] = Option([flag_of(name)], panel=ALGORITHM, metavar=metavar, help=_sentence(description))
    return found


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


@dataclass(frozen=True, slots=True)
class InputOptions(OptionGroup):
    """How the data are read: single settings, and a file with more of them."""

    declared: ClassVar = declared_options(Schema, INPUT)
    schema: Path | None = member(
        "--schema", panel=INPUT, type=PATH, metavar="FILE.toml", help="Take these settings from a file; options override it."
    )
    given: Mapping[str, Any] = field(default_factory=dict)

    def of(self, data: Any) -> "Input":
        """Return the data with their settings; what is not given is guessed when they are read."""
        from anonset.tasks.inputs import Input

        settings = {name: names(",".join(value)) if name in LISTS else value for name, value in self.given.items()}
        return Input(data, settings, self.schema)

    def words(self) -> list[str]:
        """Return the options as they can be typed again."""
        found = [] if self.schema is None else ["--schema", str(self.schema)]
        for name, value in self.given.items():
            text = ",".join(value) if name in LISTS else str(value)
            found += [self.declared[name].opts[0], *([] if value is True else [text])]
        return found


@dataclass(frozen=True, slots=True)
class AlgorithmOptions(OptionGroup):
    """An algorithm and its parameters."""

    declared: ClassVar = parameter_options(tuple(PARAMETERS))
    algorithm: str | None = member(
        "--algorithm",
        "-a",
        panel=ALGORITHM,
        metavar="ID",
        help="See `anonset algorithms`; chosen to fit the data if not given.",
    )
    given: Mapping[str, str] = field(default_factory=dict)
    refine: bool = member("--refine", panel=ALGORITHM, is_flag=True, default=False, help="Improve the result afterwards.")
    set: tuple[str, ...] = member(
        "--set", panel=ALGORITHM, multiple=True, metavar="NAME=VALUE", help="Any other parameter; may be repeated."
    )
    policy: Path | None = member(
        "--policy", panel=ALGORITHM, type=PATH, metavar="FILE.toml", help="Privacy and utility constraints."
    )

    def choice(self) -> "AlgorithmChoice":
        """Return the algorithm with the values of its parameters, as typed."""
        from anonset.tasks.algorithms import AlgorithmChoice

        values: dict[str, Any] = dict(self.given) | ({"refine": True} if self.refine else {})
        return AlgorithmChoice(self.algorithm, values | pairs(self.set, values), self.policy)


@dataclass(frozen=True, slots=True)
class GuaranteeOptions(OptionGroup):
    """A guarantee to check instead of the one that a release declares."""

    declared: ClassVar = parameter_options(OF_GUARANTEES)
    guarantee: str | None = member(
        "--guarantee", panel=ALGORITHM, metavar="ID", help="The guarantee to check, instead of the release's own."
    )
    given: Mapping[str, str] = field(default_factory=dict)
    set: tuple[str, ...] = member(
        "--set", panel=ALGORITHM, multiple=True, metavar="NAME=VALUE", help="Any other parameter of it; may be repeated."
    )
    policy: Path | None = member(
        "--policy", panel=ALGORITHM, type=PATH, metavar="FILE.toml", help="The constraints of the guarantee."
    )

    def promise(self) -> "Promise | None":
        """Return the guarantee with its parameters as numbers, or None where none is given."""
        from anonset.tasks.verify import Promise

        values = dict(self.given) | pairs(self.set, self.given)
        if self.guarantee is None:
            return None
        return Promise(self.guarantee, {name: _number_or_text(text) for name, text in values.items()}, self.policy)


@dataclass(frozen=True, slots=True)
class CoverOptions(OptionGroup):
    """What report and certificate say about the release."""

    declared: ClassVar = declared_options(Cover, COVER)
    given: Mapping[str, str] = field(default_factory=dict)

    def cover(self) -> Cover:
        """Return the cover, with today's date."""
        return Cover(**self.given)

    def words(self) -> list[str]:
        """Return the options as they can be typed again."""
        return [word for name, value in self.given.items() for word in (self.declared[name].opts[0], value)]


@dataclass(frozen=True, slots=True)
class AcceptOptions(OptionGroup):
    """What is published although a gate would refuse it."""

    accept_exposure: tuple[str, ...] = member(
        "--accept-exposure",
        panel=ACCEPTED,
        multiple=True,
        metavar="COLUMN",
        help="Publish this column although no guarantee covers it or it nearly names people; recorded. May be repeated.",
    )
    accept_loss: bool = member(
        "--accept-loss",
        panel=ACCEPTED,
        is_flag=True,
        default=False,
        help="Publish although hardly any information is left; recorded.",
    )
    accept_repeats: bool = member(
        "--accept-repeats",
        panel=ACCEPTED,
        is_flag=True,
        default=False,
        help="Count records although several belong to one person; recorded. --key merges them instead.",
    )

    def accepted(self) -> "Accepted":
        """Return what is accepted; columns may also be separated by commas."""
        from anonset.model.release import Accepted

        columns = [name for text in self.accept_exposure for name in names(text)]
        return Accepted(tuple(columns), self.accept_loss, self.accept_repeats)


@dataclass(frozen=True, slots=True)
class LargeDataOptions(OptionGroup):
    """What work on data larger than memory may use; any of these options has the data read in batches."""

    memory: str | None = member(
        "--memory", panel=LARGE, metavar="SIZE", help="Read the data in batches, within this much memory, e.g. 2GB."
    )
    jobs: int | None = member(
        "--jobs", panel=LARGE, type=int, metavar="N", help="Number of threads or, with a scheduler, of workers."
    )
    scheduler: str | None = member(
        "--scheduler", panel=LARGE, metavar="ADDRESS", help="A Dask cluster: tcp://..., or `local` to start one."
    )

    def limits(self) -> "Limits | None":
        """Return what the work may use, or None where the data are read at once."""
        from anonset.tasks.inputs import Limits  # with the engine, which most runs do not need

        given = (self.memory, self.jobs, self.scheduler)
        return None if given == (None, None, None) else Limits(*given)


@dataclass(frozen=True, slots=True)
class OutputOptions(OptionGroup):
    """What a command prints and logs."""

    json: bool = member("--json", panel=OUTPUT, is_flag=True, default=False, help="Print one JSON object.")
    quiet: bool = member("--quiet", "-q", panel=OUTPUT, is_flag=True, default=False, help="Print no progress and no notes.")
    traceback: bool = member(
        "--traceback", panel=OUTPUT, is_flag=True, default=False, help="Show the whole traceback of an error."
    )
    log_level: str | None = member(
        "--log-level", panel=OUTPUT, metavar="LEVEL", help="Log from this level on: debug, info, warning or error."
    )
    log_file: Path | None = member(
        "--log-file", panel=OUTPUT, type=PATH, metavar="FILE", help="Log to this file; nothing of the data is logged."
    )


def pairs(texts: tuple[str, ...], given: Mapping[str, Any], *, flag: str = "--set") -> dict[str, str]:
    """Return values by name from texts like name=value; a name may be given once only."""
    from anonset.errors import ParameterError

    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"{flag} needs name=value; got {text!r}")
        if name in given or name in pairs:
            raise ParameterError(f"{name} is given twice")
        pairs[name] = value
    return pairs


def names(text: str) -> tuple[str, ...]:
    """Return the names in a text that separates them by commas; none for an empty text."""
    return tuple(name.strip() for name in text.split(",")) if text else ()


def _number_or_text(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
