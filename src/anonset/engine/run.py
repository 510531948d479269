"""Anonymize data in pieces: plan, find the domains, decide, recode, write, verify, publish."""

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
from anonset.engine.record_pairs import beside
from anonset.engine.session import asking
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
    """What to anonymize in pieces, and where to write it; `choose` names the algorithm once the columns are known."""

    data: Any
    schema: Schema
    choose: Callable[[Dataset], tuple[Algorithm, tuple[str, ...]]]
    output: Path
    resources: Resources = field(default_factory=Resources)
    accepted: Accepted = field(default_factory=Accepted)
    overwrite: bool = False
    command: str = ""
    target: Target | None = None  # a table that is written too
    certify: Certify | None = None  # what makes the page that is handed out
    ends: Ends = "auto"  # of numeric ranges


@dataclass(frozen=True, slots=True)
class PartsOutcome:
    """The release, how it was made, what became of the columns and what there is to say."""

    found: InParts
    algorithm: str
    roster: Dataset
    plan: WorkPlan
    remarks: tuple[str, ...]
    asked: tuple[str, ...]


def run(wanted: Large, phases: Phases = unheard) -> PartsOutcome:
    """Anonymize; a run that died goes on where it was, one that was refused leaves nothing behind."""
    share_heap()
    check_output(wanted.output, overwrite=wanted.overwrite)
    if wanted.target is not None:
        wanted.target.check()
    if (work_folder(wanted.output) / MOVING).exists():
        clear_work(work_folder(wanted.output))
    work = open_work(wanted.output)
    try:
        outcome = _run(wanted, work, phases)
    except (LostPiece, Cancelled):
        raise  # what was done stays: the next run goes on from there
    except AnonsetError:
        clear_work(work)
        raise
    clear_work(work)
    return outcome


def _run(wanted: Large, work: Path, phases: Phases) -> PartsOutcome:
    with asking(wanted.data, wanted.schema, wanted.resources, work, phases) as (driver, source, planned):
        roster = driver.context.roster
        algorithm, remarks = wanted.choose(roster)
        require_k(algorithm.name, {"k": getattr(algorithm, "k", None)})
        coder = driver.context.coder
        assert coder is not None, "the domains were asked for"
        require_names(roster, wanted.accepted, coder.counts, coder.supports)
        driver.digest += repr((algorithm, wanted.ends))
        driver.context.ends = wanted.ends
        planned = forecast(driver, source, algorithm, planned)
        shown, said = shown_by(driver, source, algorithm, planned)
        remarks = (planned.why, *remarks, *said)
        found = publish_parts(
            driver,
            source,
            shown,
            algorithm,
            wanted.output,
            accepted=wanted.accepted,
            overwrite=wanted.overwrite,
            command=wanted.command,
            remarks=remarks,
            target=wanted.target,
            certify=wanted.certify,
        )
        return PartsOutcome(found, algorithm.name, roster, planned, remarks, tuple(driver.asked))


def check(folder: Path, data: Any, schema: Schema, resources: Resources, phases: Phases = unheard) -> Verdict:
    """What the verifier finds on a release in parts, beside its original read in pieces."""
    try:
        with beside(folder, data, schema, resources, phases) as (driver, source, parts):
            found = verdict_of(driver, source, parts)[0]
            return Verdict((*found.findings, *seals(driver.context.roster, folder)))
    except GuaranteeViolated as error:
        return Verdict((Finding("readable as published", False, 1, str(error), witnesses=(str(error),)),))
