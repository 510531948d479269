"""What the report of a release in parts tells: figures of all its records, rows and drawings of some that were drawn."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anonset.attacks.partitioned import attack_parts
from anonset.data.files import fingerprint
from anonset.engine.measures import count_workload, measure_parts
from anonset.engine.part_files import RECORDS
from anonset.engine.publication import verdict_of
from anonset.engine.record_pairs import part_numbers
from anonset.model.dataset import Dataset
from anonset.model.plain_json import from_plain
from anonset.model.progress import Phases
from anonset.model.release import Provenance, Release
from anonset.model.verdict import Verdict
from anonset.releases.exact_columns import singling_in_parts
from anonset.releases.gates import anything, exposures_of, judged, k_of, naming_columns
from anonset.releases.publish import seals
from anonset.report.findings import Findings, Whole
from anonset.report.pages import usual_queries
from anonset.tasks.in_parts import drawn_pairs, looked_at, usefulness_of_parts
from anonset.tasks.inputs import read_workload
from anonset.tasks.limits import Pieces
from anonset.tasks.report import ReportRequest, study_points
from anonset.verify.reading.promises import read_about

SHOWN = 10_000  # records that rows, examples and drawings are of


def findings_of_parts(
    request: ReportRequest, pieces: Pieces, manifest: Mapping[str, Any], phases: Phases
) -> tuple[Dataset, Release, Findings]:
    """Drawn records, what is published of them, and what was found of all."""
    published = request.release / "published"
    with looked_at(request.release, request.original, pieces, phases) as looked:
        parts = part_numbers(published / RECORDS)
        verdict, sums, _ = verdict_of(looked.driver, looked.source, parts)
        original, release = drawn_pairs(looked, SHOWN)
        made = Provenance(
            manifest["algorithm"], from_plain(manifest["parameters"]), manifest["anonset"], manifest.get("ends", "exact")
        )
        release = replace(release, provenance=made)
        coder = looked.driver.context.coder
        assert coder is not None, "the domains were asked for"
        exposed = {
            **naming_columns(coder.roster, coder.counts, coder.supports),
            **exposures_of(release, coder.counts, coder.records),
        }
        files = sorted((published / RECORDS).glob("part-*.parquet"))
        alone = singling_in_parts(files, read_about(published / "about.json")["attributes"], k_of(release))
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
            judged(coder.roster, release, everything, exposed, lambda: manifest["accepted"]["loss"], alone, coder.counts),
            usefulness_of_parts(looked, sums),
            Whole(looked.source.rows, looked.answer.get("group sizes"), looked.answer.get("group times")),
        )
    return original, release, found
