"""Data in pieces in, a verified release in parts out: within a memory limit, in threads or on a Dask cluster."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Algorithm
from anonset.engine import run as running
from anonset.engine.publication import Certify
from anonset.model.dataset import Dataset
from anonset.model.ends import check_ends
from anonset.model.progress import Phases, unheard
from anonset.model.release import Accepted, Cover
from anonset.model.schema import Fate
from anonset.model.verdict import Verdict
from anonset.tasks.algorithms import USUAL_K, AlgorithmChoice, choose
from anonset.tasks.anonymize import remarks_on, target
from anonset.tasks.inputs import Input, resources
from anonset.tasks.views import can_draw


@dataclass(frozen=True, slots=True)
class LargeRequest:
    """Files, a folder, a table or a stream to anonymize in pieces; what the work may take as typed (memory: 2GB).

    `into` is a new table for the records too, in the `database` of that address, or in the one that the data come from.
    """

    source: Input
    output: Path
    wanted: AlgorithmChoice = field(default_factory=AlgorithmChoice)
    memory: str | int | None = None
    jobs: int | None = None
    scheduler: str | None = None
    overwrite: bool = False
    accepted: Accepted = field(default_factory=Accepted)
    command: str = ""
    into: str | None = None
    database: str | None = None
    report: bool = True  # the certificate; the report itself is for `anonset report`
    cover: Cover = field(default_factory=Cover)
    ends: str = "auto"  # of numeric ranges


@dataclass(frozen=True, slots=True)
class LargeAnonymized:
    """Where the release is, what was found on its parts, what became of each column, and what there is to say about it."""

    output: Path
    algorithm: str
    records: int
    parts: int
    verdict: Verdict
    measures: dict[str, float]
    columns: tuple[Fate, ...]
    remarks: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Its fields, those of the verdict among them."""
        return {
            "output": self.output,
            "algorithm": self.algorithm,
            "records": self.records,
            "parts": self.parts,
            **self.verdict.as_json(),
            "measures": self.measures,
            "columns": self.columns,
            "remarks": self.remarks,
        }


def run(request: LargeRequest, phases: Phases = unheard) -> LargeAnonymized:
    """Anonymize in pieces; nothing is published where anything of it fails, and a run that died can be taken up again."""
    request.wanted.check()
    ends = check_ends(request.ends)

    def chosen(roster: Dataset) -> tuple[Algorithm, tuple[str, ...]]:
        wanted = request.wanted
        if wanted.algorithm is None and roster.transactions is None and roster.quasi:
            wanted = replace(wanted, algorithm="mondrian", parameters={"k": USUAL_K, **wanted.parameters})
        choice = choose(roster, wanted)
        return choice.algorithm, remarks_on(roster, choice)

    large = running.Large(
        request.source.data,
        request.source.wanted(),
        chosen,
        request.output,
        resources(request.memory, request.jobs, request.scheduler),
        request.accepted,
        request.overwrite,
        request.command,
        target(request.into, request.database or str(request.source.data)),
        _certify(request.cover) if request.report and can_draw() else None,
        ends,
    )
    done = running.run(large, phases)
    found = done.found
    return LargeAnonymized(
        request.output,
        done.algorithm,
        found.records,
        found.parts,
        found.verdict,
        found.measures,
        done.roster.fates,
        (*done.remarks, *found.admission.sentences),
    )


def _certify(cover: Cover) -> Certify:
    """What makes the page that goes out with a release in parts."""
    from anonset.report.pages import certificate_page
    from anonset.report.words import words_of

    words_of(cover.language)  # a language that is not there is told before the work
    return lambda original, release, guide, admission, seen: certificate_page(original, release, guide, admission, cover, seen)
