"""Write the parts into the work folder, verify them there, and only then move them to the output folder."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from anonset import __version__
from anonset.algorithms.base import Algorithm, provenance
from anonset.data.files import write_text
from anonset.data.formats.base import Guide
from anonset.data.formats.tokens import UNCERTAIN
from anonset.engine.domains import Answer, Coder
from anonset.engine.journal import Driver
from anonset.engine.measures import measures_of, worthless_shares
from anonset.engine.part_files import MATCHES, PUBLISHED, RECORDS, ROWS, Collect, checked_guides, unjson
from anonset.engine.record_pairs import PRIVATE_GUIDE, bounds_of, copies_of, part_numbers, part_release, published_guide
from anonset.engine.shuffle import slices_of
from anonset.engine.source import PieceSource
from anonset.engine.verification import Compare, PartJudge, findings_of, matched_findings, truth_of
from anonset.errors import GuaranteeViolated
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, guarantee_data, make_guarantee
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.release import Accepted, Provenance, Release
from anonset.model.serialization import write_json
from anonset.model.sets import sets_of
from anonset.model.verdict import Verdict
from anonset.releases.about import Exactness, about
from anonset.releases.folder import domains
from anonset.releases.gates import Admission, admit_exposures, exposures_of, k_of, naming_columns, singling_in_parts
from anonset.releases.publish import versions
from anonset.releases.staging import check_output, seal, staged, sweep
from anonset.releases.tables import Target, writing_into
from anonset.verify.parts import require_explained
from anonset.verify.reading.promises import promised, read_about

CERTIFICATE = "about.html"
MOVING = "moving"  # a marker file in the work folder: a run that stops after this point cannot be resumed


Certify = Callable[[Dataset, Release, Mapping[str, Any], Admission, Exactness], str]
"""Returns the page for the receiver, from the roster, one part, about.json, the admission, and the exactness of all parts."""


@dataclass(frozen=True, slots=True)
class InParts:
    """A release in parts, with the verdict and measures of its files before they were moved to the output folder."""

    folder: Path
    records: int
    parts: int
    verdict: Verdict
    measures: dict[str, float]
    admission: Admission


def publish_parts(
    driver: Driver,
    source: PieceSource,
    shown: Answer,
    algorithm: Algorithm,
    out: Path,
    *,
    accepted: Accepted,
    overwrite: bool,
    command: str,
    remarks: Sequence[str],
    target: Target | None = None,
    certify: Certify | None = None,
) -> InParts:
    """Write, verify and move the parts from the recoded records that `shown` lists; leave no files behind on failure.

    The table `target` receives the records too; if either fails, neither is published.
    """
    coder, work = driver.context.coder, driver.context.work
    assert coder is not None
    said = unjson(shown["said"])
    guarantees = tuple(make_guarantee(g["id"], {n: v for n, v in g.items() if n != "id"}) for g in said["guarantees"])
    guides = checked_guides(said["guides"], coder.roster)
    sketch = _sketch(guides, guarantees, replace(provenance(algorithm), ends=driver.context.ends), coder.roster)
    exposed = {
        **naming_columns(coder.roster, coder.counts, coder.supports),
        **exposures_of(sketch, coder.counts, coder.records),
    }
    admission = admit_exposures(coder.roster, sketch, accepted, exposed, dict)  # refuse before anything is written
    parts = driver.ask(Collect(), slices_of(shown), into=(PUBLISHED, ROWS, MATCHES))
    guide = about(sketch, coder.roster, "parquet", guides, admission.sentences, admission.outside())
    guide |= {"records": coder.records, "suppressed_records": 0}
    write_json(work / PUBLISHED / "about.json", guide)
    write_json(work / PRIVATE_GUIDE, {name: said[name] for name in ("guarantees", "suppressed")})
    numbers = sorted(parts["part"].tolist())
    verdict, sums, seen = verdict_of(driver, source, numbers)
    verdict.require()
    measures, lost = measures_of(sums, coder), worthless_shares(sums, coder)
    files = sorted((work / PUBLISHED / RECORDS).glob("part-*.parquet"))
    alone = singling_in_parts(files, guides, k_of(sketch))
    admission = admit_exposures(coder.roster, sketch, accepted, exposed, lambda: lost, alone, coder.counts)
    guide |= {"accepted": list(admission.sentences), "outside": admission.outside()}
    write_json(work / PUBLISHED / "about.json", guide)
    if certify is not None:
        release = replace(part_release(numbers[0], driver.context), provenance=sketch.provenance)
        page = certify(coder.roster, release, read_about(work / PUBLISHED / "about.json"), admission, seen)
        write_text(work / PUBLISHED / CERTIFICATE, page)
    found = InParts(out, coder.records, len(parts["part"]), verdict, measures, admission)
    with nullcontext() if target is None else writing_into(target) as table:
        if table is not None:
            table.write_parts(work / PUBLISHED / RECORDS)
        _move(driver, found, sketch, guides, said["suppressed"], coder, overwrite=overwrite, command=command, remarks=remarks)
    return found


def verdict_of(driver: Driver, source: PieceSource, parts: list[int]) -> tuple[Verdict, Answer, Exactness]:
    """Verify the parts; return the verdict, the sums from which measures are computed, and how many values are exact."""
    context = driver.context
    for folder in (context.work / PUBLISHED / RECORDS, context.work / ROWS):
        if part_numbers(folder) != parts:
            raise GuaranteeViolated(f"{folder.name} holds other files than the parts that were written")
    counted = driver.ask(PartJudge(bounds_of(source)), parts)
    compared = driver.ask(Compare(copies_of(counted)), list(enumerate(source.pieces)))
    guide, shown = published_guide(context), read_about(context.work / PUBLISHED / "about.json")
    require_explained(shown, unjson(counted["said"])["seen"], int(counted["records"].sum()))
    matched = matched_findings(driver, source, counted, promised(guide, None))
    findings = findings_of(guide, counted, context.roster, matched, *compared["not shown"].tolist())
    sums = {name: array for name, array in compared.items() if name not in ("said", "not shown")}
    return Verdict((*findings, truth_of(compared))), sums, Exactness(counted["exact"].sum(axis=0))


def _sketch(guides: list[Guide], guarantees: tuple[Guarantee, ...], made: Provenance, roster: Dataset) -> Release:
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
        assert roster.transactions is not None
        domain = roster.transactions.domain
        items = GeneralizedItems(*sets_of([]), Labels.from_groups([], ()), domain, no_codes)
        if guides[-1]["kind"] == UNCERTAIN:
            items = UncertainItems(*sets_of([]), *sets_of([]), no_codes, domain)
    return Release(columns, items, guarantees, made, no_rows)


def _move(
    driver: Driver,
    found: InParts,
    sketch: Release,
    guides: list[Guide],
    suppressed: list[str],
    coder: Coder,
    *,
    overwrite: bool,
    command: str,
    remarks: Sequence[str],
) -> None:
    """Move the verified parts and the private files to the output folder with one rename."""
    work, out = driver.context.work, found.folder
    sweep(out.absolute().parent)
    check_output(out, overwrite=overwrite)
    with staged(out, overwrite=overwrite) as folder:
        (work / MOVING).touch()
        (work / PUBLISHED).rename(folder / "published")
        (folder / "private").mkdir(mode=0o700)
        for name in (ROWS, MATCHES):
            if (work / name).is_dir():
                (work / name).rename(folder / "private" / name)
        meanings = {guide["name"]: guide.get("generalized", {}) for guide in guides}
        items = meanings.pop(coder.roster.item_column, {})
        write_json(folder / "private" / "recoding.json", {"columns": meanings, "items": items, "suppressed": suppressed})
        write_json(folder / "private" / "domains.json", domains(coder.roster))
        seal(folder, _manifest(driver, found, sketch, coder, command, remarks))


def _manifest(
    driver: Driver, found: InParts, sketch: Release, coder: Coder, command: str, remarks: Sequence[str]
) -> Mapping[str, Any]:
    """Return the private manifest."""
    made, roster = sketch.provenance, coder.roster
    return {
        "anonset": made.version or __version__,
        "inputs": [{"name": source.name, "sha256": source.sha256} for source in roster.sources],
        "algorithm": made.algorithm,
        **({"plugin": made.plugin} if made.plugin else {}),
        "parameters": made.parameters,
        "seed": made.parameters.get("seed"),
        "ends": made.ends,
        "guarantees": [guarantee_data(guarantee) for guarantee in sketch.guarantees],
        "format": "parquet",
        "parts": found.parts,
        "input_records": coder.records,
        "records": coder.records,
        "command": command,
        "reading": dict(roster.reading) or None,
        "columns": [asdict(fate) | {"fate": fate.fate} for fate in roster.fates],
        "accepted": found.admission,
        "outside": found.admission.outside(),
        "versions": versions(),
        "timings": driver.seconds,
        "verdict": found.verdict,
        "measures": found.measures,
        "remarks": list(remarks),
    }
