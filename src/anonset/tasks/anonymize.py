"""Anonymize data into a verified release: one request and one result, whether the data are read at once or in batches."""

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from anonset.algorithms import run as run_algorithm
from anonset.algorithms.base import Algorithm
from anonset.data.formats import RELEASE_FORMATS
from anonset.engine.capacity import Capacity, capacity_of, require_capacity
from anonset.errors import Advice, Fix, InfeasibleError, ParameterError, Set
from anonset.measure.usefulness import Usefulness
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset, Gathered
from anonset.model.ends import check_ends, with_ends
from anonset.model.guarantees import BasePopulation
from anonset.model.progress import Phases, Progress, silent, unheard
from anonset.model.release import Accepted, Release
from anonset.model.schema import Fate, guesses_sentence, left_out_sentence
from anonset.model.verdict import Verdict
from anonset.releases.folder import check_format
from anonset.releases.gates import foresee, one_record_a_person, require_k
from anonset.releases.margins import with_margins
from anonset.releases.publish import Published, publish
from anonset.releases.staging import check_output
from anonset.releases.tables import Target, writing_into
from anonset.report.words import words_of
from anonset.tasks import earlier_rules
from anonset.tasks.algorithms import USUAL_K, AlgorithmChoice, Choice, choose
from anonset.tasks.earlier import admitted, require_whole
from anonset.tasks.inputs import Input, Limits
from anonset.tasks.verify import Promise, of_release, promised
from anonset.tasks.views import NO_PAGES, can_draw, release_pages

if TYPE_CHECKING:
    from anonset.engine.publication import Certify

TAKEN = 0.6  # share of the free memory that a run in batches may take where nobody limits it
COMPARING = "Comparing with earlier releases"
FORMAT = "csv"  # the default format of a release in one part


@dataclass(frozen=True, slots=True)
class AnonymizeRequest:
    """What to anonymize, how, and where to write it; `command` is what a person typed for it.

    With `limits` the data are read in batches within these limits, and published in parts.
    Without a `format` records are published as CSV, in parts as Parquet.
    `margins` publishes, with the records, rounded counts of the items in the whole data. `promise` is what the release must
    keep whatever its algorithm promises; `project` is what the manifest keeps of the project file behind it. `into` is a new
    table for the records too, in the `database` of that address, or in the one that the data come from. `ends` says whether the
    ends of numeric ranges are rounded: auto (numbers of four digits or more), rounded (all) or exact (none). `earlier` are
    releases that somebody may hold too: where one leaves people with fewer than k candidates, publishing is refused. `like` is
    an earlier release whose settings, hierarchies and global rules are taken over.
    """

    source: Input
    output: Path
    wanted: AlgorithmChoice = field(default_factory=AlgorithmChoice)
    format: str | None = None
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
    limits: Limits | None = None
    earlier: tuple[Path, ...] = ()
    like: Path | None = None

    @property
    def target(self) -> Target | None:
        """The table to write, if any."""
        return None if self.into is None else Target(self.database or str(self.source.data), self.into)


@dataclass(frozen=True, slots=True)
class Anonymized:
    """The folder of the release, the verdict and measures of its files, the fate of each column, and remarks.

    `parts` is the number of files of a release in parts; None if it has one file.
    """

    output: Path
    algorithm: str
    records: int
    verdict: Verdict
    measures: dict[str, float]
    columns: tuple[Fate, ...]
    remarks: tuple[str, ...]
    suppressed_records: int = 0
    usefulness: Usefulness | None = None
    gathered: Gathered | None = None
    parts: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Its fields, those of the verdict among them."""
        named = {"output": self.output, "algorithm": self.algorithm, "records": self.records, "parts": self.parts}
        found = self.verdict.as_json() | {"measures": self.measures, "usefulness": self.usefulness}
        said = {"columns": self.columns, "remarks": self.remarks, "gathered": self.gathered}
        return {**named, "suppressed_records": self.suppressed_records, **found, **said}


def run(request: AnonymizeRequest, phases: Phases = unheard) -> Anonymized:
    """Read, anonymize, write, verify and measure; leave no files behind on failure.

    Data that do not fit into memory are read in batches.
    """
    if request.like is not None:
        request = replace(request, source=earlier_rules.input_like(request.like, request.source))
    if request.limits is not None:
        return _run_in_parts(request, request.limits, phases)
    if not (found := capacity_of(request.source.data, request.source.wanted())).fits:
        return _run_beyond_memory(request, found, phases)
    check_output(request.output, overwrite=request.overwrite)
    check_format(request.format or FORMAT)
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
    made: Callable[[Dataset, Release], None] | None = None,
) -> Anonymized:
    """Run a request on data that were read already; `made` is called with data and release before it is written and checked."""
    one_record_a_person(data, request.accepted)
    following = None if request.like is None else earlier_rules.follow(request.like, data)
    choice = choose(data, request.wanted if following is None else following.rules.choice(request.wanted))
    require_k(choice.algorithm.name, {"k": getattr(choice.algorithm, "k", None)})
    foresee(data, request.accepted, getattr(choice.algorithm, "k", 1))
    remarks = remarks_on(data, choice)
    start = time.perf_counter()
    if following is None:
        release = run_algorithm(choice.algorithm, data, phases("Anonymizing"))
    else:
        data, release = following.finished(run_algorithm(choice.algorithm, following.coarse, phases("Anonymizing")))
        remarks = (*remarks, *following.sentences(release))
    release = with_ends(data, release, request.ends)
    release = with_margins(data, release) if request.margins else release
    if request.promise is not None:
        keep(request.promise, data, release, accept_repeats=request.accepted.takes_repeats(data.tied))
    held = admitted(data, release, request.earlier, request.accepted, phases(COMPARING) if request.earlier else silent)
    if made is not None:
        made(data, release)
    timings = {"read": round(read_seconds, 4), "anonymize": round(time.perf_counter() - start, 4)}
    found = written(
        data,
        release,
        request.output,
        format=request.format or FORMAT,
        overwrite=request.overwrite,
        report=request.report,
        accepted=request.accepted,
        timings=timings,
        command=request.command,
        target=request.target,
        project=request.project,
        cover=request.cover,
        earlier=held,
        like=None if following is None else following.rules.name,
        progress=phases("Writing and checking"),
    )
    return Anonymized(
        request.output,
        release.provenance.algorithm,
        len(release),
        found.verdict,
        found.measures,
        data.fates,
        (
            *remarks,
            *found.admission.sentences,
            *(one.sentence for one in held if one.holds),
            *([NO_PAGES] if request.report and not can_draw() else []),
        ),
        suppressed_records=len(data) - len(release),
        usefulness=found.usefulness,
        gathered=data.gathered,
    )


def _run_beyond_memory(request: AnonymizeRequest, found: Capacity, phases: Phases) -> Anonymized:
    """Read data in batches because they do not fit into memory; what cannot be done in batches is refused with the numbers."""
    from anonset.engine.strategies import require_strategy

    try:
        if request.wanted.algorithm is not None:
            require_strategy(request.wanted.algorithm)
        done = _run_in_parts(request, Limits(memory=int(found.free * TAKEN)), phases)
    except ParameterError as error:
        raise InfeasibleError(Advice(f"{found}; in batches: ", error.advice)) from None
    return replace(done, remarks=(f"{found}: they were read in batches", *done.remarks))


def _run_in_parts(request: AnonymizeRequest, limits: Limits, phases: Phases) -> Anonymized:
    """Read the data in batches and publish them in parts; a run that died can be resumed."""
    from anonset.engine import run as engine  # other runs do not need it
    from anonset.engine.publication import PublishRequest

    require_whole(() if request.accepted.earlier else request.earlier)
    if (wanted := request.source.wanted()).population is not None or wanted.sampling is not None:
        fix = [Fix("read the data without {}", Set("population" if wanted.sampling is None else "sampling"))]
        raise ParameterError("a population is counted in memory, and these data are read in batches:", fix=fix)
    if request.like is not None:
        earlier_rules.require_one_part()
    request.wanted.check()
    promise, table = request.promise, target(request.into, request.database or str(request.source.data))
    how = PublishRequest(
        request.output,
        request.format or "parquet",
        request.margins,
        request.accepted,
        request.overwrite,
        request.command,
        target=table,
        certify=_certify(request.cover) if request.report and can_draw() else None,
        promise=None if promise is None else lambda roster: promised(promise, roster),
        cover=request.cover,
        project=request.project,
    )

    def chosen(roster: Dataset) -> tuple[Algorithm, tuple[str, ...]]:
        requested = request.wanted
        if requested.algorithm is None and roster.transactions is None and roster.quasi:
            requested = replace(requested, algorithm="mondrian", parameters={"k": USUAL_K, **requested.parameters})
        choice = choose(roster, requested)
        return choice.algorithm, remarks_on(roster, choice)

    ends = check_ends(request.ends)
    large = engine.EngineRequest(request.source.data, request.source.wanted(), chosen, how, limits.resources(), ends)
    done = engine.run(large, phases)
    found = done.found
    return Anonymized(
        request.output,
        done.algorithm,
        found.records,
        found.verdict,
        found.measures,
        done.roster.fates,
        (*done.remarks, *found.admission.sentences),
        usefulness=found.usefulness,
        parts=found.parts,
    )


def _certify(cover: Cover) -> "Certify":
    """Return the function that writes the pages for the receiver of a release in parts."""
    from anonset.report.pages import public_pages

    words_of(cover.language)  # an unknown language is refused before the work
    return lambda original, release, guide, admission, seen: public_pages(original, release, guide, admission, cover, seen)


def run_to_stream(request: AnonymizeRequest, stream: IO[bytes], phases: Phases = unheard) -> Anonymized:
    """Run a request and copy the verified records to a stream; the release itself is deleted."""
    require_capacity(request.source.data, request.source.wanted())
    with tempfile.TemporaryDirectory(prefix="anonset-") as place:  # readable by its owner only
        out = Path(place) / "release"
        result = run(replace(request, output=out, report=False), phases)
        with (out / "published" / RELEASE_FORMATS[request.format or FORMAT].file).open("rb") as records:
            shutil.copyfileobj(records, stream)
        stream.flush()
    return replace(result, output=Path("-"))


def keep(promise: Promise, data: Dataset, release: Release, *, accept_repeats: bool = False) -> None:
    """Raise unless a release keeps the promise: its algorithm guarantees it, or the verifier finds that it holds."""
    guarantee = promised(promise, data)
    kept = [replace(g, records=0) if isinstance(g, BasePopulation) else g for g in release.guarantees]  # as many as it takes
    if guarantee not in kept:
        of_release(data, release, [guarantee], accept_repeats=accept_repeats).require()


def of_dataset(
    data: Dataset, algorithm: str | None, parameters: Mapping[str, Any], progress: Progress = silent, *, ends: str = "auto"
) -> Release:
    """Anonymize a dataset in memory by an algorithm, or by the one that fits the data."""
    check_ends(ends)
    return with_ends(data, run_algorithm(choose(data, _typed(algorithm, parameters)).algorithm, data, progress), ends)


def of_dataset_like(
    folder: Path,
    data: Dataset,
    algorithm: str | None,
    parameters: Mapping[str, Any],
    progress: Progress = silent,
    *,
    ends: str = "auto",
) -> tuple[Dataset, Release]:
    """Anonymize a dataset in memory by the rules of an earlier release; return it with their hierarchies, too."""
    check_ends(ends)
    following = earlier_rules.follow(folder, data)
    choice = choose(data, following.rules.choice(_typed(algorithm, parameters)))
    data, release = following.finished(run_algorithm(choice.algorithm, following.coarse, progress))
    return data, with_ends(data, release, ends)


def _typed(algorithm: str | None, parameters: Mapping[str, Any]) -> AlgorithmChoice:
    values = {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}
    return AlgorithmChoice(algorithm, values)


def target(into: str | None, database: str | None) -> Target | None:
    """Return the table to write into, if one is named."""
    if into is not None and database is None:
        raise ParameterError("a table to write into needs the address of its database")
    return None if into is None or database is None else Target(database, into)


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
    """Write and verify a release with its pages, and write its records into the table `target` if there is one.

    `how` has the other arguments of `publish`.
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
    """Return remarks on a run: roles that were guessed or not given, the chosen algorithm, the policies."""
    gathered = None if data.gathered is None else data.gathered.sentence or None
    said = [gathered, guesses_sentence(data.fates), left_out_sentence(data.fates), data.removed_sentence, choice.why or None]
    return (*(text for text in said if text is not None), *_lints(data, choice))


def _lints(data: Dataset, choice: Choice) -> list[str]:
    """Return remarks on the policies of an algorithm."""
    if not hasattr(choice.algorithm, "privacy"):
        return []
    from anonset.algorithms.constraints.lint import lint_request  # with kernels that only such algorithms need

    return [f"{remark.level}: {remark.text}" for remark in lint_request(choice.algorithm, data) if not remark.stops]
