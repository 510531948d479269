"""Many algorithms and parameters on the same data, and one map of risk against utility."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonset.errors import Cancelled, ParameterError
from anonset.model.progress import Phases, unheard
from anonset.study.plan import Data, Plan
from anonset.study.ru_map import QUERY_ERROR, Point, best_under, by_data, knee, promises, risk_limit, ru_points
from anonset.study.runner import run as run_plan
from anonset.study.table import write_parquet
from anonset.study.trial import Trial
from anonset.tasks.inputs import Input

NO_PAGES = "pages and maps need the extra: pip install 'anonset[report]'"


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """A plan, on its own data or on other ones; where trials and map go; and what the map shows."""

    plan: Path
    output: Path
    source: Input | None = None
    loss: str | None = None  # the error of queries, if none is named
    max_risk: str = "0.2"
    processes: int | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """Every trial, the map of each dataset, the best of each within the risk, and the files that were written."""

    trials: tuple[Trial, ...]
    maps: Mapping[str, tuple[Point, ...]]
    best: Mapping[str, Point | None]
    files: tuple[Path, ...]
    remarks: tuple[str, ...]

    def knees(self, name: str) -> dict[str, Point | None]:
        """The knee of each series on the map of one dataset."""
        points = self.maps[name]
        return {series: knee([p for p in points if p.series == series]) for series in dict.fromkeys(p.series for p in points)}

    def as_json(self) -> dict[str, Any]:
        """The result as plain data."""
        best = {name: point._asdict() if point else None for name, point in self.best.items()}
        return {
            "trials": [json.loads(trial.to_json()) for trial in self.trials],
            "best": best if len(best) > 1 else next(iter(best.values()), None),
            "files": list(self.files),
        }


def run(request: CompareRequest, phases: Phases = unheard) -> Compared:
    """Run a plan: every setting verified and measured, resumable, with an R-U map at the end."""
    limit = risk_limit(request.max_risk)
    plan = _plan(request)
    try:
        trials = run_plan(plan, request.output, progress=phases("Trials"))
    except KeyboardInterrupt:
        kept = request.output / "trials.jsonl"
        raise Cancelled(f"interrupted; what ended is in {kept}, and the same command goes on") from None
    loss = request.loss or QUERY_ERROR
    maps = {name: ru_points(own, loss) for name, own in by_data(trials).items()}
    files, remarks = write_pages(trials, request.output, loss, limit)
    return Compared(
        trials,
        maps,
        {name: best_under(points, limit) for name, points in maps.items()},
        (request.output / "trials.jsonl", *files),
        (*_different_promises(trials), *remarks),
    )


def write_pages(trials: Sequence[Trial], output: Path, loss: str, limit: float) -> tuple[list[Path], tuple[str, ...]]:
    """The trials as Parquet and the study's pages, where the extra for them is installed; and what there is to say."""
    table = output / "trials.parquet"
    write_parquet(trials, table)
    try:
        from anonset.report.study_page import write_study
    except ImportError:
        return [table], (NO_PAGES,)
    return [table, *write_study(trials, output, loss=loss, limit=limit)], ()


def _plan(request: CompareRequest) -> Plan:
    plan = Plan.from_toml(request.plan)
    if request.source is not None:
        path = Path(request.source.data)
        plan = replace(plan, data=(Data(path, request.source.wanted(), path.name),))
    if request.processes is not None:
        plan = replace(plan, processes=request.processes)
    if request.loss is not None and plan.measures is not None and request.loss not in plan.measures:
        raise ParameterError(f"the map needs {request.loss!r}, which the plan does not measure")
    return plan


def _different_promises(trials: Sequence[Trial]) -> tuple[str, ...]:
    kinds = {name: promises(own) for name, own in by_data(trials).items()}
    return tuple(
        f"the settings on {name} promise different things ({', '.join(found)}): their risks are not of the same attacks"
        for name, found in kinds.items()
        if len(found) > 1
    )
