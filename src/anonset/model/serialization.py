"""One JSON layer: values to plain data and to text, and data back in their declared shape.

A dataclass or named tuple becomes an object of its fields. One whose JSON differs says so in one way: its method `as_json`
returns what is written in its place, which may hold other values. A class with `json_tag = True` is written with its name as
`type`, so that it can be read back.
"""

import json
import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar, runtime_checkable

import msgspec

from anonset.errors import Advice, AnonsetError, InputError, unknown


@runtime_checkable
class HasJson(Protocol):
    """A value whose JSON differs from its fields."""

    def as_json(self) -> Any:
        """What is written in its place."""


def to_builtins(value: Any, text: Callable[[str], str] = str, *, finite: bool = True) -> Any:
    """The value with nothing but what JSON has; `text` renders sentences, numbers that are not `finite` become None."""
    if value is None or type(value) in (str, int, bool):  # as most are
        return value
    if isinstance(value, Advice):
        return text(value)
    if hasattr(value, "tolist"):  # arrays and numbers of numpy, which need not be loaded for this
        return to_builtins(value.tolist(), text, finite=finite)
    if isinstance(value, float):
        return None if finite and not math.isfinite(value) else value
    if isinstance(value, HasJson):
        return to_builtins(value.as_json(), text, finite=finite)
    if (members := _members(value)) is not None:
        return {str(name): to_builtins(part, text, finite=finite) for name, part in members.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_builtins(part, text, finite=finite) for part in value]
    return value if isinstance(value, bool | int | str) else str(value)


def _members(value: Any) -> Mapping[Any, Any] | None:
    """The members of what becomes an object; None for anything else."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        named: dict[str, Any] = value._asdict()
        return named
    if not is_dataclass(value) or isinstance(value, type):
        return None
    tag = {"type": type(value).__name__} if getattr(value, "json_tag", False) else {}
    return tag | {f.name: getattr(value, f.name) for f in fields(value)}


def to_json(value: Any, *, indent: int | None = 1, finite: bool = True) -> str:
    """The one spelling of a value as JSON; not by msgspec, whose spelling of numbers would change published bytes."""
    return json.dumps(to_builtins(value, finite=finite), ensure_ascii=False, indent=indent) + "\n"


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, readable."""
    path.write_text(to_json(value), encoding="utf-8", newline="\n")


Shape = TypeVar("Shape")
Scalar = str | int | float | bool
Count = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[float, msgspec.Meta(gt=0)]
WORDS = {
    "object": "a table",
    "array": "a list",
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
}
WORDS |= {"null": "nothing"}


class Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A table with no other keys than those declared."""


def shaped(value: Any, shape: type[Shape], *, file: str | Path | None = None, error: type[AnonsetError] = InputError) -> Shape:
    """The value in its declared shape; otherwise an error that names the file and the key, and quotes nothing."""
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as problem:
        text = _in_words(str(problem), shape)
    raise InputError(text, file=file) if error is InputError else error(f"{file}: {text}" if file else text)


def read_toml(path: str | Path) -> dict[str, Any]:
    """The table in a TOML file."""
    return parsed_toml(_text(path), path)


def parsed_toml(text: str, path: str | Path) -> dict[str, Any]:
    """The table that a TOML text holds."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not valid TOML: {_place(str(error))}", file=path) from None
    except RecursionError:
        raise InputError("is nested too deeply", file=path) from None
    except ValueError:
        raise InputError("has a number that is too long", file=path) from None


def parsed_json(text: str, path: str | Path | None) -> Any:
    """The value that a JSON text holds."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is not valid JSON: {error.msg}", file=path, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise InputError("is nested too deeply", file=path) from None
    except ValueError:
        raise InputError("has a number that is too long", file=path) from None


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("must be UTF-8 text", file=path) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or 'not a path'}", file=path) from None


def _place(told: str) -> str:
    """What a parser said, without what it quotes."""
    return re.sub(r"\s*\(?(['\"]).*\1", "", told)


def _in_words(told: str, shape: Any) -> str:
    """A sentence about the key, from: Expected `int`, got `str` - at `$.run[0].k`."""
    what, _, where = told.partition(" - at ")
    where = where.strip("`").removeprefix("$").removeprefix(".").replace("[...]", ".*").removeprefix(".")
    if found := re.match(r"Object contains unknown field `(.*)`", what):
        if not where:
            return "there is " + unknown("key", found[1], getattr(shape, "__struct_fields__", ()), choose="there are")
        nested = dict.fromkeys(_keys(msgspec.inspect.type_info(shape)))
        return f"{where}: there is " + unknown("key", found[1], nested, otherwise="look at the names of the others")
    if found := re.match(r"Object missing required field `(.*)`", what):
        return f"{where}: " * bool(where) + f"the key {found[1]!r} is missing"
    said = re.sub(r"`([a-z| ]+)`", lambda kind: " or ".join(WORDS.get(part.strip(), part) for part in kind[1].split("|")), what)
    said = (said[:1].lower() + said[1:]).replace(" > ", " above ").replace(" >= ", " of at least ").replace(".0", "")
    return f"{where or 'the file'}: {said}"


def _keys(info: Any) -> Iterator[str]:
    """The names of all keys that a shape has, however deep."""
    for part in getattr(info, "fields", ()):
        yield part.name
        yield from _keys(part.type)
    inside = [getattr(info, name) for name in ("item_type", "value_type") if hasattr(info, name)]
    for part in (*inside, *getattr(info, "types", ())):
        yield from _keys(part)
