"""Try settings within a time budget, the most promising first, and recommend one with the reasons."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from secrets import randbits
from typing import Any

from anonset.algorithms import ALGORITHMS, RECOMMENDED, Kind
from anonset.algorithms.base import Algorithm
from anonset.algorithms.population import counts
from anonset.errors import Advice, InfeasibleError
from anonset.measure.workload import Workload
from anonset.model.dataset import Dataset
from anonset.model.ends import Ends
from anonset.model.parameters import parameters
from anonset.model.progress import Progress, silent
from anonset.model.schema import Schema
from anonset.notebook import bullets, card
from anonset.study.plan import Data, Plan, Setting
from anonset.study.ru_map import RISK, MapPoint, best_under, ru_points
from anonset.study.runner import run, run_in_memory
from anonset.study.runner import workload as drawn
from anonset.study.trial import Trial, read_trials

DELTAS = (0.25, 0.1, 0.5, 0.75)
ITEM_STEPS = ("lift", "pcta")
SHARE = 0.5  # share of the budget for an algorithm that searches until a time limit: the others rarely beat it
LONGEST = 120.0  # largest time limit of such an algorithm, in seconds


def candidates(data: Dataset, k: int, m: int, seed: int = 0, seconds: float = 120.0, *, values: int = 3) -> tuple[Setting, ...]:
    """Return the settings to try: the default for such data, then all algorithms that cover them.

    For each algorithm the usual setting comes first, then others: bounds, item steps, refinement. `values` is the largest
    number of quasi values in a query, for algorithms that search with queries.
    """
    kind = kind_of(data)
    first, more = RECOMMENDED[kind]
    clock = max(0.1, min(LONGEST, SHARE * seconds))
    shared = {"k": k, "m": m, "seed": seed, "seconds": clock, "values": values}
    found: list[tuple[int, Setting]] = [(0, Setting(0, first, _usual(ALGORITHMS[first], shared) | more))]
    for name, algorithm in ALGORITHMS.items():
        if _fits(algorithm, data):
            usual = _usual(algorithm, shared)
            found += [(tier, Setting(0, name, usual | more)) for tier, more in _variants(algorithm)]
    ordered = [setting for _, setting in sorted(found, key=lambda entry: entry[0])]
    return tuple(setting for p, setting in enumerate(ordered) if setting not in ordered[:p])


def kind_of(data: Dataset) -> Kind:
    """Return what an attacker may know about these data."""
    if data.transactions is None:
        return "quasi"
    return "both" if data.quasi else "items"


def _fits(algorithm: type[Algorithm], data: Dataset) -> bool:
    """Return whether an algorithm suits such data, covers all that attackers may know, and is not only a comparator."""
    kind = {"quasi", "items"} if kind_of(data) == "both" else {kind_of(data)}
    declared = {p.name for p in parameters(algorithm)}
    has = kind | ({"item-hierarchy"} if data.item_hierarchy is not None else set())
    usable = not algorithm.comparator and "k" in declared and counts(algorithm, data)
    return usable and algorithm.needs <= has and kind <= algorithm.covers


def _usual(algorithm: type[Algorithm], shared: dict[str, Any]) -> dict[str, Any]:
    declared = {p.name for p in parameters(algorithm)}
    return {name: value for name, value in shared.items() if name in declared}


def _variants(algorithm: type[Algorithm]) -> list[tuple[int, dict[str, Any]]]:
    """Return other settings, each with its tier: settings of a low tier are tried first."""
    declared = {p.name: p for p in parameters(algorithm)}
    searches = "seconds" in declared
    steps = ITEM_STEPS if "items" in declared and not searches else ("",)
    bounds: tuple[float | None, ...] = DELTAS if "delta" in declared else (None,)
    found: list[tuple[int, dict[str, Any]]] = []
    for b, bound in enumerate(bounds):
        for s, step in enumerate(steps):
            values = ({} if bound is None else {"delta": bound}) | ({"items": step} if step else {})
            found.append(((3 if searches else 1) + 2 * b + s, values))  # without a bound a search is there already
            if "refine" in declared:
                found.append((2 + 2 * b + s, values | {"refine": True}))
    return found


ESTIMATOR = "uniform"  # the default estimator


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The recommended setting, all trials, and the reasons as sentences."""

    best: Trial
    trials: tuple[Trial, ...]
    points: tuple[MapPoint, ...]
    reasons: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Recommendation: {described(self.best)}, of {len(self.trials):,} settings tried>"

    def _repr_html_(self) -> str:
        return card(f"Take {described(self.best)}", bullets(self.reasons))


def recommend(
    path: Path,
    data: Dataset,
    folder: Path,
    *,
    schema: Schema | None = None,
    max_risk: float = 0.2,
    m: int = 2,
    workload: Mapping[str, Any] | None = None,
    seconds: float = 120.0,
    processes: int = 1,
    progress: Progress = silent,
    ends: Ends = "auto",
    risk: str | None = None,
) -> Recommendation:
    """Return the setting with the least query error within the risk limit, of those tried in the given time.

    `data` is the content of the file at `path`. Settings that the gates refuse are listed, but never recommended.
    """
    spec = {"estimator": ESTIMATOR, **(workload or {"kind": "random", "n": 200})}
    k, values = ceil(1.0 / max_risk - 1e-9), _values(drawn(data, None, spec))
    settings = candidates(data, k, m, _seed(folder), seconds, values=values)
    plan = Plan((Data(path, schema or Schema(), path.name),), settings, None, spec, seconds, processes=processes, ends=ends)
    trials = run(plan, folder, budget=seconds, datasets=[data], progress=progress)
    return recommended(trials, settings, max_risk, seconds, risk)


def recommend_in_memory(
    data: Dataset,
    *,
    max_risk: float = 0.2,
    m: int = 2,
    workload: Workload | None = None,
    seconds: float = 120.0,
    progress: Progress = silent,
    ends: Ends = "auto",
    risk: str | None = None,
) -> Recommendation:
    """Do the same for a dataset in memory, one setting after the other in this process."""
    queries = {"kind": "random", "n": 200} if workload is None else {"kind": "given", "queries": workload}
    spec = {"estimator": ESTIMATOR, **queries}
    k, values = ceil(1.0 / max_risk - 1e-9), _values(drawn(data, None, spec))
    settings = candidates(data, k, m, randbits(62), seconds, values=values)
    name = data.sources[0].name if data.sources else "data"
    plan = Plan((Data(Path(name), Schema(), name),), settings, None, spec, ends=ends)
    return recommended(run_in_memory(plan, data, budget=seconds, progress=progress), settings, max_risk, seconds, risk)


def recommended(
    trials: tuple[Trial, ...], settings: tuple[Setting, ...], max_risk: float, seconds: float, risk: str | None = None
) -> Recommendation:
    """Return the recommendation from the trials of a study."""
    publishable = [trial for trial in trials if not trial.refusal]
    point = best_under(ru_points(publishable, risk=risk), max_risk)
    if point is None:
        tried = [(described(trial), trial.refusal or trial.reason or trial.outcome) for trial in trials[:4]]
        listed = [part for n, (name, why) in enumerate(tried) for part in (f"{'; ' if n else ''}{name}: ", why)]
        message = f"nothing that was tried in {seconds:g} s keeps the risk within {max_risk:.3g} ("
        raise InfeasibleError(Advice(message, *listed, ")"))
    best = next(trial for trial in publishable if trial.label == point.label)
    return Recommendation(best, trials, ru_points(trials, risk=risk), _reasons(best, trials, settings, max_risk, point.axis))


def described(trial: Trial) -> str:
    """Return the setting as text, without the parameters that all trials share and the steps of a search."""
    distinct = {name: value for name, value in trial.parameters.items() if name not in ("seed", "seconds", "steps")}
    return replace(trial, parameters=distinct).label


def _values(workload: Workload) -> int:
    """Return the largest number of quasi values in a query."""
    return min(100, max((len(query.ranges) + len(query.values) for query in workload.queries), default=0) or 1)


def _seed(folder: Path) -> int:
    """Return the seed of all trials and of the release: a random one, or that of the study that is resumed."""
    begun = (trial.parameters["seed"] for trial in read_trials(folder / "trials.jsonl") if "seed" in trial.parameters)
    return int(next(begun, randbits(62)))


def _reasons(
    best: Trial, trials: tuple[Trial, ...], settings: tuple[Setting, ...], max_risk: float, axis: str
) -> tuple[str, ...]:
    done = [trial for trial in trials if trial.outcome == "done"]
    compared = [trial for trial in done if trial is not best and "are" in trial.measures and not trial.refusal]
    others = sorted(compared, key=lambda trial: trial.measures["are"])
    error, risk = best.measures["are"], best.measures[axis]
    name = "risk" if axis == RISK else axis
    reasons = [
        f"{len(done)} of {len(settings)} settings gave a verified release; {len(settings) - len(trials)} were not reached",
        f"{described(best)} answers queries with the least error ({error:.3g}) at a {name} of {risk:.3g}, "
        f"within {max_risk:.3g}",
    ]
    reasons.append(f"tried, with the least error of each: {_tried([best, *others])}")
    if others:
        reasons.append(f"the next best is {described(others[0])}, with an error of {others[0].measures['are']:.3g}")
    refused = [(trial, trial.refusal or trial.reason or trial.outcome) for trial in trials]
    reasons += [
        Advice(f"{described(trial)} was no choice: ", why) for trial, why in refused if trial.outcome != "done" or trial.refusal
    ]
    return tuple(reasons)


def _tried(done: list[Trial]) -> str:
    """Return the algorithms with a publishable release, the best first, each with its least error and number of settings."""
    errors: dict[str, list[float]] = {}
    for trial in done:
        errors.setdefault(trial.algorithm, []).append(trial.measures["are"])
    ranked = sorted(errors, key=lambda name: min(errors[name]))
    return ", ".join(f"{name} {min(errors[name]):.3g} ({len(errors[name])} settings)" for name in ranked)
