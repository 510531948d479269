"""The plan of a study: datasets, algorithms with parameters, measures, and limits of time and memory."""

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import msgspec

from anonset.algorithms import ALGORITHMS
from anonset.algorithms.base import Algorithm
from anonset.data.policies import read_named
from anonset.errors import InputError, ParameterError, unknown
from anonset.measure import MEASURES
from anonset.measure.workload import ESTIMATORS, WORKLOAD_KINDS, check_sizes
from anonset.model.ends import Ends
from anonset.model.parameters import parameters, parse_values
from anonset.model.policy import PrivacyPolicy, UtilityPolicy
from anonset.model.schema import Schema
from anonset.model.serialization import Count, Positive, Scalar, Strict, read_toml, shaped, to_builtins

WORKLOADS = (*WORKLOAD_KINDS, "file")
MOST_SETTINGS = 10_000


@dataclass(frozen=True, slots=True)
class Data:
    """One dataset of a plan."""

    path: Path
    schema: Schema = field(default_factory=Schema)
    name: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """One algorithm with one choice of parameters on one dataset; policies go by the names of their files."""

    data: int
    algorithm: str
    parameters: Mapping[str, Any]
    policies: Mapping[str, PrivacyPolicy | UtilityPolicy] = field(default_factory=dict)

    def label(self) -> str:
        """Return the setting as text: aa k=5 m=2."""
        return " ".join([self.algorithm, *(f"{name}={value}" for name, value in self.parameters.items())])


@dataclass(frozen=True, slots=True)
class Plan:
    """Datasets x algorithms x parameters x seeds x measures, and the limits of a run."""

    data: tuple[Data, ...]
    settings: tuple[Setting, ...]
    measures: tuple[str, ...] | None = None
    workload: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 600.0
    memory_mb: float = 8_000.0
    processes: int = 1
    ends: Ends = "auto"  # of published ranges

    @classmethod
    def from_toml(cls, path: str | Path) -> "Plan":
        """The plan of a TOML file; data paths are relative to the file."""
        try:
            return cls.from_values(read_toml(path), Path(path).parent)
        except (InputError, ParameterError) as error:
            raise InputError(error.advice, file=path) from None

    @classmethod
    def from_values(cls, values: Mapping[str, Any], folder: Path) -> "Plan":
        """The plan of parsed values: keys data, run, seeds, measures, workload, limits, ends."""
        file = shaped(dict(values), _PlanFile)
        data = tuple(_data(table, folder) for table in (file.data if isinstance(file.data, list) else [file.data]))
        if not data or not file.run:
            raise InputError("a plan needs at least one [[data]] with a path and one [[run]] with an algorithm")
        for id in file.measures or ():
            if id not in MEASURES:
                raise ParameterError(unknown("measure", id, MEASURES))
        runs = [setting for run in file.run for setting in _settings(run, file.seeds, folder)]
        settings = tuple(replace(setting, data=d) for d in range(len(data)) for setting in runs)
        measures = None if file.measures is None else tuple(file.measures)
        limits = {name: getattr(file.limits, name) for name in file.limits.__struct_fields__}
        return cls(data, settings, measures, _workload(file, folder), **limits, ends=file.ends)

    def key(self, setting: Setting, sources: tuple[str, ...]) -> str:
        """Return the key of a trial: the same for the same setting on the same bytes with the same measures."""
        what = [sources, setting.algorithm, sorted(setting.parameters.items()), self.measures, sorted(self.workload.items())]
        what += [self.ends]
        what += [to_builtins(setting.policies)] if setting.policies else []
        return hashlib.sha256(json.dumps(what, default=str).encode()).hexdigest()[:16]


class _DataTable(Strict, frozen=True):
    path: str
    name: str = ""
    schema: dict[str, Any] | str = msgspec.field(default_factory=dict)


class _Limits(Strict, frozen=True):
    seconds: Positive = 600.0
    memory_mb: Positive = 8_000.0
    processes: Annotated[int, msgspec.Meta(ge=1)] = 1


class _PlanFile(Strict, frozen=True):
    data: list[_DataTable] | _DataTable = msgspec.field(default_factory=list)
    run: list[dict[str, Any]] = msgspec.field(default_factory=list)
    seeds: list[Count] = msgspec.field(default_factory=list)
    measures: list[str] | None = None
    workload: dict[str, Scalar] = msgspec.field(default_factory=dict)
    limits: _Limits = _Limits()
    ends: Ends = "auto"


def _data(table: _DataTable, folder: Path) -> Data:
    path = folder / table.path
    name = table.name or path.name
    schema = table.schema
    if isinstance(schema, str):
        return Data(path, Schema.from_toml(folder / schema), name)
    for key in ("item_hierarchy", "hierarchies", "long", "population", "sensitive_items"):
        if isinstance(schema.get(key), str) and os.path.exists(folder / schema[key]):
            schema = {**schema, key: folder / schema[key]}
    return Data(path, Schema.from_values(schema), name)


def _settings(run: Mapping[str, Any], seeds: Sequence[int], folder: Path) -> Iterator[Setting]:
    """Each combination of the listed values; the plan's seeds where the algorithm draws and the run gives none."""
    name = run.get("algorithm")
    algorithm = ALGORITHMS.find(name)
    chosen = {key: value for key, value in run.items() if key != "algorithm"}
    if seeds and "seed" not in chosen and _draws(algorithm, chosen):
        chosen["seed"] = list(seeds)
    choices = [value if isinstance(value, list) else [value] for value in chosen.values()]
    if (many := math.prod(map(len, choices))) > MOST_SETTINGS:
        raise ParameterError(f"a run of {name} has {many:,} combinations; a plan takes at most {MOST_SETTINGS:,} of one run")
    for combination in product(*choices):
        values = parse_values(algorithm, dict(zip(chosen, combination, strict=True)))
        policies = read_named(algorithm, values, folder)
        algorithm(**values | policies)  # raises for bad parameters before anything runs
        yield Setting(0, algorithm.name, values, policies)


def _draws(algorithm: type[Algorithm], chosen: Mapping[str, Any]) -> bool:
    """Return whether a seed may change what the algorithm does: some draw at random only to be protected."""
    names = {p.name for p in parameters(algorithm)}
    return "seed" in names and ("protect" not in names or chosen.get("protect", "no") != "no")


def _workload(file: _PlanFile, folder: Path) -> dict[str, Any]:
    workload: dict[str, Any] = dict(file.workload)
    if workload:
        kind = workload.setdefault("kind", "file" if "file" in workload else "random")
        if kind not in WORKLOADS:
            raise ParameterError(f"the workload's kind must be one of {', '.join(WORKLOADS)}; got {kind!r}")
        if workload.get("estimator", ESTIMATORS[0]) not in ESTIMATORS:
            raise ParameterError(f"the workload's estimator must be one of {', '.join(ESTIMATORS)}")
        if kind == "file":
            workload["file"] = str(folder / str(workload.get("file", "")))
        elif "n" in workload:
            check_sizes(n=workload["n"])
    for id in () if workload else file.measures or ():
        if MEASURES[id].must_have:
            raise InputError(f"measuring `{id}` needs a [workload]")
    return workload
