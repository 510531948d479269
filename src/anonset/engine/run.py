"""Anonymize data in batches: plan, find the domains, decide, recode, write, verify, publish."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Algorithm
from anonset.engine.heap import share_heap
from anonset.engine.journal import clear_work, open_work, work_folder
from anonset.engine.planning import Resources, WorkPlan
from anonset.engine.publication import MOVING, Certify, InParts, publish_parts, verdict_of
from anonset.engine.questions import LostPiece
from anonset.engine.record_pairs import release_session
from anonset.engine.session import open_session
from anonset.engine.strategies import forecast, shown_by
from anonset.errors import AnonsetError, Cancelled, GuaranteeViolated
from anonset.model.dataset import Dataset
from anonset.model.ends import Ends
from anonset.model.progress import Phases, unheard
from anonset.model.release import Accepted
from anonset.model.schema import Schema
from anonset.model.verdict import Finding, Verdict
from anonset.releases.gates import require_k, require_names
from anonset.releases.publish import seals
from anonset.releases.staging import check_output
from anonset.releases.tables import Target


@dataclass(frozen=True, slots=True)
class Large:
    """A request to anonymize data in batches; `choose` returns the algorithm and remarks once the columns are known."""

    data: Any
    schema: Schema
    choose: Callable[[Dataset], tuple[Algorithm, tuple[str, ...]]]
    output: Path
    resources: Resources = field(default_factory=Resources)
    accepted: Accepted = field(default_factory=Accepted)
    overwrite: bool = False
    command: str = ""
    target: Target | None = None  # a database table that receives the records too
    certify: Certify | None = None  # writes the page for the receiver
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


def run(request: Large, phases: Phases = unheard) -> PartsOutcome:
    """Anonymize; an interrupted run is resumed, a refused one leaves no files behind."""
    share_heap()
    check_output(request.output, overwrite=request.overwrite)
    if request.target is not None:
        request.target.check()
    if (work_folder(request.output) / MOVING).exists():
        clear_work(work_folder(request.output))
    work = open_work(request.output)
    try:
        outcome = _run(request, work, phases)
    except (LostPiece, Cancelled):
        raise  # keep the work folder: the next run resumes from it
    except AnonsetError:
        clear_work(work)
        raise
    clear_work(work)
    return outcome


def _run(request: Large, work: Path, phases: Phases) -> PartsOutcome:
    with open_session(request.data, request.schema, request.resources, work, phases) as (driver, source, planned):
        roster = driver.context.roster
        algorithm, remarks = request.choose(roster)
        require_k(algorithm.name, {"k": getattr(algorithm, "k", None)})
        coder = driver.context.coder
        assert coder is not None, "the domains were asked for"
        require_names(roster, request.accepted, coder.counts, coder.supports)
        driver.digest += repr((algorithm, request.ends))
        driver.context.ends = request.ends
        planned = forecast(driver, source, algorithm, planned)
        shown, said = shown_by(driver, source, algorithm, planned)
        remarks = (planned.why, *remarks, *said)
        found = publish_parts(
            driver,
            source,
            shown,
            algorithm,
            request.output,
            accepted=request.accepted,
            overwrite=request.overwrite,
            command=request.command,
            remarks=remarks,
            target=request.target,
            certify=request.certify,
        )
        return PartsOutcome(found, algorithm.name, roster, planned, remarks, tuple(driver.asked))


def check(folder: Path, data: Any, schema: Schema, resources: Resources, phases: Phases = unheard) -> Verdict:
    """Verify a release in parts against its original, which is read in batches."""
    try:
        with release_session(folder, data, schema, resources, phases) as (driver, source, parts):
            found = verdict_of(driver, source, parts)[0]
            return Verdict((*found.findings, *seals(driver.context.roster, folder)))
    except GuaranteeViolated as error:
        return Verdict((Finding("readable as published", False, 1, str(error), witnesses=(str(error),)),))
