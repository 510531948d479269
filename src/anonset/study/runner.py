"""Run a plan in worker processes: within limits, cancellable, and after a crash exactly where it was."""

import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from anonset.errors import InputError
from anonset.io import read
from anonset.study.plan import Plan, Setting
from anonset.study.trial import Outcome, Trial, read_trials
from anonset.study.worker import MEMORY_EXCEEDED, serve

TICK = 0.2


class Task(NamedTuple):
    """A setting that is still to be run, under its key."""

    key: str
    setting: Setting


@dataclass(slots=True)
class _Worker:
    """One process, the pipe to it, and what it is doing."""

    process: BaseProcess
    pipe: Connection
    task: Task | None = None
    deadline: float = field(default=0.0)


def run(
    plan: Plan,
    folder: Path,
    *,
    progress: Callable[[float], None] = lambda done: None,
    tell: Callable[[Trial], None] = lambda trial: None,
) -> tuple[Trial, ...]:
    """All trials of a plan, in its order; those found in folder/trials.jsonl are not run again.

    But for those that were stopped at a limit which is now higher.
    A trial is appended, whole, as soon as it ends. `progress` may raise to cancel: what ended is kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    keys = _keys(plan)
    path = folder / "trials.jsonl"
    done = {trial.key: trial for trial in read_trials(path) if not _deserves_more(plan, trial)}
    _drop_cut_line(path)
    todo = deque(Task(key, setting) for key, setting in dict(zip(keys, plan.settings, strict=True)).items() if key not in done)
    total, workers = len(set(keys)), list[_Worker]()
    try:
        progress(len(done) / max(1, total))
        while todo or any(worker.task for worker in workers):
            _assign(plan, workers, todo)
            for trial in _finished(plan, workers):
                _append(path, trial)
                done[trial.key] = trial
                tell(trial)
            progress(min(1.0, len([key for key in set(keys) if key in done]) / total))
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.join()
    return tuple(done[key] for key in dict.fromkeys(keys))


def _deserves_more(plan: Plan, trial: Trial) -> bool:
    """Whether a trial was stopped at a limit below that of the plan."""
    late = trial.outcome == "time" and trial.seconds < plan.seconds
    return late or (trial.outcome == "memory" and trial.memory_mb < plan.memory_mb)


def _keys(plan: Plan) -> list[str]:
    sources = [tuple(source.sha256 for source in read(data.path, schema=data.schema).sources) for data in plan.data]
    return [plan.key(setting, sources[setting.data]) for setting in plan.settings]


def _assign(plan: Plan, workers: list[_Worker], todo: deque[Task]) -> None:
    """Give every idle worker something to do, and start workers while there is room."""
    while len(workers) < min(plan.processes, len(todo) + sum(worker.task is not None for worker in workers)):
        workers.append(_start(plan))
    for worker in workers:
        if worker.task is None and todo:
            worker.task = todo.popleft()
            worker.deadline = time.monotonic() + plan.seconds
            worker.pipe.send((worker.task.key, worker.task.setting))


def _start(plan: Plan) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, plan, os.getpid()), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _finished(plan: Plan, workers: list[_Worker]) -> list[Trial]:
    """The trials that ended within the next moment, by themselves or at a limit."""
    busy = [worker for worker in workers if worker.task is not None]
    ready: list[Any] = wait([worker.pipe for worker in busy], timeout=TICK)
    ended = []
    for worker in busy:
        assert worker.task is not None
        if worker.pipe in ready:
            try:
                ended.append(Trial.from_json(worker.pipe.recv()))
                worker.task = None
            except EOFError:
                worker.process.join()
                over = worker.process.exitcode == MEMORY_EXCEEDED
                reason = f"used more than {plan.memory_mb:g} MB" if over else "the process ended without an answer"
                ended.append(_stopped(plan, workers, worker, "memory" if over else "failed", reason))
        elif time.monotonic() > worker.deadline:
            ended.append(_stopped(plan, workers, worker, "time", f"took more than {plan.seconds:g} s"))
    return ended


def _stopped(plan: Plan, workers: list[_Worker], worker: _Worker, outcome: Outcome, reason: str) -> Trial:
    """Take a worker away and say what it was doing."""
    assert worker.task is not None
    worker.process.kill()
    worker.process.join()
    workers.remove(worker)
    key, setting = worker.task
    name = plan.data[setting.data].name
    trial = Trial(key, name, setting.algorithm, dict(setting.parameters), outcome, reason)
    if outcome == "time":
        return replace(trial, seconds=plan.seconds)
    return replace(trial, memory_mb=plan.memory_mb) if outcome == "memory" else trial


def _append(path: Path, trial: Trial) -> None:
    with path.open("a", encoding="utf-8") as file:
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


def same_results(first: Trial, second: Trial) -> bool:
    """Whether two trials came out the same, whatever time and memory they took."""
    return replace(first, seconds=0.0, memory_mb=0.0) == replace(second, seconds=0.0, memory_mb=0.0)
