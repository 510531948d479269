"""A dataset in, a verified release out: in memory, or as a folder."""

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from anonset.data.formats import RELEASE_FORMATS
from anonset.errors import ParameterError
from anonset.measure.usefulness import Usefulness
from anonset.model.dataset import Dataset, Gathered
from anonset.model.ends import check_ends, with_ends
from anonset.model.progress import Phases, Progress, silent, unheard
from anonset.model.release import Accepted, Cover, Release
from anonset.model.schema import Fate, guesses_sentence, left_out_sentence
from anonset.model.verdict import Verdict
from anonset.releases.folder import check_format
from anonset.releases.gates import foresee, one_record_a_person, require_k
from anonset.releases.margins import with_margins
from anonset.releases.publish import Published, publish
from anonset.releases.staging import check_output
from anonset.releases.tables import Target, writing_into
from anonset.report.words import words_of
from anonset.tasks.algorithms import AlgorithmChoice, Choice, choose
from anonset.tasks.inputs import Input
from anonset.tasks.verify import Promise, of_release, promised
from anonset.tasks.views import NO_PAGES, can_draw, release_pages


@dataclass(frozen=True, slots=True)
class AnonymizeRequest:
    """What to anonymize, how, and where to write it; `command` is what a person typed for it.

    `margins` publishes, beside the records, rounded counts of the items in the whole data. `promise` is what the release must
    keep whatever its algorithm promises; `project` is what the manifest keeps of the project file behind it. `into` is a new
    table for the records too, in the `database` of that address, or in the one that the data come from. `ends` says whether the
    ends of numeric ranges are rounded: auto (numbers of four digits or more), rounded (all) or exact (none).
    """

    source: Input
    output: Path
    wanted: AlgorithmChoice = field(default_factory=AlgorithmChoice)
    format: str = "csv"
    overwrite: bool = False
    report: bool = True
    margins: bool = False
    accepted: Accepted = field(default_factory=Accepted)
    command: str = ""
    promise: Promise | None = None
    project: Mapping[str, Any] | None = None
    cover: Cover = field(default_factory=Cover)
    into: str | None = None
    database: str | None = None
    ends: str = "auto"

    @property
    def target(self) -> Target | None:
        """The table to write, if any."""
        return None if self.into is None else Target(self.database or str(self.source.data), self.into)


@dataclass(frozen=True, slots=True)
class Anonymized:
    """Where the release is, what was found on its files, what became of each column, and what there is to say about it."""

    output: Path
    algorithm: str
    records: int
    suppressed_records: int
    verdict: Verdict
    measures: dict[str, float]
    usefulness: Usefulness | None
    columns: tuple[Fate, ...]
    remarks: tuple[str, ...]
    gathered: Gathered | None = None

    def as_json(self) -> dict[str, Any]:
        """Its fields, those of the verdict among them."""
        return {
            "output": self.output,
            "algorithm": self.algorithm,
            "records": self.records,
            "suppressed_records": self.suppressed_records,
            **self.verdict.as_json(),
            "measures": self.measures,
            "usefulness": self.usefulness,
            "columns": self.columns,
            "remarks": self.remarks,
            "gathered": self.gathered,
        }


def run(request: AnonymizeRequest, phases: Phases = unheard) -> Anonymized:
    """Read, anonymize, write, check and measure; nothing is left behind where anything of it fails."""
    check_output(request.output, overwrite=request.overwrite)
    check_format(request.format)
    words_of(request.cover.language)
    request.wanted.check()
    check_ends(request.ends)
    if (table := request.target) is not None:
        table.check()
    start = time.perf_counter()
    data = request.source.read(phases("Reading"))
    return run_on(data, request, phases, read_seconds=time.perf_counter() - start)


def run_on(
    data: Dataset,
    request: AnonymizeRequest,
    phases: Phases = unheard,
    *,
    read_seconds: float = 0.0,
    made: Callable[[Release], None] | None = None,
) -> Anonymized:
    """The same of the request's data that were read already; `made` hears of the release before it is written and checked."""
    one_record_a_person(data, request.accepted)
    choice = choose(data, request.wanted)
    require_k(choice.algorithm.name, {"k": getattr(choice.algorithm, "k", None)})
    foresee(data, request.accepted, getattr(choice.algorithm, "k", 1))
    remarks = remarks_on(data, choice)
    asked = time.perf_counter()
    release = with_ends(data, choice.algorithm.anonymize(data, progress=phases("Anonymizing")), request.ends)
    release = margined(data, release) if request.margins else release
    if request.promise is not None:
        keep(request.promise, data, release, accept_repeats=request.accepted.takes_repeats(data.tied))
    if made is not None:
        made(release)
    timings = {"read": round(read_seconds, 4), "anonymize": round(time.perf_counter() - asked, 4)}
    found = written(
        data,
        release,
        request.output,
        format=request.format,
        overwrite=request.overwrite,
        report=request.report,
        accepted=request.accepted,
        timings=timings,
        command=request.command,
        target=request.target,
        project=request.project,
        cover=request.cover,
        progress=phases("Writing and checking"),
    )
    return Anonymized(
        request.output,
        release.provenance.algorithm,
        len(release),
        len(data) - len(release),
        found.verdict,
        found.measures,
        found.usefulness,
        data.fates,
        (*remarks, *found.admission.sentences, *([NO_PAGES] if request.report and not can_draw() else [])),
        data.gathered,
    )


def run_to_stream(request: AnonymizeRequest, stream: IO[bytes], phases: Phases = unheard) -> Anonymized:
    """The same, with nothing left of it but the published records in a stream, once they are verified."""
    with tempfile.TemporaryDirectory(prefix="anonset-") as place:  # which nobody else may look into
        out = Path(place) / "release"
        result = run(replace(request, output=out, report=False), phases)
        with (out / "published" / RELEASE_FORMATS[request.format].file).open("rb") as records:
            shutil.copyfileobj(records, stream)
        stream.flush()
    return replace(result, output=Path("-"))


def keep(promise: Promise, data: Dataset, release: Release, *, accept_repeats: bool = False) -> None:
    """Raise unless a release keeps the promise: by what its algorithm promises, or found so."""
    wanted = promised(promise, data)
    if wanted not in release.guarantees:
        of_release(data, release, [wanted], accept_repeats=accept_repeats).require()


def of_dataset(
    data: Dataset, algorithm: str | None, parameters: Mapping[str, Any], progress: Progress = silent, *, ends: str = "auto"
) -> Release:
    """The release that an algorithm, or the one that fits, makes of a dataset, in memory."""
    check_ends(ends)
    values = {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}
    return with_ends(data, choose(data, AlgorithmChoice(algorithm, values)).algorithm.anonymize(data, progress=progress), ends)


def target(into: str | None, database: str | None) -> Target | None:
    """The table to write into, where one is named."""
    if into is not None and database is None:
        raise ParameterError("a table to write into needs the address of its database")
    return None if into is None or database is None else Target(database, into)


def margined(data: Dataset, release: Release) -> Release:
    """The release that also says how often items occur in the whole data."""
    return with_margins(data, release)


def written(
    data: Dataset,
    release: Release,
    out: Path,
    *,
    report: bool = True,
    command: str = "",
    cover: Cover | None = None,
    target: Target | None = None,
    **how: Any,
) -> Published:
    """Write a release with its pages, and into a table where one is wanted, whole and verified as written.

    `how` is as `publish` has it.
    """
    front = cover or Cover()
    pages = release_pages(data, command=command, cover=front) if report else None
    if target is None:
        return publish(data, release, out, pages=pages, useful=report, command=command, cover=front, **how)
    with writing_into(target) as table:

        def more(folder: Path, again: Release, found: Published) -> None:
            if pages is not None:
                pages(folder, again, found)
            table.write(folder, again, data)

        return publish(data, release, out, pages=more, useful=report, command=command, cover=front, **how)


def remarks_on(data: Dataset, choice: Choice) -> tuple[str, ...]:
    """What is worth knowing before a run: roles that were guessed or not given, the algorithm taken, the policies."""
    gathered = None if data.gathered is None else data.gathered.sentence or None
    said = [gathered, guesses_sentence(data.fates), left_out_sentence(data.fates), data.removed_sentence, choice.why or None]
    return (*(text for text in said if text is not None), *_lints(data, choice))


def _lints(data: Dataset, choice: Choice) -> list[str]:
    """What there is to say about the policies that an algorithm follows."""
    if not hasattr(choice.algorithm, "privacy"):
        return []
    from anonset.algorithms.constraints.lint import lint_request  # with kernels that only such algorithms need

    return [f"{remark.level}: {remark.text}" for remark in lint_request(choice.algorithm, data) if not remark.stops]
