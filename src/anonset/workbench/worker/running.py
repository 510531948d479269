"""Making releases and putting them on the map, in a worker."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from secrets import randbits
from typing import TYPE_CHECKING, Any

from anonset.jobs import peak_mb
from anonset.model.accepted import Accepted
from anonset.model.dataset import Dataset
from anonset.model.guarantees import promise_words
from anonset.model.policy import Itemsets
from anonset.model.progress import Progress
from anonset.model.release import Release
from anonset.tasks import anonymize, measure, policy, recommend, risk_map, warm, workload
from anonset.tasks.algorithms import AlgorithmChoice, choose
from anonset.tasks.inputs import load
from anonset.workbench.orders import Order
from anonset.workbench.values import Point
from anonset.workbench.worker import in_words
from anonset.workbench.worker.reading import WorkerCaches

if TYPE_CHECKING:
    from anonset.measure.workload import QueryCounts

QUERIES = {"n": 200, "seed": 0}
ESTIMATOR = "uniform"  # as `recommend` counts: one table shows the runs of both
PLAIN = (bool, int, float, str)
SEED_BITS = 53  # nobody tries them all, and every language reads them as they are
TELL_MEMORY = 0.5  # seconds


class Watched:
    """Phases that also say, now and then, how much memory is in use."""

    def __init__(self, report: Any) -> None:
        self._report, self._last = report, 0.0

    def __call__(self, phase: str) -> Progress:
        """The listener of a phase."""
        listen = self._report(phase)

        def heard(done: float) -> None:
            listen(done)
            if time.monotonic() - self._last > TELL_MEMORY:
                self._last = time.monotonic()
                self.say(memory_mb=peak_mb())

        heard(0.0)
        return heard

    def say(self, **facts: Any) -> None:
        """Tell facts about a run that is at work."""
        self._report.say(facts)


def make(desk: WorkerCaches, report: Any, *, order: Order) -> dict[str, Any]:
    """Make a release, write it, check what was written, and measure it."""
    phases = Watched(report)
    data = desk.data(order.reading, phases("Reading"))
    return _made(desk, phases, data, order, order.algorithm, order.parameters)


def advise(desk: WorkerCaches, report: Any, *, order: Order) -> dict[str, Any]:
    """Try what fits in the time, make the best of it, and say why."""
    phases = Watched(report)
    data = desk.data(order.reading, phases("Reading"))
    found = recommend.of_dataset(
        data,
        max_risk=order.max_risk,
        m=order.promise.m,
        seconds=order.seconds,
        progress=phases("Trying"),
        ends=order.ends,
    )
    result = _made(desk, phases, data, order, found.best.algorithm, dict(found.best.parameters))
    return result | {"remarks": [*found.reasons, *result["remarks"]], "parameters": dict(found.best.parameters)}


def _made(
    desk: WorkerCaches, phases: Watched, data: Dataset, order: Order, algorithm: str | None, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    request = anonymize.AnonymizeRequest(
        desk.source(order.reading),
        order.output,
        _repeatable(
            data, AlgorithmChoice(algorithm, parameters, write_policy(order, data, order.output.with_name("policy.toml")))
        ),
        format=order.format,
        overwrite=True,
        report=order.report,
        margins=order.margins,
        ends=order.ends,
        accepted=Accepted(order.exposure, order.loss, order.repeats),
        command=order.command,
    )
    found = anonymize.run_on(data, request, phases, made=lambda release: phases.say(**_at_once(data, release)))
    release = load(order.output, data).release
    measures = {id: value for id, value in found.measures.items() if isfinite(value)}
    measures |= _query_error(data, release)
    return {
        "algorithm": found.algorithm,
        "records": found.records,
        "holds": found.verdict.holds,
        "measures": measures,
        "guarantees": [promise_words(guarantee) for guarantee in release.guarantees],
        "remarks": [in_words(remark) for remark in found.remarks],
        "usefulness": [] if found.usefulness is None else list(found.usefulness.sentences),
        "digest": digest_of(order.output),
        "settled": {name: value for name, value in release.provenance.parameters.items() if isinstance(value, PLAIN)},
    }


def _repeatable(data: Dataset, wanted: AlgorithmChoice) -> AlgorithmChoice:
    """The same, with a seed where the algorithm draws lots: whatever is made here can be made again."""
    draws = getattr(choose(data, wanted).algorithm, "seed", 0) is None
    return replace(wanted, parameters={**wanted.parameters, "seed": randbits(SEED_BITS)}) if draws else wanted


def _at_once(data: Dataset, release: Release) -> dict[str, Any]:
    """Risk and loss as soon as there is a release, for a map to be drawn before the files are written and checked."""
    losses = (["ncp"] if release.quasi else []) + (["ncp-items"] if release.items is not None else [])
    measures = measure.of_release(data, release, ["risk", *losses]) | _query_error(data, release)
    return {"measures": measures, "algorithm": release.provenance.algorithm}


def _query_error(data: Dataset, release: Release) -> dict[str, float]:
    error = float(counts_of(data, release).relative_errors().mean())
    return {"are": error} if isfinite(error) else {}


def counts_of(data: Dataset, release: Release) -> "QueryCounts":
    """What the same random queries count in every run of these data, really and by the release."""
    return measure.count_answers(data, release, workload.draw(data, "random", QUERIES), ESTIMATOR)


def warm_up(desk: WorkerCaches, report: Any) -> float:
    """Compile what is compiled once an installation; the seconds it took."""
    return warm.run(report).seconds


def write_policy(order: Order, data: Dataset, file: Path) -> Path | None:
    """Write the constraints, where there are some; items in no group of theirs stay on their own."""
    promise = order.promise
    if not promise.privacy and not promise.utility:
        return None
    privacy = Itemsets(promise.privacy) if promise.privacy else None
    policy.write(file, privacy, policy.utility_policy(data, promise.utility, promise.suppression))
    return file


def digest_of(folder: Path) -> str:
    """The hash of the published records."""
    records = next(path for path in sorted((folder / "published").iterdir()) if path.stem == "records")
    return hashlib.sha256(records.read_bytes()).hexdigest()


def points(desk: WorkerCaches, report: Any, *, runs: list[Mapping[str, Any]], loss: str, max_risk: float) -> tuple[Point, ...]:
    """The map of runs."""
    found = risk_map.run(runs, loss, str(max_risk))
    return tuple(
        Point(key, p.series, p.label, p.utility, p.risk, p.loss, p.on_frontier, p == found.knee, p == found.best)
        for key, p in zip(found.keys, found.points, strict=True)
    )
