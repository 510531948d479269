"""Place runs on the map of risk and utility, with the frontier, the knee, and the best run within a limit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonset.study.ru_map import MapPoint, best_under, knee, risk_limit, ru_points
from anonset.study.trial import Trial


@dataclass(frozen=True, slots=True)
class Mapped:
    """The points in the order of the measured runs, their keys, the knee, and the best point within the limit."""

    keys: tuple[str, ...]
    points: tuple[MapPoint, ...]
    knee: MapPoint | None
    best: MapPoint | None


def run(runs: Sequence[Mapping[str, Any]], loss: str, max_risk: str = "0.2") -> Mapped:
    """A point for each run (key, algorithm, parameters, measures) that has a risk and this loss."""
    trials = [
        Trial(
            run["key"],
            "data",
            run["algorithm"],
            {name: value for name, value in run["parameters"].items() if name != "seed"},
            "done",
            measures=run["measures"],
        )
        for run in runs
        if loss in run["measures"] and "risk" in run["measures"]
    ]
    points = ru_points(trials, loss)
    best = best_under(points, risk_limit(max_risk))
    return Mapped(tuple(trial.key for trial in trials), points, knee(points), best)
