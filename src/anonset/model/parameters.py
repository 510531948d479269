"""Parameters are declared once, as fields of the algorithm; checks, command line, forms and docs read the declaration."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from anonset.errors import ParameterError, unknown
from anonset.model.policy import PrivacyPolicy, UtilityPolicy


@dataclass(frozen=True, slots=True)
class Bounds:
    """The closed range a number must lie in."""

    low: float
    high: float


K = Annotated[int, Bounds(1, 1_000_000_000), "records no attacker can tell apart"]
M = Annotated[int, Bounds(1, 1_000), "items an attacker may know"]
L = Annotated[int, Bounds(1, 1_000_000), "sensitive values behind every match"]
Seed = Annotated[int | None, Bounds(0, 2**63 - 1), "makes the run repeatable; none: the system's randomness"]
Protect = Annotated[
    Literal["no", "inversion"], "inversion: draws labels by chance, so that who knows the algorithm cannot exclude anybody"
]
Delta = Annotated[float, Bounds(0.0, 1.0), "bound on the loss of the part that is protected first"]
Share = Annotated[float, Bounds(0.0, 1.0), "a share between 0 and 1"]

REQUIRED = object()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One declared parameter of an algorithm."""

    name: str
    kind: type  # int, float, bool, str, or a policy class
    help: str
    default: Any = REQUIRED
    bounds: Bounds | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False

    @property
    def required(self) -> bool:
        """Whether the parameter must be given."""
        return self.default is REQUIRED


@cache
def parameters(algorithm: type) -> tuple[Parameter, ...]:
    """The parameters an algorithm class declares as its fields, in order, those that must be given first."""
    hints = get_type_hints(algorithm, include_extras=True)
    found = []
    for f in fields(algorithm):
        notes: tuple[Any, ...] = ()
        hint = hints[f.name]
        if get_origin(hint) is Annotated:
            hint, *rest = get_args(hint)
            notes = tuple(rest)
        kind, optional, choices = _plain(hint)
        default = f.default if f.default is not MISSING else REQUIRED
        if f.default_factory is not MISSING:
            default = f.default_factory()
        found.append(
            Parameter(
                f.name,
                kind,
                next((note for note in notes if isinstance(note, str)), ""),
                default,
                next((note for note in notes if isinstance(note, Bounds)), None),
                choices,
                optional,
            )
        )
    return tuple(sorted(found, key=lambda p: not p.required))


def check_parameters(algorithm: object) -> None:
    """Raise unless every field of an algorithm has a value of its declared type, range or choice."""
    declared: type = type(algorithm)
    for p in parameters(declared):
        _check(p, getattr(algorithm, p.name))


def parse_values(algorithm: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values a person typed, as the declared types; unknown names are an error that lists the known ones."""
    declared = {p.name: p for p in parameters(algorithm)}
    for name in values:
        if name not in declared:
            raise ParameterError("there is " + unknown("parameter", name, declared, choose="there are"))
    absent = [name for name, p in declared.items() if p.required and name not in values]
    if absent:
        raise ParameterError(f"{', '.join(absent)} must be given ({declared[absent[0]].help})")
    return {name: _parse(declared[name], value) for name, value in values.items()}


def _parse(p: Parameter, value: Any) -> Any:
    if p.kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str) or p.kind is str:
        return value
    if p.optional and value.lower() in {"none", "auto", ""}:
        return None
    if p.kind is bool and value.lower() in {"true", "false", "yes", "no", "1", "0"}:
        return value.lower() in {"true", "yes", "1"}
    try:
        return p.kind(value) if p.kind in (int, float) else value
    except ValueError:
        return value  # the check says what was expected


def _check(p: Parameter, value: Any) -> None:
    if value is None and p.optional:
        return
    if p.choices:
        if value not in p.choices:
            raise ParameterError(f"{p.name} must be one of {', '.join(p.choices)}; got {value!r}")
    elif p.kind in (int, float):
        accepted = (int, float) if p.kind is float else (int,)
        low, high = (p.bounds.low, p.bounds.high) if p.bounds else (float("-inf"), float("inf"))
        if isinstance(value, bool) or not isinstance(value, accepted) or not low <= value <= high:
            what = "an integer" if p.kind is int else "a number"
            raise ParameterError(f"{p.name} must be {what} from {low:g} to {high:g}; got {value!r}")
    elif p.kind in (bool, str) and not isinstance(value, p.kind):
        raise ParameterError(f"{p.name} must be {'true or false' if p.kind is bool else 'a text'}; got {value!r}")
    elif p.kind in (PrivacyPolicy, UtilityPolicy) and not isinstance(value, p.kind):
        raise ParameterError(f"{p.name} must be a policy, e.g. read from a file; got {type(value).__name__}")


def _plain(hint: Any) -> tuple[type, bool, tuple[str, ...]]:
    """The plain type behind a hint, whether None is allowed, and the choices of a Literal."""
    options = [hint]
    if get_origin(hint) in (Union, UnionType):
        options = [option for option in get_args(hint) if option is not NoneType]
        optional = NoneType in get_args(hint)
    else:
        optional = False
    if get_origin(options[0]) is Literal:
        return str, optional, get_args(options[0])
    if set(options) <= set(get_args(PrivacyPolicy)):
        return PrivacyPolicy, optional, ()  # type: ignore[return-value]
    if options == [UtilityPolicy]:
        return UtilityPolicy, optional, ()
    return options[0], optional, ()
