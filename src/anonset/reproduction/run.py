"""Run the experiments behind the claims, each in a process of its own, and judge them."""

import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from anonset.errors import AnonsetError
from anonset.reproduction.claims import Claim, Experiment, Result, Row, answer_of, untested
from anonset.reproduction.materials import Materials

TICK = 0.2


@dataclass(slots=True)
class Outcome:
    """The rows an experiment gave, and why it did not end by itself, if so."""

    rows: list[Row] = field(default_factory=list)
    failure: str = ""
    seconds: float = 0.0


@dataclass(slots=True)
class _Worker:
    """A process, the pipe to it, and what it is doing since when."""

    process: BaseProcess
    pipe: Connection
    task: Experiment | None = None
    began: float = 0.0


def reproduce(
    claims: Sequence[Claim],
    folder: Path | None = None,
    *,
    quick: bool = False,
    processes: int = 2,
    seconds: float = 900.0,
    progress: Callable[[float], None] = lambda done: None,
    tell: Callable[[str, float], None] = lambda name, seconds: None,
) -> tuple[Result, ...]:
    """The results of the claims, in order. An experiment that several share is run once.

    `progress` may raise to cancel. What has not ended after `seconds` is stopped, and its claims are not tested.
    """
    experiments = {experiment.name: experiment for claim in claims for experiment in claim.experiments}
    outcomes = run_experiments(
        list(experiments.values()), folder, quick=quick, processes=processes, seconds=seconds, progress=progress, tell=tell
    )
    materials = Materials(folder, quick)
    return tuple(judge(claim, outcomes, materials) for claim in claims)


def judge(claim: Claim, outcomes: dict[str, Outcome], materials: Materials) -> Result:
    """The result of a claim, given how its experiments ended."""
    names = dict.fromkeys(name for experiment in claim.experiments for name in experiment.data)
    data = tuple(materials.said(name) for name in names)
    for experiment in claim.experiments:
        if outcomes[experiment.name].failure:
            return untested(claim, f"The experiment «{experiment.name}» {outcomes[experiment.name].failure}.", data)
    found = claim.judge(*(outcomes[experiment.name].rows for experiment in claim.experiments))
    return Result(
        claim.id, claim.text, claim.setting, answer_of(found.checks), found.checks, found.plots, found.table, found.note, data
    )


def run_experiments(
    experiments: Sequence[Experiment],
    folder: Path | None,
    *,
    quick: bool,
    processes: int,
    seconds: float,
    progress: Callable[[float], None] = lambda done: None,
    tell: Callable[[str, float], None] = lambda name, seconds: None,
) -> dict[str, Outcome]:
    """How each experiment ended; so many run at the same time, in processes that read each dataset once."""
    outcomes = {experiment.name: Outcome() for experiment in experiments}
    todo, workers = list(experiments), list[_Worker]()
    until = time.monotonic() + seconds
    try:
        while busy := _assign(todo, workers, processes, folder, quick):
            for task, took in _listen(busy, workers, outcomes):
                outcomes[task.name].seconds = took
                tell(task.name, took)
            working = [worker.task for worker in workers if worker.task is not None]
            progress(1.0 - (len(todo) + len(working)) / len(experiments))
            if time.monotonic() > until:
                for experiment in [*todo, *working]:
                    outcomes[experiment.name].failure = f"had not ended after the {seconds:g} s allowed"
                break
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.join()
    return outcomes


def _assign(todo: list[Experiment], workers: list[_Worker], processes: int, folder: Path | None, quick: bool) -> list[_Worker]:
    """Give idle workers something to do, and start workers while there is room; those that are at work."""
    while len(workers) < min(processes, len(todo) + sum(worker.task is not None for worker in workers)):
        workers.append(_start(folder, quick))
    for worker in workers:
        if worker.task is None and todo:
            worker.task, worker.began = todo.pop(0), time.monotonic()
            worker.pipe.send(worker.task)
    return [worker for worker in workers if worker.task is not None]


def _start(folder: Path | None, quick: bool) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, folder, quick, os.getpid()), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _listen(busy: list[_Worker], workers: list[_Worker], outcomes: dict[str, Outcome]) -> list[tuple[Experiment, float]]:
    """Take in what the processes say for a moment; the experiments that ended, and how long they took."""
    ready: list[Any] = wait([worker.pipe for worker in busy], timeout=TICK)
    ended = []
    for worker in busy:
        if worker.pipe not in ready:
            continue
        assert worker.task is not None
        outcome = outcomes[worker.task.name]
        try:
            message = worker.pipe.recv()
        except EOFError:
            message = "ended without an answer"
            worker.process.join()
            workers.remove(worker)
        if isinstance(message, dict):
            outcome.rows.append(message)
        else:
            outcome.failure = message or ""
            ended.append((worker.task, time.monotonic() - worker.began))
            worker.task = None
    return ended


def _serve(pipe: Connection, folder: Path | None, quick: bool, parent: int) -> None:
    """Answer each experiment with one row after the other, then None; or a text that says why there are no more."""
    materials = Materials(folder, quick)
    try:
        while True:
            experiment: Experiment = pipe.recv()
            try:
                for row in experiment.run(materials):
                    if os.getppid() != parent:
                        return
                    pipe.send(dict(row))
                pipe.send(None)
            except AnonsetError as error:
                pipe.send(f"failed: {error}")
            except Exception as error:  # its text may hold data: the type is enough
                pipe.send(f"failed: internal error, {type(error).__name__}")
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        return
