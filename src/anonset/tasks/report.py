"""Write the report of a release again, with a study, other queries or more attackers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.measure import measure
from anonset.model.cover import SAID, Cover
from anonset.model.progress import Phases, part_of, unheard
from anonset.releases.folder import read_manifest
from anonset.releases.gates import waved_through
from anonset.releases.publish import verify_folder
from anonset.study.ru_map import MapPoint, by_data, ru_points
from anonset.study.trial import read_trials
from anonset.tasks.inputs import Input, Pieces, load, read_workload


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A release folder and its original; a study on the same data, a workload of queries, and simulated attackers."""

    release: Path
    original: Input
    study: Path | None = None
    workload: Path | None = None
    m: int | None = None
    attackers: int = 1000
    seed: int | None = None
    cover: Mapping[str, str] = field(default_factory=dict)  # defaults to that of the release
    pieces: Pieces | None = None  # limits for reading a release in parts in batches


def run(request: ReportRequest, phases: Phases = unheard) -> Path:
    """Make the report of a release again. It is for the data owner; what is published stays as it is."""
    try:
        from anonset.report.pages import findings, write_report
        from anonset.report.words import words_of
    except ImportError:
        raise InputError("reports need the extra: pip install 'anonset[report]'") from None
    manifest = read_manifest(request.release) or {}
    cover = _cover(request, manifest)
    words_of(cover.language)
    if request.pieces is not None:
        from anonset.tasks.partitioned import findings_of_parts

        original, release, found = findings_of_parts(request, request.pieces, manifest, phases)
        return write_report(request.release, original, release, found, cover)
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
    )
    page = write_report(request.release, original, release, found, cover)
    progress(1.0)
    return page


def _cover(request: ReportRequest, manifest: Mapping[str, Any]) -> Cover:
    """Return the cover with the requested values, the others as when the release was made."""
    known = manifest.get("cover") or {}
    return Cover(**{name: known[name] for name in SAID if name in known} | dict(request.cover))


def study_points(request: ReportRequest) -> tuple[MapPoint, ...]:
    """Return the R-U map of the study; if it has several datasets, of the one with the name of the original."""
    if request.study is None:
        return ()
    study, name = request.study, Path(str(request.original.data)).name
    trials = by_data(list(read_trials(study / "trials.jsonl")))
    if not trials:
        raise InputError("is no study: there are no trials in it", file=study)
    if len(trials) > 1 and name not in trials:
        raise InputError(f"has trials of {', '.join(trials)}, and none of {name}", file=study)
    return ru_points(trials[name] if name in trials else next(iter(trials.values())))
