"""From files and tables to datasets, hierarchies and releases."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonset.api.bars import Listener, listening
from anonset.api.release import Release
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.progress import silent
from anonset.tasks import hierarchy as hierarchies
from anonset.tasks import inputs
from anonset.tasks import profile as profiling

if TYPE_CHECKING:
    from anonset.model.builders import Material
    from anonset.model.schema import Schema


def read(source: Any, schema: "Schema | None" = None, *, progress: Listener = silent, **settings: Any) -> Dataset:
    """The dataset in a file or a DataFrame; `settings` are fields of Schema, e.g. quasi=["age", "zip"], items="codes".

    `progress` is "bar" (or True) for a bar, or a function that hears the share done and may raise `Cancelled`.
    """
    with listening(progress, "Reading") as heard:
        return inputs.Input(source, settings, schema).read(heard)


def load(folder: str | Path, original: Any, schema: "Schema | None" = None) -> Release:
    """The release in a folder as its files have it, beside its original: a dataset, a file or a DataFrame."""
    source = original if isinstance(original, Dataset) else inputs.Input(original, {}, schema)
    loaded = inputs.load(folder, source)
    return Release.of(loaded.original, loaded.release, aligned=loaded.aligned)


def profile(source: Any, schema: "Schema | None" = None, *, progress: Listener = silent, **settings: Any) -> profiling.Profile:
    """What is in a file, a DataFrame or a dataset, how it is read, and who is unique in it as it stands.

    `settings` are fields of Schema, as for `read`.
    """
    given = source if isinstance(source, Dataset) else inputs.Input(source, settings, schema)
    with listening(progress, "Profiling") as heard:
        return profiling.run(given, lambda phase: heard)


def build_hierarchy(how: str, values: "Dataset | Material | Iterable[str]", column: str | None = None) -> Hierarchy:
    """A hierarchy made as `how` says (`balanced:5`, `learned`, `ranges:10`, `dates`, `prefixes:2,3`, ...).

    Over the given values, or over the `column` of a dataset, or over its items where none is named.
    """
    return hierarchies.of_values(how, values, column)
