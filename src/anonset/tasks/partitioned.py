"""Measure, attack and report releases in parts; release and original are read in batches."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anonset.attacks.partitioned import attack_parts
from anonset.data.files import fingerprint
from anonset.engine.domains import Answer
from anonset.engine.measures import Looked, count_workload, kept_columns, levels_of, look, measure_parts, measures_of, one_of
from anonset.engine.part_files import RECORDS
from anonset.engine.planning import BASE, MB
from anonset.engine.publication import verdict_of
from anonset.engine.record_pairs import part_numbers, release_session
from anonset.engine.sampling import Draw, drawn_records, published_rows
from anonset.measure.usefulness import SizedError, Usefulness, single_and_pair_counts, sized_errors
from anonset.model.dataset import Dataset
from anonset.model.policy import with_policies
from anonset.model.progress import Phases
from anonset.model.release import Provenance, Release
from anonset.model.verdict import Verdict
from anonset.releases.gates import admit_exposures, anything, exposures_of, k_of, naming_columns, singling_in_parts
from anonset.releases.publish import seals
from anonset.report.findings import Findings, Whole
from anonset.report.pages import usual_queries
from anonset.tasks.inputs import Input, Pieces, read_workload, schema_of_original
from anonset.tasks.report import ReportRequest, study_points
from anonset.verify.reading.promises import read_about

SAMPLE, PAIRS, SEED = 10_000, 1000, 0  # records of the sample, and pairs of items drawn from it


@contextmanager
def looked_at(folder: Path, original: Input, pieces: Pieces, phases: Phases) -> Iterator[Looked]:
    """Open a release in parts and read its parts once; yield it for questions about batches."""
    limits = pieces.resources()
    with release_session(folder, original.data, schema_of_original(folder, original), limits, phases) as (
        driver,
        source,
        parts,
    ):
        yield look(driver, source, parts, max(64 * MB, (limits.memory or 4 * BASE) - BASE))


def drawn_pairs(looked: Looked, n: int) -> tuple[Dataset, Release]:
    """Return a sample of the records, in the order of the input, and their published records."""
    driver, roster = looked.driver, looked.driver.context.roster
    answer = driver.ask(Draw(n, SEED), looked.source.pieces, n, SEED)
    order = np.argsort(answer["rows"])
    original = drawn_records(answer, roster).take(order)
    original = replace(original, fates=roster.fates, sources=roster.sources, identifiers=roster.identifiers)
    return original, published_rows(looked, answer["rows"][order])


def usefulness_of_parts(looked: Looked, sums: Answer) -> Usefulness:
    """Return the usefulness of a release in parts, without itemset mining and prediction."""
    driver, coder = looked.driver, looked.driver.context.coder
    assert coder is not None
    found = measures_of(sums, coder)
    counts: tuple[SizedError, ...] = ()
    if "exact-items" in found:
        drawn = drawn_records(driver.ask(Draw(SAMPLE, SEED), looked.source.pieces, SAMPLE, SEED), coder.roster)
        hidden = coder.roster.sensitive_items
        supports = coder.supports if hidden is None else np.where(hidden, 0, coder.supports)
        counts = sized_errors(count_workload(looked, single_and_pair_counts(drawn, PAIRS, SEED, supports), "uniform"))
    levels, elsewhere = levels_of(sums) or (None, None)
    return Usefulness(
        coder.roster.item_column,
        coder.records,
        0,
        "uniform",
        found.get("exact-items"),
        found.get("lost-items"),
        levels,
        elsewhere,
        one_of(sums),
        kept_columns(sums) or None,
        counts,
    )


SHOWN = 10_000  # size of the sample for examples and drawings


def findings_of_parts(
    request: ReportRequest, pieces: Pieces, manifest: Mapping[str, Any], phases: Phases
) -> tuple[Dataset, Release, Findings]:
    """Return a sample of the records, their published records, and the findings on all records."""
    published = request.release / "published"
    with looked_at(request.release, request.original, pieces, phases) as looked:
        parts = part_numbers(published / RECORDS)
        verdict, sums, _ = verdict_of(looked.driver, looked.source, parts)
        original, release = drawn_pairs(looked, SHOWN)
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
            admit_exposures(
                coder.roster, release, everything, exposed, lambda: manifest["accepted"]["loss"], alone, coder.counts
            ),
            usefulness_of_parts(looked, sums),
            Whole(looked.source.rows, looked.answer.get("group sizes"), looked.answer.get("group times")),
        )
    return original, release, found
