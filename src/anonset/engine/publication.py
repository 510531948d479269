"""Write the parts into the work folder, verify them there, and only then move them to the output folder."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm, provenance
from anonset.data.files import write_text
from anonset.data.formats import RELEASE_FORMATS
from anonset.data.formats.base import Guide
from anonset.data.formats.tokens import UNCERTAIN
from anonset.engine.domains import Answer, Coder
from anonset.engine.journal import Driver
from anonset.engine.measures import measures_of, usefulness_of, worthless_shares
from anonset.engine.part_files import (
    MATCHES,
    PUBLISHED,
    ROWS,
    Collect,
    ShownItems,
    Spelling,
    checked_guides,
    typed_part,
    unjson,
)
from anonset.engine.record_pairs import (
    PRIVATE_GUIDE,
    bounds_of,
    copies_of,
    part_numbers,
    part_release,
    private_guide,
    published_guide,
)
from anonset.engine.shuffle import Slices, slices_of
from anonset.engine.source import BatchSource
from anonset.engine.verification import Compare, PartJudge, findings_of, margins_checked, matched_findings, truth_of
from anonset.errors import Fix, GuaranteeViolated, ParameterError, Set
from anonset.measure.usefulness import Usefulness
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, guarantee_data, make_guarantee
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.release import Accepted, Margins, Provenance, Release
from anonset.model.serialization import write_json
from anonset.model.sets import sets_of
from anonset.model.verdict import Verdict
from anonset.releases.about import Exactness, about
from anonset.releases.folder import check_format, domains, release_facts
from anonset.releases.gates import Admission, admit_exposures, exposures_of, k_of, naming_columns, singling_in_parts
from anonset.releases.margins import HiddenCounts, margins_k, margins_of
from anonset.releases.publish import run_facts
from anonset.releases.staging import check_output, seal, staged, sweep
from anonset.releases.tables import Target, writing_into
from anonset.verify.reading.parts import part_name, records_name, require_explained
from anonset.verify.reading.promises import promised, read_about

MOVING = "moving"  # a marker file in the work folder: a run that stops after this point cannot be resumed


Certify = Callable[[Dataset, Release, Mapping[str, Any], Admission, Exactness], Mapping[str, str]]
"""Returns the pages to hand out by their files, from the roster, one part, about.json, the admission, and all exactness."""


@dataclass(frozen=True, slots=True)
class InParts:
    """A release in parts, with what was found of its files before they were moved to the output folder."""

    folder: Path
    records: int
    parts: int
    verdict: Verdict
    measures: dict[str, float]
    admission: Admission
    usefulness: Usefulness


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """Where and how the parts are published; `promise` returns a guarantee that they must keep besides those of the algorithm.

    The table `target` receives the records too; if either fails, neither is published.
    """

    output: Path
    format: str = "parquet"
    margins: bool = False
    accepted: Accepted = field(default_factory=Accepted)
    overwrite: bool = False
    command: str = ""
    remarks: tuple[str, ...] = ()
    target: Target | None = None
    certify: Certify | None = None
    promise: Callable[[Dataset], Guarantee] | None = None
    cover: Cover | None = None
    project: Mapping[str, Any] | None = None

    def check(self) -> None:
        """Raise if nothing can be published like this; called before the work starts."""
        check_output(self.output, overwrite=self.overwrite)
        check_format(self.format)
        if not RELEASE_FORMATS[self.format].has_parts:
            kinds = ", ".join(id for id, format in RELEASE_FORMATS.items() if format.has_parts)
            fix = [Fix("choose one of " + kinds + ", e.g. {}", Set("format", "csv"))]
            raise ParameterError(f"{self.format} holds a release in one file, and these data are published in parts:", fix=fix)
        if self.target is not None:
            self.target.check()


def publish_parts(driver: Driver, source: BatchSource, shown: Answer, algorithm: Algorithm, request: PublishRequest) -> InParts:
    """Write, verify and move the parts from the recoded records that `shown` lists; leave no files behind on failure."""
    coder, work = driver.context.coder, driver.context.work
    assert coder is not None
    said = unjson(shown["said"])
    guarantees = tuple(make_guarantee(g["id"], {n: v for n, v in g.items() if n != "id"}) for g in said["guarantees"])
    domain = () if coder.roster.transactions is None else coder.roster.transactions.domain
    spelling = Spelling(checked_guides(said["guides"], coder.roster, said["suppressed"]), tuple(said["suppressed"]))
    sketch = sketch_of(spelling.guides, guarantees, replace(provenance(algorithm), ends=driver.context.ends), domain)
    exposed = {
        **naming_columns(coder.roster, coder.counts, coder.supports),
        **exposures_of(sketch, coder.counts, coder.records),
    }
    admission = admit_exposures(coder.roster, sketch, request.accepted, exposed, dict)  # refuse before anything is written
    parts, margins = _written(driver, slices_of(shown), spelling, sketch, request)
    sketch = replace(sketch, margins=margins)
    stated = (admission.sentences, admission.outside(), request.cover)
    guide = about(sketch, coder.roster, request.format, unjson(parts["said"]), *stated)
    guide |= {"records": coder.records, "suppressed_records": 0}
    write_json(work / PUBLISHED / "about.json", guide)
    named = spelling.guides[-1].get("generalized", {}) if sketch.items is not None else {}
    write_json(work / PRIVATE_GUIDE, private_guide(said["guarantees"], said["suppressed"], named))
    numbers = sorted(parts["part"].tolist())
    more = [] if request.promise is None else [g for g in (request.promise(coder.roster),) if g not in guarantees]
    verdict, sums, seen = verdict_of(driver, source, numbers, (*guarantees, *more))
    verdict.require()
    verdict = Verdict(tuple(f for n, f in enumerate(verdict.findings) if not 0 <= n - len(guarantees) < len(more)))
    measures, lost = measures_of(sums, coder), worthless_shares(sums, coder)
    alone = singling_in_parts(part_paths(work, guide, numbers), guide, k_of(sketch))
    admission = admit_exposures(coder.roster, sketch, request.accepted, exposed, lambda: lost, alone, coder.counts)
    guide |= {"accepted": list(admission.sentences), "outside": admission.outside()}
    write_json(work / PUBLISHED / "about.json", guide)
    if request.certify is not None:
        release = replace(part_release(numbers[0], driver.context), provenance=sketch.provenance)
        pages = request.certify(coder.roster, release, read_about(work / PUBLISHED / "about.json"), admission, seen)
        for name, text in pages.items():
            write_text(work / PUBLISHED / name, text)
    useful = usefulness_of(coder, sums)
    found = InParts(request.output, coder.records, len(numbers), verdict, measures, admission, useful)
    with nullcontext() if request.target is None else writing_into(request.target) as table:
        if table is not None:
            table.write_parts(part_paths(work, guide, numbers), lambda path: typed_part(path, guide, coder.roster))
        _move(driver, found, sketch, spelling, coder, request)
    return found


def _written(
    driver: Driver, units: Sequence[Slices], spelling: Spelling, sketch: Release, request: PublishRequest
) -> tuple[Answer, Margins | None]:
    """Write the parts; return how to read them, and the margins, if they are requested."""
    coder = driver.context.coder
    assert coder is not None
    k = margins_k(sketch) if request.margins else 0
    whole: PublishedItems | None = None
    if k or RELEASE_FORMATS[request.format].write_frame is None:
        whole = spelling.items(driver.ask(ShownItems(spelling), units), coder.roster)
    question = Collect(request.format, spelling, whole, bool(k))
    parts = driver.ask(question, units, request.format, k, into=(PUBLISHED, ROWS, MATCHES))
    if not k:
        return parts, None
    assert isinstance(whole, GeneralizedItems)
    sensitive = coder.roster.sensitive_items
    supports = coder.supports if sensitive is None else np.where(sensitive, 0, coder.supports)
    return parts, margins_of(coder.roster, supports, whole, HiddenCounts(parts["hiding"], parts["shown"]), k)


def verdict_of(
    driver: Driver, source: BatchSource, parts: list[int], guarantees: Sequence[Guarantee] | None = None
) -> tuple[Verdict, Answer, Exactness]:
    """Verify the parts; return the verdict, the sums from which measures are computed, and how many values are exact.

    The guarantees of the release are checked, or the given ones.
    """
    context = driver.context
    guide, shown = published_guide(context), read_about(context.work / PUBLISHED / "about.json")
    for folder in (context.work / PUBLISHED / records_name(guide), context.work / ROWS):
        if part_numbers(folder) != parts:
            raise GuaranteeViolated(f"{folder.name} holds other files than the parts that were written")
    checked = promised(guide, None) if guarantees is None else tuple(guarantees)
    said = [guarantee_data(guarantee) for guarantee in checked]
    counted = driver.ask(PartJudge(bounds_of(source), checked), parts, said)
    compared = driver.ask(Compare(copies_of(counted), checked), list(enumerate(source.batches)), said)
    require_explained(shown, unjson(counted["said"])["seen"], int(counted["records"].sum()))
    matched = matched_findings(driver, source, counted, checked)
    findings = findings_of(guide, checked, counted, context.roster, matched, *compared["not shown"].tolist())
    findings += margins_checked(guide, counted, compared, context.roster)
    sums = {name: array for name, array in compared.items() if name not in ("said", "not shown", "linkable")}
    return Verdict((*findings, truth_of(compared))), sums, Exactness(counted["exact"].sum(axis=0))


def part_paths(folder: Path, guide: Mapping[str, Any], numbers: Sequence[int]) -> list[Path]:
    """Return the files of the parts in a folder that has the published half."""
    return [folder / PUBLISHED / guide["file"] / part_name(dict(guide), number) for number in numbers]


def sketch_of(
    guides: Sequence[Guide], guarantees: tuple[Guarantee, ...], made: Provenance, domain: tuple[str, ...] = ()
) -> Release:
    """Return the release without records: columns, guarantees and provenance."""
    no_codes, no_rows, empty = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0)
    columns = tuple(
        PublishedColumn(
            guide["name"],
            guide["role"],
            no_codes,
            Ranges(empty, empty, ()) if guide["labels"] == "ranges" else Labels.from_groups([], ()),
        )
        for guide in guides
        if guide["role"] != "items"
    )
    items: PublishedItems | None = None
    if guides[-1]["role"] == "items":
        items = GeneralizedItems(*sets_of([]), Labels.from_groups([], ()), domain, no_codes)
        if guides[-1]["kind"] == UNCERTAIN:
            items = UncertainItems(*sets_of([]), *sets_of([]), no_codes, domain)
    return Release(columns, items, guarantees, made, no_rows)


def _move(driver: Driver, found: InParts, sketch: Release, spelling: Spelling, coder: Coder, request: PublishRequest) -> None:
    """Move the verified parts and the private files to the output folder with one rename."""
    work, out = driver.context.work, found.folder
    sweep(out.absolute().parent)
    check_output(out, overwrite=request.overwrite)
    with staged(out, overwrite=request.overwrite) as folder:
        (work / MOVING).touch()
        (work / PUBLISHED).rename(folder / "published")
        (folder / "private").mkdir(mode=0o700)
        for name in (ROWS, MATCHES):
            if (work / name).is_dir():
                (work / name).rename(folder / "private" / name)
        meanings = {guide["name"]: guide.get("generalized", {}) for guide in spelling.guides}
        items = meanings.pop(coder.roster.item_column, {})
        recoding = {"columns": meanings, "items": items, "suppressed": spelling.suppressed}
        write_json(folder / "private" / "recoding.json", recoding)
        write_json(folder / "private" / "domains.json", domains(coder.roster))
        facts = release_facts(sketch, coder.roster, request.format, records=coder.records, input_records=coder.records)
        how: dict[str, Any] = {"command": request.command, "cover": request.cover, "project": request.project}
        run = run_facts(coder.roster, found, driver.seconds, **how)
        seal(folder, facts | {"parts": found.parts} | run | {"remarks": list(request.remarks)})
