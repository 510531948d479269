"""What is new in data that a project has seen before: values that its hierarchies do not cover, columns, values, records."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from anonset.data.hierarchies import read_hierarchy, write_hierarchy
from anonset.data.read import attach
from anonset.errors import InputError, NewValuesError, way
from anonset.model.hierarchy import plant
from anonset.model.release_files import Recoding, read_release_file
from anonset.model.schema import NO_ROLE, Schema
from anonset.releases.folder import read_manifest
from anonset.tasks.anonymize import Anonymized
from anonset.tasks.inputs import Input
from anonset.tasks.project.file import ProjectFile


@dataclass(frozen=True, slots=True)
class Seen:
    """How many records a release was made of, and the values of its columns and items."""

    records: int
    values: Mapping[str, frozenset[str]]


def seen(folder: Path) -> Seen:
    """What a release folder tells about the data it was made of, from its private half."""
    recoding = read_release_file(folder / "private" / "recoding.json", Recoding)
    values = {name: _members(labels) for name, labels in recoding["columns"].items() if isinstance(labels, dict)}
    values["items"] = _members(recoding["items"]) | frozenset(recoding["suppressed"])
    return Seen((read_manifest(folder) or {}).get("input_records", 0), values)


def since(before: Seen, now: Seen) -> tuple[str, ...]:
    """What data have that those of the release before did not."""
    told = [f"{before.records:,} records before, {now.records:,} now"] if before.records != now.records else []
    for name, values in now.values.items():
        if more := len(values - before.values.get(name, frozenset())):
            told.append(f"{name}: {more:,} value{'s' if more > 1 else ''} that the release before did not have")
    return tuple(told)


def new_columns(project: ProjectFile, made: Anonymized) -> tuple[str, ...]:
    """What to say of columns that the project file does not know: they are left out."""
    unknown = [fate.column for fate in made.columns if fate.role == NO_ROLE and fate.column not in project.roles.left_out]
    return tuple(f"{name} is a new column: left out until [roles] of the project file names it" for name in unknown)


def uncovered(source: Input) -> InputError:
    """The error that names every hierarchy which does not cover the data, and the way out."""
    told = [str(error) for _, error in _refused(source)]
    way_out = f"add them to the file, or run it with {way('add_values', True)} to put them below its root"
    return NewValuesError(f"{'; '.join(told)}; {way_out}")


def add_values(source: Input) -> tuple[str, ...]:
    """Put values that a hierarchy file does not cover directly below its root, where they generalize to anything at once."""
    told = []
    for column, error in _refused(source):
        file, new = Path(_hierarchies(source)[column]), error.values
        tree = read_hierarchy(file)
        labels, parent = [*tree.labels, *new], [*tree.parent.tolist(), *[tree.root] * len(new)]
        write_hierarchy(plant(labels, parent, tree.root), file)
        told.append(f"{column}: {len(new):,} new value{'s' if len(new) > 1 else ''} put below the root of {file.name}")
    return tuple(told)


def _refused(source: Input) -> list[tuple[str, NewValuesError]]:
    """The columns whose hierarchy does not cover the data."""
    bare = replace(source.wanted(), hierarchies=None, item_hierarchy=None, sensitive_items=None)
    data, found = Input(source.data, schema=bare).read(), []
    for column, file in _hierarchies(source).items():
        try:
            attach(data, Schema(hierarchies={column: file}, kinds=source.wanted().kinds))
        except NewValuesError as error:
            found.append((column, error))
    return found


def _hierarchies(source: Input) -> Mapping[str, str | Path]:
    given = source.wanted().hierarchies
    return given if isinstance(given, Mapping) else {}


def _members(labels: Mapping[str, list[str]]) -> frozenset[str]:
    return frozenset(name for members in labels.values() for name in members)
