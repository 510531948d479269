"""A plan: which data, which algorithms with which parameters, what to measure, and how much it may cost."""

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from anonset.algorithms import ALGORITHMS
from anonset.data.policies import read_named
from anonset.errors import InputError, ParameterError
from anonset.measure import MEASURES
from anonset.measure.workload import ESTIMATORS, WORKLOAD_KINDS
from anonset.model.naming import unknown
from anonset.model.parameters import parameters, parse_values
from anonset.model.plain import to_plain
from anonset.model.policy import PrivacyPolicy, UtilityPolicy
from anonset.model.schema import Schema

WORKLOADS = (*WORKLOAD_KINDS, "file")


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
        """How the setting is shown: aa k=5 m=2."""
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

    @classmethod
    def from_toml(cls, path: str | Path) -> "Plan":
        """The plan of a TOML file; data paths are relative to the file."""
        try:
            values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=path) from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"is not valid TOML: {error}", file=path) from None
        try:
            return cls.from_values(values, Path(path).parent)
        except (InputError, ParameterError) as error:
            raise InputError(str(error), file=path) from None

    @classmethod
    def from_values(cls, values: Mapping[str, Any], folder: Path) -> "Plan":
        """The plan of parsed values: keys data, run, seeds, measures, workload, limits."""
        odd = set(values) - {"data", "run", "seeds", "measures", "workload", "limits"}
        if odd:
            raise InputError(f"there is no key {min(odd)!r}; there are data, run, seeds, measures, workload, limits")
        tables = values.get("data", [])
        data = tuple(_data(table, folder) for table in (tables if isinstance(tables, list) else [tables]))
        runs = values.get("run", [])
        if not data or not runs:
            raise InputError("a plan needs at least one [[data]] with a path and one [[run]] with an algorithm")
        seeds = values.get("seeds", [])
        settings = tuple(
            replace(setting, data=d) for d in range(len(data)) for run in runs for setting in _settings(run, seeds, folder)
        )
        measures = values.get("measures")
        for id in measures or ():
            if id not in MEASURES:
                raise ParameterError(unknown("measure", id, MEASURES))
        plan = cls(data, settings, None if measures is None else tuple(measures), _workload(values, folder))
        return replace(plan, **_limits(values.get("limits", {})))

    def key(self, setting: Setting, sources: tuple[str, ...]) -> str:
        """What names a trial: the same setting on the same bytes, measured the same way, has the same key."""
        what = [sources, setting.algorithm, sorted(setting.parameters.items()), self.measures, sorted(self.workload.items())]
        what += [to_plain(setting.policies)] if setting.policies else []
        return hashlib.sha256(json.dumps(what, default=str).encode()).hexdigest()[:16]


def _data(table: Mapping[str, Any], folder: Path) -> Data:
    if not isinstance(table, Mapping) or "path" not in table or set(table) - {"path", "name", "schema"}:
        raise InputError("[[data]] takes path, and optionally name and schema (a table of the schema's keys, or a file)")
    path = folder / table["path"]
    schema = table.get("schema", {})
    if isinstance(schema, str):
        return Data(path, Schema.from_toml(folder / schema), table.get("name", path.name))
    for name in ("item_hierarchy", "hierarchies", "long", "sensitive_items"):
        if isinstance(schema.get(name), str) and (folder / schema[name]).exists():
            schema = {**schema, name: folder / schema[name]}
    try:
        return Data(path, Schema(**schema), table.get("name", path.name))
    except TypeError as error:
        raise InputError(f"the schema of {path.name} has a wrong key: {error}") from None


def _settings(run: Mapping[str, Any], seeds: list[int], folder: Path) -> Iterator[Setting]:
    """Each combination of the listed values; the plan's seeds where the algorithm takes one and the run gives none."""
    name = run.get("algorithm")
    if name not in ALGORITHMS:
        raise ParameterError(unknown("algorithm", name, ALGORITHMS))
    chosen = {key: value for key, value in run.items() if key != "algorithm"}
    if seeds and "seed" not in chosen and any(p.name == "seed" for p in parameters(ALGORITHMS[name])):
        chosen["seed"] = seeds
    choices = [value if isinstance(value, list) else [value] for value in chosen.values()]
    for combination in product(*choices):
        values = parse_values(ALGORITHMS[name], dict(zip(chosen, combination, strict=True)))
        policies = read_named(ALGORITHMS[name], values, folder)
        ALGORITHMS[name](**values | policies)  # bad parameters are told before anything runs
        yield Setting(0, name, values, policies)


def _workload(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    workload = dict(values.get("workload", {}))
    if workload:
        kind = workload.setdefault("kind", "file" if "file" in workload else "random")
        if kind not in WORKLOADS:
            raise ParameterError(f"the workload's kind must be one of {', '.join(WORKLOADS)}; got {kind!r}")
        if workload.get("estimator", ESTIMATORS[0]) not in ESTIMATORS:
            raise ParameterError(f"the workload's estimator must be one of {', '.join(ESTIMATORS)}")
        if kind == "file":
            workload["file"] = str(folder / workload.get("file", ""))
    for id in () if workload else values.get("measures") or ():
        if MEASURES[id].must_have:
            raise InputError(f"measuring `{id}` needs a [workload]")
    return workload


def _limits(limits: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in limits.items():
        if (
            name not in {"seconds", "memory_mb", "processes"}
            or isinstance(value, bool)
            or not isinstance(value, int | float)
            or value <= 0
        ):
            raise InputError(f"[limits] takes seconds, memory_mb and processes, all above 0; got {name} = {value!r}")
    return dict(limits)
