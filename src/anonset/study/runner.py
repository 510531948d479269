"""Run a plan: in worker processes within limits, cancellable and resumed after a crash; or on a dataset in memory, in this
process.
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from anonset.data import read
from anonset.errors import InputError
from anonset.jobs import Ended, Pool, Reporter
from anonset.model.dataset import Dataset
from anonset.model.progress import Progress, silent
from anonset.study.evaluation import evaluate
from anonset.study.plan import Plan, Setting
from anonset.study.trial import Trial, read_trials

Tell = Callable[[Trial], None]


class Evaluator:
    """What a worker does: each dataset is read once, then one setting after the other is tried."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._datasets: dict[int, Dataset] = {}

    def __call__(self, request: tuple[str, Setting], report: Reporter) -> Trial:
        """The trial of a setting under its key."""
        key, setting = request
        if setting.data not in self._datasets:
            data = self._plan.data[setting.data]
            self._datasets[setting.data] = read(data.path, schema=data.schema)
        return evaluate(self._datasets[setting.data], self._plan, setting, key)


def run(
    plan: Plan,
    folder: Path,
    *,
    budget: float = inf,
    datasets: Sequence[Dataset] | None = None,
    progress: Progress = silent,
    tell: Tell = lambda trial: None,
) -> tuple[Trial, ...]:
    """All trials of a plan, in its order; those found in folder/trials.jsonl are not run again.

    But for those that were stopped at a limit which is now higher.
    A trial is appended, whole, as soon as it ends. `progress` may raise to cancel: what ended is kept.
    After `budget` seconds the trials that have ended are all there are; but the first comes to its end.
    `datasets` are the plan's, if they were read before.
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
                    _append(path, trial)
                    tell(trial)
            progress(1.0 - pool.unfinished / len(settings))
    return tuple(done[key] for key in settings if key in done)


def _trial(plan: Plan, setting: Setting, ended: Ended) -> Trial:
    """The trial that a worker handed back, or what is known of one that it could not end."""
    if ended.outcome == "done":
        trial: Trial = ended.value
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
        file.write(trial.to_json() + "\n")
        file.flush()
        os.fsync(file.fileno())


def _drop_cut_line(path: Path) -> None:
    """Cut off what a crash left of a last line."""
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
    """The trials of a plan's settings in their order; those that the budget does not reach, or cuts off, are not among them.

    The first one comes to its end whatever the budget is.
    """
    until = time.monotonic() + budget
    done: list[Trial] = []
    sources = tuple(source.sha256 for source in data.sources)

    def during(share: float) -> None:
        progress((len(done) + min(share, 0.99)) / len(plan.settings))
        if done and time.monotonic() > until:
            raise _TimeIsUp

    try:
        for setting in plan.settings:
            during(0.0)
            done.append(evaluate(data, plan, setting, plan.key(setting, sources), progress=during))
    except _TimeIsUp:
        pass
    progress(1.0)
    return tuple(done)
