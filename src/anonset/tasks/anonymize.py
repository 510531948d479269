"""A dataset in, a verified release out: in memory, or as a folder."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from anonset.algorithms.constraints.lint import lint_request
from anonset.measure.usefulness import Usefulness
from anonset.model.accepted import Accepted
from anonset.model.dataset import Dataset
from anonset.model.fates import Fate, guesses_sentence, left_out_sentence
from anonset.model.progress import Phases, Progress, silent, unheard
from anonset.model.release import Release
from anonset.model.verdict import Verdict
from anonset.releases.folder import check_format
from anonset.releases.margins import with_margins
from anonset.releases.publish import Published, publish
from anonset.releases.staging import check_output
from anonset.tasks.choosing import Choice, Wanted, choose
from anonset.tasks.inputs import Input
from anonset.tasks.pages import release_pages


@dataclass(frozen=True, slots=True)
class AnonymizeRequest:
    """What to anonymize, how, and where to write it; `command` is what a person typed for it.

    `margins` publishes, beside the records, rounded counts of the items in the whole data.
    """

    source: Input
    output: Path
    wanted: Wanted = field(default_factory=Wanted)
    format: str = "csv"
    overwrite: bool = False
    report: bool = True
    margins: bool = False
    accepted: Accepted = field(default_factory=Accepted)
    command: str = ""


@dataclass(frozen=True, slots=True)
class Anonymized:
    """Where the release is, what was found on its files, what became of each column, and what there is to say about it."""

    output: Path
    algorithm: str
    records: int
    suppressed_records: int
    verdict: Verdict
    measures: dict[str, float]
    usefulness: Usefulness
    columns: tuple[Fate, ...]
    remarks: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            "output": self.output,
            "algorithm": self.algorithm,
            "records": self.records,
            "suppressed_records": self.suppressed_records,
            **self.verdict.as_json(),
            "measures": self.measures,
            "usefulness": self.usefulness.to_json(),
            "columns": [asdict(fate) | {"fate": fate.fate} for fate in self.columns],
            "remarks": list(self.remarks),
        }


def run(request: AnonymizeRequest, phases: Phases = unheard) -> Anonymized:
    """Read, anonymize, write, check and measure; nothing is left behind where anything of it fails."""
    check_output(request.output, overwrite=request.overwrite)
    check_format(request.format)
    request.wanted.check()
    start = time.perf_counter()
    data = request.source.read(phases("Reading"))
    loaded = time.perf_counter()
    choice = choose(data, request.wanted)
    remarks = remarks_on(data, choice)
    asked = time.perf_counter()
    release = choice.algorithm.anonymize(data, progress=phases("Anonymizing"))
    release = margined(data, release) if request.margins else release
    timings = {"read": round(loaded - start, 4), "anonymize": round(time.perf_counter() - asked, 4)}
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
        (*remarks, *found.admission.sentences),
    )


def of_dataset(data: Dataset, algorithm: str | None, parameters: Mapping[str, Any], progress: Progress = silent) -> Release:
    """The release that an algorithm, or the one that fits, makes of a dataset, in memory."""
    return choose(data, Wanted(algorithm, parameters)).algorithm.anonymize(data, progress=progress)


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
    **how: Any,
) -> Published:
    """Write a release with its pages, whole and verified as written; `how` is as `publish` has it."""
    pages = release_pages(data, command=command) if report else None
    return publish(data, release, out, pages=pages, command=command, **how)


def remarks_on(data: Dataset, choice: Choice) -> tuple[str, ...]:
    """What is worth knowing before a run: roles that were guessed or not given, the algorithm taken, the policies."""
    said = [guesses_sentence(data.fates), left_out_sentence(data.fates), choice.why or None]
    lints = [f"{remark.level}: {remark.text}" for remark in lint_request(choice.algorithm, data) if not remark.stops]
    return (*(text for text in said if text is not None), *lints)
