"""Run a plan: anonymize, verify and measure each setting, in worker processes within limits or on a dataset in memory.

A run can be cancelled, and resumed after a crash.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from anonset.algorithms import make
from anonset.algorithms import run as run_algorithm
from anonset.algorithms.base import Algorithm
from anonset.algorithms.rt.search_budget import working_time
from anonset.data import read
from anonset.data.files import text
from anonset.errors import AnonsetError, Cancelled, GuaranteeViolated, InfeasibleError, InputError
from anonset.jobs import Ended, Pool, Reporter
from anonset.measure import MEASURES, applies, measure
from anonset.measure.workload import Workload, draw_workload
from anonset.model.dataset import Dataset
from anonset.model.ends import with_ends
from anonset.model.guarantees import guarantee_data
from anonset.model.labels import GeneralizedItems, Labels, Ranges, UncertainItems
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.serialization import to_json
from anonset.releases.gates import refusal
from anonset.study.plan import Plan, Setting
from anonset.study.trial import Outcome, Trial, read_trials
from anonset.verify import verify


def evaluate(original: Dataset, plan: Plan, setting: Setting, key: str, progress: Progress = silent) -> Trial:
    """Run one setting; a refusal by the algorithm or the verifier is an outcome of the trial, not an error."""
    about: dict[str, Any] = {
        "key": key,
        "data": plan.data[setting.data].name,
        "algorithm": setting.algorithm,
        "parameters": dict(setting.parameters),
    }
    began = time.perf_counter()
    try:
        algorithm = make(setting.algorithm, {**setting.parameters, **setting.policies})
        release = with_ends(original, run_algorithm(algorithm, original, progress), plan.ends)
        seconds = time.perf_counter() - began
        about["parameters"] |= _settled(algorithm, release)
        verify(original, release).require()
        return Trial(
            **about,
            outcome="done",
            measures=measured(original, release, plan),
            guarantees=tuple(guarantee_data(guarantee) for guarantee in release.guarantees),
            records=len(release),
            digest=digest(release),
            refusal=refusal(original, release),
            seconds=seconds,
        )
    except Cancelled:
        raise
    except AnonsetError as error:
        return Trial(**about, outcome=_outcome(error), reason=error.advice, seconds=time.perf_counter() - began)


def _settled(algorithm: Algorithm, release: Release) -> dict[str, Any]:
    """Return the parameters that the algorithm set during its run, e.g. by the clock; they make the release reproducible."""
    actual = release.provenance.parameters
    return {name: value for name, value in actual.items() if value != getattr(algorithm, name, value)}


def measured(original: Dataset, release: Release, plan: Plan) -> dict[str, float]:
    """Return the plan's measures, or all that apply; with `are` if the plan has a workload that the release can answer."""
    ids = None if plan.measures is None else [id for id in plan.measures if applies(id, release)]
    if not plan.workload or isinstance(release.items, UncertainItems):
        return measure(original, release, None if ids is None else [id for id in ids if not MEASURES[id].must_have])
    estimator = plan.workload.get("estimator", "subsets")
    queries = workload(original, release, plan.workload)
    return measure(original, release, ids, workload=queries, estimator=estimator)


def workload(original: Dataset, release: Release | None, spec: Mapping[str, Any]) -> Workload:
    """Return the queries that a plan specifies."""
    values = {name: value for name, value in spec.items() if name not in {"kind", "file", "estimator"}}
    if spec["kind"] == "given":
        given: Workload = spec["queries"]
        return given
    if spec["kind"] == "file":
        path = Path(spec["file"])
        return Workload.from_json(text(path), file=path.name)
    if spec["kind"] == "random":
        values = {"kind": values.pop("draw", _parts(original)), **values}
    return draw_workload(spec["kind"], original, release, **values)


def digest(release: Release) -> str:
    """Return a hash of all published content: releases with the same digest have the same records and meanings."""
    total = hashlib.sha256()
    for part in _published(release):
        content = np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        total.update(f"{len(content)}:".encode() + content)
    return total.hexdigest()[:16]


def _published(release: Release) -> Iterator[object]:
    """Every name, text and array that a release publishes, in a fixed order."""
    for column in release.columns:
        yield from (column.name, column.role, column.codes, column.labels.texts)
        yield from _meanings(column.labels)
    if release.margins is not None:
        yield from (release.margins.k, sorted(release.margins.counts.items()), sorted(release.margins.withheld))
    items = release.items
    if isinstance(items, GeneralizedItems):
        yield from (items.domain, items.offsets, items.shown, items.suppressed, items.labels.texts)
        yield from _meanings(items.labels)
    elif isinstance(items, UncertainItems):
        yield from (items.domain, items.base_offsets, items.base, items.distance_offsets, items.distance, items.threshold)


def _meanings(labels: Labels | Ranges) -> Iterator[object]:
    yield from (labels.low, labels.high) if isinstance(labels, Ranges) else (labels.offsets, labels.members)


def _parts(original: Dataset) -> str:
    if original.transactions is None:
        return "relational"
    return "both" if original.quasi else "items"


def _outcome(error: AnonsetError) -> Outcome:
    if isinstance(error, InfeasibleError):
        return "infeasible"
    return "violated" if isinstance(error, GuaranteeViolated) else "failed"


Tell = Callable[[Trial], None]


class Evaluator:
    """Runs settings in a worker process, which reads each dataset once; says how long each trial compiled kernels."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._datasets: dict[int, Dataset] = {}

    def __call__(self, request: tuple[str, Setting], report: Reporter) -> tuple[Trial, float]:
        """Run a setting; return its trial under the key, and the seconds of compiling."""
        key, setting = request
        if setting.data not in self._datasets:
            data = self._plan.data[setting.data]
            self._datasets[setting.data] = read(data.path, schema=data.schema)
        began = time.monotonic()
        with working_time() as clock:
            worked = clock()
            trial = evaluate(self._datasets[setting.data], self._plan, setting, key)
            return trial, (time.monotonic() - began) - (clock() - worked)


def run(
    plan: Plan,
    folder: Path,
    *,
    budget: float = inf,
    datasets: Sequence[Dataset] | None = None,
    progress: Progress = silent,
    tell: Tell = lambda trial: None,
) -> tuple[Trial, ...]:
    """Run all trials of a plan, in its order, except those in folder/trials.jsonl.

    A trial that was stopped at a limit runs again if the limit is higher now.
    Each trial is appended to the file as soon as it ends. `progress` may raise to cancel: finished trials stay in the file.
    After `budget` seconds, without those in which finished trials compiled kernels, the finished trials are returned; the first
    trial always runs to its end. `datasets` are those of the plan, if they were read before.
    """
    until = time.monotonic() + budget
    folder.mkdir(parents=True, exist_ok=True)
    settings = dict(zip(_keys(plan, datasets), plan.settings, strict=True))
    path = folder / "trials.jsonl"
    done = {trial.key: trial for trial in read_trials(path) if not _deserves_more(plan, trial)}
    _drop_cut_line(path)
    first = next(iter(settings), "") if budget < inf else ""
    with Pool(Evaluator, plan, processes=plan.processes, memory_mb=plan.memory_mb) as pool:
        for key, setting in settings.items():
            if key not in done:
                pool.submit(key, (key, setting), seconds=inf if key == first else plan.seconds)
        progress(1.0 - pool.unfinished / len(settings))
        while pool.unfinished and (time.monotonic() < until or (first and first not in done)):
            for event in pool.poll():
                if isinstance(event, Ended):
                    trial = done[event.key] = _trial(plan, settings[event.key], event)
                    until += event.value[1] / plan.processes if event.outcome == "done" else 0.0
                    _append(path, trial)
                    tell(trial)
            progress(1.0 - pool.unfinished / len(settings))
    return tuple(done[key] for key in settings if key in done)


def _trial(plan: Plan, setting: Setting, ended: Ended) -> Trial:
    """Return the trial of a worker, or one with the reason if the worker did not finish it."""
    if ended.outcome == "done":
        trial: Trial = ended.value[0]
        return replace(trial, memory_mb=ended.memory_mb)
    assert ended.outcome != "cancelled", "nobody cancels a single trial"
    name = plan.data[setting.data].name
    trial = Trial(ended.key, name, setting.algorithm, dict(setting.parameters), ended.outcome, ended.reason)
    if ended.outcome == "time":
        return replace(trial, seconds=plan.seconds)
    return replace(trial, memory_mb=plan.memory_mb) if ended.outcome == "memory" else trial


def _deserves_more(plan: Plan, trial: Trial) -> bool:
    """Whether a trial was stopped at a limit below that of the plan."""
    late = trial.outcome == "time" and trial.seconds < plan.seconds
    return late or (trial.outcome == "memory" and trial.memory_mb < plan.memory_mb)


def _keys(plan: Plan, datasets: Sequence[Dataset] | None) -> list[str]:
    read_now = datasets if datasets is not None else [read(data.path, schema=data.schema) for data in plan.data]
    sources = [tuple(source.sha256 for source in data.sources) for data in read_now]
    return [plan.key(setting, sources[setting.data]) for setting in plan.settings]


def _append(path: Path, trial: Trial) -> None:
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(to_json(trial, indent=None, finite=False))
        file.flush()
        os.fsync(file.fileno())


def _drop_cut_line(path: Path) -> None:
    """Remove an incomplete last line, which a crash left."""
    if not path.exists():
        return
    try:
        with path.open("r+b") as file:
            content = file.read()
            if content and not content.endswith(b"\n"):
                file.truncate(content.rfind(b"\n") + 1)
    except OSError as error:
        raise InputError(f"cannot be continued: {error.strerror}", file=path) from None


class _TimeIsUp(Exception):
    """The budget ended inside a setting."""


def run_in_memory(plan: Plan, data: Dataset, *, budget: float = inf, progress: Progress = silent) -> tuple[Trial, ...]:
    """Run the settings of a plan in their order; return the trials that finish within the budget.

    The first trial always runs to its end, and the time in which kernels compile does not count.
    """
    done: list[Trial] = []
    sources = tuple(source.sha256 for source in data.sources)
    with working_time() as clock, suppress(_TimeIsUp):
        until = clock() + budget

        def during(share: float) -> None:
            progress((len(done) + min(share, 0.99)) / len(plan.settings))
            if done and clock() > until:
                raise _TimeIsUp

        for setting in plan.settings:
            during(0.0)
            done.append(evaluate(data, plan, setting, plan.key(setting, sources), progress=during))
    progress(1.0)
    return tuple(done)
