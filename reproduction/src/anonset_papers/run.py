"""Run the experiments behind the claims, each in a process of its own, and judge them."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anonset.jobs import Ended, Pool, Reported, Reporter
from anonset.model.progress import Progress, silent
from anonset_papers.claims import Claim, Experiment, Result, Row, answer_of, untested
from anonset_papers.materials import Materials


@dataclass(slots=True)
class Outcome:
    """The rows of an experiment, and why it failed, if it did."""

    rows: list[Row] = field(default_factory=list)
    failure: str = ""
    seconds: float = 0.0


def reproduce(
    claims: Sequence[Claim],
    folder: Path | None = None,
    *,
    quick: bool = False,
    processes: int = 2,
    seconds: float = 900.0,
    progress: Progress = silent,
    tell: Callable[[str, float], None] = lambda name, seconds: None,
) -> tuple[Result, ...]:
    """The results of the claims, in order. An experiment that several share is run once.

    `progress` may raise to cancel. Experiments are stopped after `seconds`, and their claims are not tested.
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
        claim.id,
        claim.text,
        claim.setting,
        answer_of(found.checks),
        found.checks,
        found.plots,
        found.table,
        found.note,
        data,
        found.reading,
        found.others,
        found.stand_in,
    )


class Experimenter:
    """The work of a process: one experiment after the other, with each dataset read once."""

    def __init__(self, folder: Path | None, quick: bool) -> None:
        self._materials = Materials(folder, quick)

    def __call__(self, experiment: Experiment, report: Reporter) -> None:
        """Report the rows of an experiment as they come."""
        for row in experiment.run(self._materials):
            report.send(dict(row))


def run_experiments(
    experiments: Sequence[Experiment],
    folder: Path | None,
    *,
    quick: bool,
    processes: int,
    seconds: float,
    progress: Progress = silent,
    tell: Callable[[str, float], None] = lambda name, seconds: None,
) -> dict[str, Outcome]:
    """The outcome of each experiment; `processes` of them run at the same time, and each process reads a dataset once."""
    outcomes = {
        experiment.name: Outcome(failure=f"had not ended after the {seconds:g} s allowed") for experiment in experiments
    }
    until = time.monotonic() + seconds
    with Pool(Experimenter, folder, quick, processes=processes) as pool:
        for experiment in experiments:
            pool.submit(experiment.name, experiment)
        while pool.unfinished and time.monotonic() < until:
            for event in pool.poll():
                outcome = outcomes[event.key]
                match event:
                    case Reported(_, row):
                        outcome.rows.append(row)
                    case Ended(name, ended, _, reason, took):
                        outcome.failure, outcome.seconds = _failure(ended, reason), took
                        tell(name, took)
            progress(1.0 - pool.unfinished / len(experiments))
    return outcomes


def _failure(ended: str, reason: str) -> str:
    if ended == "done":
        return ""
    return "ended without an answer" if "without an answer" in reason else f"failed: {reason}"
