"""Declared shapes of the JSON files of a release folder; a file of another shape is damaged."""

import csv
import zipfile
import zlib
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict, TypeVar, cast

from anonset.errors import AnonsetError, GuaranteeViolated, InputError
from anonset.model.serialization import Count, Scalar, parsed_json, shaped

Shape = TypeVar("Shape")
Named = dict[str, Any]
UNREADABLE: tuple[type[Exception], ...] = (AnonsetError, OSError, ValueError, TypeError, LookupError, ArithmeticError)
UNREADABLE += (AttributeError, AssertionError, RecursionError, csv.Error, zipfile.BadZipFile, zlib.error)
LIBRARIES = ("polars", "python_calamine")


def damage(error: Exception) -> str:
    """Return in one line why damaged files could not be read; raise an error that damage does not cause again."""
    if not isinstance(error, UNREADABLE) and not type(error).__module__.startswith(LIBRARIES):
        raise error
    return str(error).split("\n")[0] or type(error).__name__


class Attribute(TypedDict):
    """How to read one published attribute."""

    name: str
    role: Literal["quasi", "sensitive", "identifier", "other", "items"]
    kind: str
    labels: NotRequired[str]
    column: NotRequired[str]
    columns: NotRequired[dict[str, str]]
    separator: NotRequired[str]
    errors_column: NotRequired[str]
    marks: NotRequired[dict[str, str]]
    numbers: NotRequired[dict[str, str]]


class PublishedMargins(TypedDict):
    """Rounded counts of items."""

    k: Count
    counts: dict[str, Count]
    withheld: list[str]


class About(TypedDict):
    """published/about.json."""

    format: str
    records: Count
    guarantees: list[Named]
    attributes: list[Attribute]
    algorithm: str
    made_with: str
    margins: NotRequired[PublishedMargins]


class SourceFile(TypedDict):
    """A file that the release was made of."""

    name: str
    sha256: str


class Manifest(TypedDict):
    """private/manifest.json."""

    anonset: str
    algorithm: str
    parameters: dict[str, Any]
    guarantees: list[Named]
    inputs: NotRequired[list[SourceFile]]
    ends: NotRequired[str]
    plugin: NotRequired[str]
    files: NotRequired[dict[str, str]]
    reading: NotRequired[dict[str, Any] | None]


class HierarchyNodes(TypedDict):
    """A hierarchy, node by node."""

    labels: list[str]
    parent: list[int]
    derived: NotRequired[bool]


class Domains(TypedDict):
    """private/domains.json."""

    items: HierarchyNodes | None
    columns: dict[str, HierarchyNodes]
    sensitive_items: list[str] | None


class Recoding(TypedDict):
    """private/recoding.json."""

    columns: dict[str, dict[str, list[str]] | list[list[Scalar]]]
    items: dict[str, list[str]]
    suppressed: list[str]


class Told(TypedDict):
    """What verifying the parts of a release needs."""

    guarantees: list[Named]
    suppressed: list[str]
    items: dict[str, list[str]]


def read_release_file(path: Path, shape: type[Shape]) -> Shape:
    """Return the value in a file; GuaranteeViolated where it is missing, no JSON or of another shape."""
    name = f"{path.parent.name}/{path.name}"
    try:
        value = parsed_json(path.read_text(encoding="utf-8"), None)
    except OSError:
        raise GuaranteeViolated(f"{name} is damaged: it cannot be read") from None
    except (InputError, UnicodeDecodeError) as error:
        raise GuaranteeViolated(f"{name} is damaged: {error if isinstance(error, InputError) else 'it is no text'}") from None
    shaped(value, shape, file=f"{name} is damaged", error=GuaranteeViolated)
    return cast(Shape, value)
