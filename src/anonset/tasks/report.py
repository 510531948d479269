"""Write the report of a release again, with a study, other queries or more attackers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anonset.attacks.partitioned import attack_parts
from anonset.data.files import fingerprint
from anonset.engine.measures import Looked, count_workload, looked_at, measure_parts
from anonset.engine.publication import part_paths, verdict_of
from anonset.engine.record_pairs import part_numbers
from anonset.engine.sampling import Draw, drawn_records, published_rows
from anonset.errors import InputError, ParameterError, unknown
from anonset.measure import measure
from anonset.model.cover import SAID, Cover
from anonset.model.dataset import Dataset
from anonset.model.policy import with_policies
from anonset.model.progress import Phases, part_of, unheard
from anonset.model.release import Provenance, Release
from anonset.model.verdict import Verdict
from anonset.releases.folder import is_in_parts, read_manifest
from anonset.releases.gates import (
    admit_exposures,
    anything,
    exposures_of,
    k_of,
    naming_columns,
    singling_in_parts,
    waved_through,
)
from anonset.releases.publish import seals, verify_folder
from anonset.report.frameworks import FRAMEWORK_NAMES, FrameworkName
from anonset.study.ru_map import MapPoint, by_data, ru_points
from anonset.study.trial import read_trials
from anonset.tasks.inputs import Input, Limits, load, read_workload, schema_of_original
from anonset.tasks.measure import SEED, usefulness_of_parts
from anonset.verify.reading.promises import read_about

if TYPE_CHECKING:
    from anonset.report.findings import Findings

SHOWN = 10_000  # size of the sample for examples and drawings


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A release folder and its original; a study on the same data, a workload of queries, and simulated attackers."""

    release: Path
    original: Input | Dataset
    study: Path | None = None
    workload: Path | None = None
    m: int | None = None
    attackers: int = 1000
    seed: int | None = None
    cover: Mapping[str, str] = field(default_factory=dict)  # defaults to that of the release
    limits: Limits | None = None  # limits for reading a release in parts in batches
    framework: FrameworkName | None = None  # whose headings to use

    def __post_init__(self) -> None:
        if self.framework is not None and self.framework not in FRAMEWORK_NAMES:
            raise ParameterError(unknown("framework", self.framework, FRAMEWORK_NAMES))


def run(request: ReportRequest, phases: Phases = unheard) -> Path:
    """Make the report of a release again. It is for the data owner; what is published stays as it is."""
    try:
        from anonset.report.evidence import of_actor
        from anonset.report.pages import findings, write_report
        from anonset.report.words import words_of
    except ImportError:
        raise InputError("reports need the extra: pip install 'anonset[report]'") from None
    manifest = read_manifest(request.release) or {}
    cover = _cover(request, manifest)
    words_of(cover.language)
    if is_in_parts(request.release) and isinstance(request.original, Input):
        original, release, found = _findings_of_parts(request, request.original, manifest, phases)
        found = replace(found, attacks=of_actor(found.attacks, cover.actor, original))
        return write_report(request.release, original, release, found, cover, request.framework)
    original, release, _ = load(request.release, request.original, phases("Reading")).require_rows()
    progress = phases("Reporting")
    found = findings(
        original,
        release,
        verify_folder(original, request.release, progress=part_of(progress, 0.0, 0.3)),
        measure(original, release, progress=part_of(progress, 0.3, 0.5)),
        folder=request.release,
        command=manifest.get("command", ""),
        accepted=waved_through(original, release),
        inputs={source["name"]: source["sha256"] for source in manifest.get("inputs", ())},
        map=study_points(request),
        workload=None if request.workload is None else read_workload(request.workload),
        attackers=request.attackers,
        progress=part_of(progress, 0.5, 0.9),
        m=request.m,
        seed=request.seed,
        actor=cover.actor,
    )
    page = write_report(request.release, original, release, found, cover, request.framework)
    progress(1.0)
    return page


def _drawn_pairs(looked: Looked, n: int) -> tuple[Dataset, Release]:
    """Return a sample of the records, in the order of the input, and their published records."""
    driver, roster = looked.driver, looked.driver.context.roster
    answer = driver.ask(Draw(n, SEED), looked.source.batches, n, SEED)
    order = np.argsort(answer["rows"])
    original = drawn_records(answer, roster).take(order)
    original = replace(original, fates=roster.fates, sources=roster.sources, identifiers=roster.identifiers)
    return original, published_rows(looked, answer["rows"][order])


def _findings_of_parts(
    request: ReportRequest, source: Input, manifest: Mapping[str, Any], phases: Phases
) -> tuple[Dataset, Release, "Findings"]:
    """Return a sample of the records, their published records, and the findings on all records."""
    from anonset.report.findings import Findings, Whole
    from anonset.report.pages import usual_queries

    published, schema = request.release / "published", schema_of_original(request.release, source)
    limits = request.limits or Limits()
    with looked_at(request.release, source.data, schema, limits.resources(), phases) as looked:
        guide = read_about(published / "about.json")
        parts = part_numbers(published / guide["file"])
        verdict, sums, _ = verdict_of(looked.driver, looked.source, parts)
        original, release = _drawn_pairs(looked, SHOWN)
        made = Provenance(
            manifest["algorithm"], with_policies(manifest["parameters"]), manifest["anonset"], manifest.get("ends", "exact")
        )
        release = replace(release, provenance=made)
        coder = looked.driver.context.coder
        assert coder is not None, "the domains were asked for"
        exposed = {
            **naming_columns(coder.roster, coder.counts, coder.supports),
            **exposures_of(release, coder.counts, coder.records),
        }
        alone = singling_in_parts(part_paths(request.release, guide, parts), guide, k_of(release))
        items = request.m or max((getattr(guarantee, "m", 0) for guarantee in release.guarantees), default=0) or 2
        workload = usual_queries(original, release) if request.workload is None else read_workload(request.workload)
        everything = anything(coder.roster)
        found = Findings(
            Verdict((*verdict.findings, *seals(original, request.release))),
            measure_parts(looked, sums),
            attack_parts(looked, m=items, attackers=request.attackers, seed=request.seed),
            None if workload is None else count_workload(looked, workload),
            None,
            study_points(request),
            manifest.get("command", ""),
            {source["name"]: source["sha256"] for source in manifest.get("inputs", ())},
            {path.name: fingerprint(path).sha256 for path in sorted(published.rglob("*")) if path.is_file()},
            admit_exposures(
                coder.roster, release, everything, exposed, lambda: manifest["accepted"]["loss"], alone, coder.counts
            ),
            usefulness_of_parts(looked, sums),
            Whole(looked.source.rows, looked.answer.get("group sizes"), looked.answer.get("group times")),
        )
    return original, release, found


def _cover(request: ReportRequest, manifest: Mapping[str, Any]) -> Cover:
    """Return the cover with the requested values, the others as when the release was made."""
    known = manifest.get("cover") or {}
    return Cover(**{name: known[name] for name in SAID if name in known} | dict(request.cover))


def study_points(request: ReportRequest) -> tuple[MapPoint, ...]:
    """Return the R-U map of the study; if it has several datasets, of the one with the name of the original."""
    if request.study is None:
        return ()
    study, original = request.study, request.original
    name = Path(str(original.data)).name if isinstance(original, Input) else ""
    trials = by_data(list(read_trials(study / "trials.jsonl")))
    if not trials:
        raise InputError("is no study: there are no trials in it", file=study)
    if len(trials) > 1 and name not in trials:
        raise InputError(f"has trials of {', '.join(trials)}, and none of {name}", file=study)
    return ru_points(trials[name] if name in trials else next(iter(trials.values())))
