"""Compare many algorithms and parameters on the same data, on a map of risk and utility."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from anonset.errors import Cancelled, ParameterError, unknown
from anonset.measure import MEASURES
from anonset.measure.workload import Workload
from anonset.model.dataset import Dataset
from anonset.model.ends import check_ends
from anonset.model.progress import Phases, Progress, silent, unheard
from anonset.notebook import bullets, card, table
from anonset.report.svg import Drawing
from anonset.study.plan import Data, Plan
from anonset.study.ru_map import (
    QUERY_ERROR,
    RISK,
    RISK_OF_PROTECTED,
    MapPoint,
    best_under,
    by_data,
    knee,
    other_risk,
    promises,
    risk_axis,
    risk_limit,
    ru_points,
)
from anonset.study.runner import run as run_plan
from anonset.study.runner import run_in_memory
from anonset.study.trial import Trial, trial_table
from anonset.tasks.inputs import Input
from anonset.tasks.views import of_points, to_library

if TYPE_CHECKING:
    import pandas as pd

Runs = Mapping[str, Mapping[str, Any]] | Sequence[Mapping[str, Any]]
SHOWN = 5  # most settings without a release that a notebook lists
NO_PAGES = "pages and maps need the extra: pip install 'anonset[report]'"


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """A plan, on its own data or on other ones; the folder for trials and map; and the loss and risk limit of the map."""

    plan: Path
    output: Path
    source: Input | None = None
    loss: str | None = None  # defaults to the error of queries
    max_risk: str = "0.2"
    processes: int | None = None
    risk: str | None = None  # defaults to what suits the guarantees


@dataclass(frozen=True, slots=True)
class Compared:
    """Every trial, the map and the best trial within the risk for each dataset, and the files that were written."""

    trials: tuple[Trial, ...]
    maps: Mapping[str, tuple[MapPoint, ...]]
    best: Mapping[str, MapPoint | None]
    files: tuple[Path, ...]
    remarks: tuple[str, ...]
    loss: str = "are"
    limit: float = 0.2

    def __repr__(self) -> str:
        done = sum(trial.outcome == "done" for trial in self.trials)
        best = ", ".join(f"{point.label} on {name}" for name, point in self.best.items() if point is not None)
        return (
            f"<Compared: {done} of {len(self.trials)} settings gave a release; within {self.limit:.3g} best: {best or 'none'}>"
        )

    def _repr_html_(self) -> str:
        parts = []
        for name, points in self.maps.items():
            parts.append(str(of_points(points, limit=self.limit, loss=self.loss, title=map_title(name))))
            axis = points[0].axis if points else RISK
            rows = [(p.label, p.risk, p.beside, p.loss, "yes" if p.on_frontier else "") for p in points]
            caption = "" if len(self.maps) == 1 else name
            parts.append(table(("setting", axis, other_risk(axis), self.loss, "on the frontier"), rows, caption=caption))
        failed = [f"{trial.label}: {trial.reason or trial.outcome}" for trial in self.trials if trial.outcome != "done"]
        return card(repr(self)[1:-1], *parts, bullets((*failed[:SHOWN], *self.remarks)))

    def plot(self, name: str | None = None) -> Drawing:
        """The map of risk and utility, to look at or to `save` as SVG: of the named dataset where there are several."""
        chosen = next(iter(self.maps)) if name is None else name
        if chosen not in self.maps:
            raise ParameterError(unknown("dataset", chosen, self.maps))
        return of_points(self.maps[chosen], limit=self.limit, loss=self.loss, title=map_title(chosen))

    def to_polars(self) -> pl.DataFrame:
        """The trials as a table: a row for each, its parameters in columns `p.NAME` and its measures in `m.ID`."""
        return trial_table(self.trials)

    def to_pandas(self) -> "pd.DataFrame":
        """The same as a pandas DataFrame."""
        found: pd.DataFrame = to_library(self.to_polars(), "pandas")
        return found

    def knees(self, name: str) -> dict[str, MapPoint | None]:
        """The knee of each series on the map of one dataset."""
        points = self.maps[name]
        return {series: knee([p for p in points if p.series == series]) for series in dict.fromkeys(p.series for p in points)}

    def as_json(self) -> dict[str, Any]:
        """The trials, the best of them (by dataset where there are several), and the files."""
        best = self.best if len(self.best) > 1 else next(iter(self.best.values()), None)
        return {
            "trials": self.trials,
            "best": best,
            "files": self.files,
        }


def run(request: CompareRequest, phases: Phases = unheard) -> Compared:
    """Run a plan: every setting verified and measured, resumable, with an R-U map at the end."""
    limit = risk_limit(request.max_risk)
    risk_axis((), request.risk)  # raises for an unknown one before anything runs
    plan = _plan(request)
    try:
        trials = run_plan(plan, request.output, progress=phases("Trials"))
    except KeyboardInterrupt:
        finished = request.output / "trials.jsonl"
        raise Cancelled(f"interrupted; what ended is in {finished}, and the same command goes on") from None
    loss = request.loss or QUERY_ERROR
    maps = {name: ru_points(own, loss, request.risk) for name, own in by_data(trials).items()}
    files, remarks = write_pages(trials, request.output, loss, limit, request.risk)
    return Compared(
        trials,
        maps,
        {name: best_under(points, limit) for name, points in maps.items()},
        (request.output / "trials.jsonl", *files),
        (*_different_promises(trials), *remarks),
        loss,
        limit,
    )


def of_dataset(
    data: Dataset,
    runs: Runs,
    *,
    workload: Workload | Mapping[str, Any] | None = None,
    measures: Sequence[str] | None = None,
    seeds: Sequence[int] = (),
    loss: str = "are",
    risk: str | None = None,
    max_risk: str | float = "0.2",
    seconds: float = inf,
    progress: Progress = silent,
    ends: str = "auto",
) -> Compared:
    """Compare settings on a dataset in memory, in this process; `runs` lists algorithms with values of their parameters."""
    limit = risk_limit(str(max_risk))
    risk_axis((), risk)
    for id in (loss, *(measures or ())):
        if callable(id):
            raise ParameterError("a comparison takes ids of measures; Release.measure takes functions too")
        if id not in MEASURES:
            raise ParameterError(unknown("measure", id, MEASURES))
    name = data.sources[0].name if data.sources else "data"
    values = {
        "data": {"path": name},
        "run": [_run(run) for run in _listed(runs)],
        "seeds": list(seeds),
        "ends": check_ends(ends),
    }
    queries = {"kind": "random", "n": 200} if workload is None else workload
    values |= {} if isinstance(queries, Workload) else {"workload": queries}
    plan = Plan.from_values(values, Path())
    if isinstance(queries, Workload):
        plan = replace(plan, workload={"kind": "given", "queries": queries})
    plan = replace(plan, measures=None if measures is None else tuple(dict.fromkeys((*measures, loss, *_risks(plan, risk)))))
    trials = run_in_memory(plan, data, budget=seconds, progress=progress)
    maps = {title: ru_points(own, loss, risk) for title, own in by_data(trials).items()}
    best = {title: best_under(points, limit) for title, points in maps.items()}
    return Compared(trials, maps, best, (), _different_promises(trials), loss, limit)


def _listed(runs: Runs) -> Sequence[Mapping[str, Any]]:
    if isinstance(runs, Mapping):
        runs = [{"algorithm": name, **values} if isinstance(values, Mapping) else values for name, values in runs.items()]
    if isinstance(runs, str) or not all(isinstance(run, Mapping) for run in runs):
        raise ParameterError('what is tried is a table of algorithms and their values: {"mondrian": {"k": [2, 5, 10]}}')
    return runs


def _run(run: Mapping[str, Any]) -> dict[str, Any]:
    """A run with its values in lists, as a plan has them."""
    return {name: list(value) if isinstance(value, tuple | range) else value for name, value in run.items()}


def map_title(name: str) -> str:
    """Return the title of a map."""
    return f"Risk and utility of releases of {name}"


def write_pages(
    trials: Sequence[Trial], output: Path, loss: str, limit: float, risk: str | None = None
) -> tuple[list[Path], tuple[str, ...]]:
    """Write the trials as Parquet and, if their extra is installed, the study's pages; return the files and remarks."""
    table = output / "trials.parquet"
    trial_table(trials).write_parquet(table)
    try:
        from anonset.report.pages import write_study
    except ImportError:
        return [table], (NO_PAGES,)
    return [table, *write_study(trials, output, loss=loss, limit=limit, risk=risk)], ()


def _plan(request: CompareRequest) -> Plan:
    plan = Plan.from_toml(request.plan)
    if request.source is not None:
        path = request.source.file
        plan = replace(plan, data=(Data(path, request.source.wanted(), path.name),))
    if request.processes is not None:
        plan = replace(plan, processes=request.processes)
    for id in (request.loss, request.risk):
        if id is not None and plan.measures is not None and id not in plan.measures:
            raise ParameterError(f"the map needs {id!r}, which the plan does not measure")
    return plan


def _risks(plan: Plan, risk: str | None) -> tuple[str, ...]:
    """The measures of risk that a map needs: for listed itemsets that of what is protected, too."""
    listed = any(setting.policies for setting in plan.settings)
    return (RISK, *((RISK_OF_PROTECTED,) if listed else ()), *((risk,) if risk is not None else ()))


def _different_promises(trials: Sequence[Trial]) -> tuple[str, ...]:
    kinds = {name: promises(own) for name, own in by_data(trials).items()}
    return tuple(
        f"the settings on {name} promise different things ({', '.join(found)}): their risks are not of the same attacks"
        for name, found in kinds.items()
        if len(found) > 1
    )
