"""Anonymize data in batches: plan, find the domains, decide, recode, write, verify, publish."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Algorithm
from anonset.engine.heap import share_heap
from anonset.engine.journal import clear_work, open_work, work_folder
from anonset.engine.planning import Resources, WorkPlan
from anonset.engine.publication import MOVING, InParts, PublishRequest, publish_parts, verdict_of
from anonset.engine.questions import LostBatch
from anonset.engine.record_pairs import release_session
from anonset.engine.session import open_session
from anonset.engine.strategies import forecast, shown_by
from anonset.errors import AnonsetError, Cancelled, GuaranteeViolated
from anonset.model.dataset import Dataset
from anonset.model.ends import Ends
from anonset.model.guarantees import Guarantee
from anonset.model.progress import Phases, unheard
from anonset.model.schema import Schema
from anonset.model.verdict import Finding, Verdict
from anonset.releases.gates import require_k, require_names
from anonset.releases.publish import seals


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """A request to anonymize data in batches; `choose` returns the algorithm and remarks once the columns are known."""

    data: Any
    schema: Schema
    choose: Callable[[Dataset], tuple[Algorithm, tuple[str, ...]]]
    publish: PublishRequest
    resources: Resources = field(default_factory=Resources)
    ends: Ends = "auto"  # how the ends of numeric ranges are chosen


@dataclass(frozen=True, slots=True)
class PartsOutcome:
    """The release, the algorithm, the roster, the plan, remarks, and the questions that were not in the journal."""

    found: InParts
    algorithm: str
    roster: Dataset
    plan: WorkPlan
    remarks: tuple[str, ...]
    asked: tuple[str, ...]


def run(request: EngineRequest, phases: Phases = unheard) -> PartsOutcome:
    """Anonymize; an interrupted run is resumed, a refused one leaves no files behind."""
    share_heap()
    request.publish.check()
    output = request.publish.output
    if (work_folder(output) / MOVING).exists():
        clear_work(work_folder(output))
    work = open_work(output)
    try:
        outcome = _run(request, work, phases)
    except (LostBatch, Cancelled):
        raise  # keep the work folder: the next run resumes from it
    except AnonsetError:
        clear_work(work)
        raise
    clear_work(work)
    return outcome


def _run(request: EngineRequest, work: Path, phases: Phases) -> PartsOutcome:
    with open_session(request.data, request.schema, request.resources, work, phases) as (driver, source, planned):
        roster = driver.context.roster
        algorithm, remarks = request.choose(roster)
        require_k(algorithm.name, {"k": getattr(algorithm, "k", None)})
        coder = driver.context.coder
        assert coder is not None, "the domains were asked for"
        require_names(roster, request.publish.accepted, coder.counts, coder.supports)
        driver.digest += repr((algorithm, request.ends))
        driver.context.ends = request.ends
        planned = forecast(driver, source, algorithm, planned)
        shown, said = shown_by(driver, source, algorithm, planned)
        remarks = (planned.why, *remarks, *said)
        found = publish_parts(driver, source, shown, algorithm, replace(request.publish, remarks=remarks))
        return PartsOutcome(found, algorithm.name, roster, planned, remarks, tuple(driver.asked))


def check(
    folder: Path,
    data: Any,
    schema: Schema,
    resources: Resources,
    phases: Phases = unheard,
    ask: Callable[[Dataset], Sequence[Guarantee]] | None = None,
) -> Verdict:
    """Verify a release in parts against its original, which is read in batches: its guarantees, or those of `ask`."""
    try:
        with release_session(folder, data, schema, resources, phases) as (driver, source, parts):
            guarantees = None if ask is None else ask(driver.context.roster)
            found = verdict_of(driver, source, parts, guarantees)[0]
            return Verdict((*found.findings, *seals(driver.context.roster, folder)))
    except GuaranteeViolated as error:
        return Verdict((Finding("readable as published", False, 1, str(error), witnesses=(str(error),)),))
