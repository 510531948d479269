"""The page of a release once more, with a study, other queries or more attackers."""

from dataclasses import dataclass
from pathlib import Path

from anonset.data.writing import write_text
from anonset.errors import InputError
from anonset.measure import measure
from anonset.model.progress import Phases, part_of, unheard
from anonset.releases.folder import read_about
from anonset.releases.originals import published_folder, read_manifest
from anonset.releases.publish import verify_folder
from anonset.study.ru_map import Point, by_data, ru_points
from anonset.study.trial import read_trials
from anonset.tasks.inputs import Input, load, read_workload


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A release folder and its original; a study on the same data, the queries that matter, and attackers to be played."""

    release: Path
    original: Input
    study: Path | None = None
    workload: Path | None = None
    m: int | None = None
    attackers: int = 1000
    seed: int | None = None


def run(request: ReportRequest, phases: Phases = unheard) -> Path:
    """Make the report of a release again. It is for the data owner; what is published stays as it is."""
    try:
        from anonset.report.release_page import release_page
        from anonset.report.writing import findings
    except ImportError:
        raise InputError("reports need the extra: pip install 'anonset[report]'") from None
    original, release, _ = load(request.release, request.original, phases("Reading")).require_rows()
    progress = phases("Reporting")
    manifest = read_manifest(request.release) or {}
    found = findings(
        original,
        release,
        verify_folder(original, request.release, progress=part_of(progress, 0.0, 0.3)),
        measure(original, release, progress=part_of(progress, 0.3, 0.5)),
        folder=request.release,
        command=manifest.get("command", ""),
        accepted=read_about(published_folder(request.release) / "about.json").get("accepted", ()),
        inputs={source["name"]: source["sha256"] for source in manifest.get("inputs", ())},
        map=() if request.study is None else _points(request.study, Path(str(request.original.data)).name),
        workload=None if request.workload is None else read_workload(request.workload),
        attackers=request.attackers,
        progress=part_of(progress, 0.5, 0.9),
        m=request.m,
        seed=request.seed,
    )
    page = request.release / "report.html"
    write_text(page, release_page(original, release, found), mode=0o600)
    progress(1.0)
    return page


def _points(study: Path, name: str) -> tuple[Point, ...]:
    """The map of a study, of the dataset of that name where there are several."""
    trials = by_data(list(read_trials(study / "trials.jsonl")))
    if not trials:
        raise InputError("is no study: there are no trials in it", file=study)
    if len(trials) > 1 and name not in trials:
        raise InputError(f"has trials of {', '.join(trials)}, and none of {name}", file=study)
    return ru_points(trials[name] if name in trials else next(iter(trials.values())))
