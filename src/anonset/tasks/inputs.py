"""Inputs of tasks: a dataset with its schema, a release of it, and the limits of work on data in batches."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from anonset.data import read
from anonset.data.files import text
from anonset.engine.capacity import require_capacity
from anonset.engine.planning import Resources
from anonset.errors import Fix, InputError, ParameterError, Set, unknown
from anonset.measure.workload import Workload
from anonset.model.dataset import Dataset
from anonset.model.policy import with_policies
from anonset.model.progress import Progress, silent
from anonset.model.release import Provenance, Release
from anonset.model.schema import Schema, with_key
from anonset.releases.about import read_guarantee
from anonset.releases.folder import is_aligned, read_about, read_folder, read_manifest, schema_of_folder, with_domains
from anonset.releases.foreign import read_foreign
from anonset.verify.reading.promises import margins_of

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of work on data in batches, as typed."""

    memory: str | int | None = None
    jobs: int | None = None
    scheduler: str | None = None

    def resources(self) -> Resources:
        """Return the limits as numbers."""
        return resources(self.memory, self.jobs, self.scheduler)


def resources(memory: str | int | None = None, jobs: int | None = None, scheduler: str | None = None) -> Resources:
    """Return the limits of the work: a size such as 2GB, a number of threads or workers, the address of a scheduler."""
    if jobs is not None and jobs < 1:
        raise ParameterError(f"jobs must be 1 or more; got {jobs}")
    return Resources(None if memory is None else parse_size(memory), jobs, scheduler)


def parse_size(given: str | int) -> int:
    """A number of bytes from 2GB, 500M or 1000000."""
    found = SIZE.fullmatch(str(given).strip())
    if found is None or float(found[1]) <= 0:
        raise ParameterError(f"memory must be a size such as 2GB or 500MB; got {given!r}")
    return int(float(found[1]) * UNITS[found[2].upper()])


ATTACHED = frozenset({"item_hierarchy", "hierarchies", "sensitive_items"})


@dataclass(frozen=True, slots=True)
class Input:
    """A file or a table, and how to read it: a schema or a schema file, and single settings that override it."""

    data: Any
    settings: Mapping[str, Any] = field(default_factory=dict)
    schema: Schema | str | Path | None = None

    def __post_init__(self) -> None:
        if isinstance(self.data, pl.LazyFrame):
            object.__setattr__(self, "data", self.data.collect())

    def wanted(self) -> Schema:
        """Return the schema with the single settings applied; what it leaves open is guessed."""
        known, settings = [f.name for f in fields(Schema)], with_key(self.settings)
        odd = next((name for name in settings if name not in known), None)
        if odd is not None:
            raise ParameterError("there is " + unknown("setting", odd, known, choose="there are"))
        base = self.schema if isinstance(self.schema, Schema) else None
        if base is None:
            base = Schema() if self.schema is None else Schema.from_toml(str(self.schema))
        return replace(base, **settings)

    @property
    def file(self) -> Path:
        """The path of the data, which a study reads again in every process."""
        if str(self.data) == "-" or "://" in str(self.data):
            raise InputError("a study reads its data many times; save them to a file first and name that")
        return Path(self.data)

    def read(self, progress: Progress = silent) -> Dataset:
        """The dataset; raise InfeasibleError if memory is too small for it."""
        schema = self.wanted()
        require_capacity(self.data, schema)
        if schema.population is not None:
            require_capacity(schema.population, replace(schema, long=None))
        return read(self.data, schema=schema, progress=progress)


class Loaded(NamedTuple):
    """A release and its original; `aligned` where the input row of each record is known."""

    original: Dataset
    release: Release
    aligned: bool

    def require_rows(self) -> "Loaded":
        """Return itself; InputError where the input rows of records are not known."""
        if not self.aligned:
            aligned = Fix("{} if row i of the file is row i of the original", Set("aligned", True))
            raise InputError("the release has no row mapping:", fix=[Fix("give its private/ folder"), aligned])
        return self


def load(source: str | Path, original: Input | Dataset, progress: Progress = silent, *, aligned: bool = False) -> Loaded:
    """Return the release in a folder, or in a file that another tool wrote, with its original.

    `aligned` says of such a file that its row r is row r of the original.
    """
    place = Path(source)
    if place.is_file():
        dataset = original if isinstance(original, Dataset) else original.read(progress)
        return Loaded(dataset, read_foreign(place, dataset, aligned=aligned), aligned)
    dataset = _by_rules(place, original) if isinstance(original, Dataset) else read_original(place, original, progress)
    return Loaded(dataset, read_folder(place, dataset), is_aligned(place))


def _by_rules(folder: Path, data: Dataset) -> Dataset:
    """The data, with the hierarchies of a release that took over the rules of an earlier one."""
    return with_domains(folder, data) if (read_manifest(folder) or {}).get("like") else data


def sketch_of_folder(folder: Path) -> tuple[Release, int]:
    """Return a release in parts without its records, and how many it has."""
    from anonset.engine.publication import sketch_of  # slow to import

    about, manifest = read_about(folder / "published" / "about.json"), read_manifest(folder) or {}
    guarantees = tuple(read_guarantee(data) for data in manifest["guarantees"])
    made = Provenance(
        manifest["algorithm"], with_policies(manifest["parameters"]), manifest["anonset"], manifest.get("ends", "exact")
    )
    return replace(sketch_of(about["attributes"], guarantees, made), margins=margins_of(about)), int(about["records"])


def read_original(folder: Path, source: Input, progress: Progress = silent) -> Dataset:
    """Read the original of a release with the settings of the release; those of the input override them."""
    schema = schema_of_original(folder, source)
    require_capacity(source.data, schema)
    dataset = read(source.data, schema=schema, progress=progress)
    return dataset if given_of(source.wanted()).keys() & ATTACHED else with_domains(folder, dataset)


def schema_of_original(folder: Path, source: Input) -> Schema:
    """Return the schema of the original of a release: that of the release, overridden by the settings of the input."""
    return replace(schema_of_folder(folder), **given_of(source.wanted()))


def read_workload(source: str | Path | Workload) -> Workload:
    """A workload of queries, as it is or from a JSON file."""
    return source if isinstance(source, Workload) else Workload.from_json(text(Path(source)), file=str(source))


def given_of(schema: Schema) -> Mapping[str, Any]:
    """The fields of a schema that differ from their defaults."""
    empty = Schema()
    return {f.name: value for f in fields(Schema) if (value := getattr(schema, f.name)) != getattr(empty, f.name)}
