"""Try what fits within a time budget, and say which setting to take and why."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

from anonset.algorithms import ALGORITHMS
from anonset.errors import InfeasibleError
from anonset.io import read
from anonset.io.schema import Schema
from anonset.model.dataset import Dataset
from anonset.model.parameters import parameters
from anonset.study.plan import Data, Plan, Setting
from anonset.study.ru_map import Point, best_under, ru_points
from anonset.study.runner import run
from anonset.study.trial import Trial

NOT_TRIED = {"identity", "oa", "gray-ring", "cahd", "r-first", "t-first"}  # baselines, and what may take for ever
DELTAS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The setting to take, every trial behind it, and the reasons in sentences."""

    best: Trial
    trials: tuple[Trial, ...]
    points: tuple[Point, ...]
    reasons: tuple[str, ...]


def recommend(
    path: Path,
    folder: Path,
    *,
    schema: Schema | None = None,
    max_risk: float = 0.2,
    m: int = 2,
    workload: Mapping[str, Any] | None = None,
    seconds: float = 120.0,
    processes: int = 1,
    progress: Callable[[float], None] = lambda done: None,
) -> Recommendation:
    """The setting of least query error whose risk is within the limit, among those tried in the given time."""
    data = read(path, schema=schema or Schema())
    settings = candidates(data, ceil(1.0 / max_risk - 1e-9), m)
    wanted = dict(workload or {"kind": "random", "n": 200})
    plan = Plan((Data(path, schema or Schema(), path.name),), settings, None, wanted, seconds, processes=processes)
    trials = _within(plan, folder, seconds, progress)
    points = ru_points(trials)
    point = best_under(points, max_risk)
    if point is None:
        tried = "; ".join(f"{trial.label}: {trial.reason or trial.outcome}" for trial in trials[:4])
        raise InfeasibleError(f"nothing that was tried in {seconds:g} s keeps the risk within {max_risk:g} ({tried})")
    best = next(trial for trial in trials if trial.label == point.label)
    return Recommendation(best, trials, points, _reasons(best, trials, settings, max_risk))


def candidates(data: Dataset, k: int, m: int) -> tuple[Setting, ...]:
    """Every algorithm made for this kind of data, with a few choices of its bound."""
    kind = {"items"} if data.transactions is not None else set()
    kind |= {"quasi"} if data.quasi else set()
    has = kind | ({"item-hierarchy"} if data.item_hierarchy is not None else set())
    found = []
    for name, algorithm in ALGORITHMS.items():
        needs = set(algorithm.needs)
        declared = {p.name for p in parameters(algorithm)}
        if name in NOT_TRIED or "k" not in declared or not needs <= has or not kind <= needs | {"item-hierarchy"}:
            continue
        values: dict[str, Any] = {"k": k} | ({"m": m} if "m" in declared else {}) | ({"seed": 0} if "seed" in declared else {})
        bounds = [{"delta": delta} for delta in DELTAS] if "delta" in declared else [{}]
        found += [Setting(0, name, values | bound) for bound in bounds]
    return tuple(found)


def _within(plan: Plan, folder: Path, seconds: float, progress: Callable[[float], None]) -> tuple[Trial, ...]:
    """The trials of as many settings as the time allows, one after the other; each may take what is left."""
    until = time.monotonic() + seconds
    trials: list[Trial] = []
    for number, setting in enumerate(plan.settings):
        left = until - time.monotonic()
        if left <= 0:
            break
        progress(number / len(plan.settings))
        trials += run(replace(plan, settings=(setting,), seconds=left), folder)
    progress(1.0)
    return tuple(trials)


def _reasons(best: Trial, trials: tuple[Trial, ...], settings: tuple[Setting, ...], max_risk: float) -> tuple[str, ...]:
    done = [trial for trial in trials if trial.outcome == "done"]
    compared = [trial for trial in done if trial is not best and "are" in trial.measures]
    others = sorted(compared, key=lambda trial: trial.measures["are"])
    error, risk = best.measures["are"], best.measures["risk"]
    reasons = [
        f"{len(done)} of {len(settings)} settings gave a verified release; {len(settings) - len(trials)} were not reached",
        f"{best.label} answers queries with the least error ({error:.3g}) at a risk of {risk:.3g}, within {max_risk:g}",
    ]
    if others:
        reasons.append(f"the next best is {others[0].label}, with an error of {others[0].measures['are']:.3g}")
    reasons += [f"{trial.label} was no choice: {trial.reason or trial.outcome}" for trial in trials if trial.outcome != "done"]
    return tuple(reasons)
