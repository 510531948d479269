"""A plan on a dataset in memory: one setting after the other in this process, within a time."""

import time
from math import inf

from anonset.model.dataset import Dataset
from anonset.model.progress import Progress, silent
from anonset.study.evaluate import evaluate
from anonset.study.plan import Plan
from anonset.study.trial import Trial


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
