"""The pages of a release and of a study, and writing them into a release folder."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from anonset import __version__
from anonset.attacks import attack
from anonset.data.files import write_text
from anonset.errors import InputError
from anonset.measure.information_loss import Preservation, preserved_itemsets
from anonset.measure.usefulness import Usefulness, usefulness
from anonset.measure.workload import QueryCounts, Workload, count_queries, random_queries
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.plain_json import to_plain
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.verdict import Verdict
from anonset.releases.about import Exactness
from anonset.releases.folder import read_about
from anonset.releases.gates import Admission
from anonset.releases.publish import Pages, Published
from anonset.report.certificate import certificate, without_private_half
from anonset.report.drawings import certificate_drawings, draw_bars, report_drawings
from anonset.report.findings import Findings
from anonset.report.first_page import first_page, people_alike
from anonset.report.map_drawing import draw_ru_map
from anonset.report.technical import published_bars, reading_examples, technical
from anonset.report.words import words_of
from anonset.study.ru_map import RISK_LIMITS, MapPoint, best_under, by_data, knee, promises, ru_points
from anonset.study.trial import Trial


def render(name: str, /, *, also: str | None = None, **values: Any) -> str:
    """The HTML of a template; everything is escaped but what the template says is drawn.

    `also` names another package whose templates/ are looked at first.
    """
    others = [] if also is None else [PackageLoader(also)]
    pages = Environment(
        loader=ChoiceLoader([*others, PackageLoader("anonset", "report/templates")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["figure"] = words_of("en").figure
    pages.globals["version"] = __version__
    return pages.get_template(name).render(**values)


def release_page(original: Dataset, release: Release, found: Findings, cover: Cover) -> str:
    """The HTML of the report. It is for the owner: it shows rows of the original."""
    words = words_of(cover.language).counting(original.unit)
    first = first_page(original, release, found, cover, words)
    more, drawn = technical(original, release, found, words), report_drawings(first, found, words)
    return render("release.html", words=words, page=first, drawn=drawn, found=found, more=more)


def release_twin(original: Dataset, release: Release, found: Findings, cover: Cover) -> dict[str, Any]:
    """The same for machines: what the page says, and the figures behind it."""
    counts = found.counts
    return first_page(original, release, found, cover, words_of(cover.language).counting(original.unit)) | {
        "parameters": release.provenance.parameters,
        "verdict": found.verdict.as_json(),
        "measures": found.measures,
        "usefulness": None if found.useful is None else found.useful.to_json(),
        "attacks": None if found.attacks is None else found.attacks.to_json(),
        "query_error": None if counts is None else float(counts.relative_errors().mean()),
        "map": [point._asdict() for point in found.map],
        "command": found.command,
        "inputs": found.inputs or {source.name: source.sha256 for source in original.sources},
        "published": found.hashes,
    }


def certificate_page(
    original: Dataset,
    release: Release,
    guide: Mapping[str, Any],
    admission: Admission,
    cover: Cover,
    seen: Exactness | None = None,
) -> str:
    """The HTML of the certificate: nothing but what follows from the published files and the promise.

    Where the release is one part of several, `seen` has the figures of all, and what only all of them show is not drawn.
    """
    words = words_of(cover.language).counting(original.unit)
    public = without_private_half(release)
    page = certificate(original, public, guide, admission, cover, words, seen or Exactness.of(public))
    return render(
        "release.html",
        words=words,
        page=page,
        drawn=certificate_drawings(page, people_alike(public.guarantees), words),
        more={
            "guide": guide,
            "plots": [] if seen else [str(draw_bars(chart, words)) for chart in published_bars(public, words) if chart.bars],
            "examples": reading_examples(original, public, words),
        },
    )


def study_page(trials: Sequence[Trial], *, loss: str = "are", limit: float = 0.2) -> str:
    """The HTML of a study's comparison page."""
    own = by_data(trials)
    maps = {name: ru_points(some, loss) for name, some in own.items()}
    return render(
        "study.html",
        trials=trials,
        measures=sorted({id for trial in trials for id in trial.measures}),
        loss=loss,
        limit=f"{limit:.3g}",
        maps=[_map(name, points, loss, limit) | {"promises": promises(own[name])} for name, points in maps.items() if points],
        several=len(maps) > 1,
    )


def write_study(trials: Sequence[Trial], folder: Path, *, loss: str = "are", limit: float = 0.2) -> tuple[Path, ...]:
    """Write report.html, and the map of each dataset as SVG; return their paths."""
    page = folder / "report.html"
    page.write_text(study_page(trials, loss=loss, limit=limit), encoding="utf-8", newline="\n")
    maps = {name: points for name, own in by_data(trials).items() if (points := ru_points(own, loss))}
    written = [page]
    for n, (name, points) in enumerate(maps.items(), 1):
        stem = "ru_map" if len(maps) == 1 else f"ru_map_{n}_{re.sub(r'[^A-Za-z0-9_-]+', '_', name)}"
        written.append(folder / f"{stem}.svg")
        draw_ru_map(points, limit=limit, loss=loss, title=_title(name)).save(written[-1])
    return tuple(written)


def _map(name: str, points: Sequence[MapPoint], loss: str, limit: float) -> dict[str, Any]:
    """What the page shows of one dataset."""
    curves = {series: [p for p in points if p.series == series] for series in dict.fromkeys(p.series for p in points)}
    return {
        "name": name,
        "drawing": str(draw_ru_map(points, limit=limit, loss=loss, title=_title(name))),
        "best": best_under(points, limit),
        "presets": [(preset, bound, source, best_under(points, bound)) for preset, (bound, source) in RISK_LIMITS.items()],
        "knees": [(series, knee(curve)) for series, curve in curves.items()],
        "frontier": sorted((p for p in points if p.on_frontier), key=lambda p: p.risk),
    }


def _title(name: str) -> str:
    return f"Risk and utility of releases of {name}"


ATTACKERS, QUERIES = 200, 200
SUPPORTS = (0.05, 0.1, 0.2, 0.4)  # the first at which the frequent itemsets can be listed


def release_pages(
    original: Dataset,
    *,
    command: str = "",
    map: Sequence[MapPoint] = (),
    workload: Workload | None = None,
    cover: Cover | None = None,
) -> Pages:
    """A writer of published/about.html, which holds nothing raw, and of report.html and report.json, for the publisher.

    `map`: the points of a study. `workload`: the queries that matter, random ones if not given.
    """
    front = cover or Cover()
    words_of(front.language)  # a language that is not there is told before the work

    def write(folder: Path, release: Release, published: Published) -> None:
        guide = read_about(folder / "published" / "about.json")
        write_text(folder / "published" / "about.html", certificate_page(original, release, guide, published.admission, front))
        more: dict[str, Any] = {"command": command, "map": map, "workload": workload, "useful": published.usefulness}
        more |= {"accepted": published.admission}
        found = findings(original, release, published.verdict, published.measures, folder=folder, **more)
        write_report(folder, original, release, found, front)

    return write


def write_report(folder: Path, original: Dataset, release: Release, found: Findings, cover: Cover) -> Path:
    """Write report.html and its twin report.json into a release folder, for the eyes of the owner alone."""
    twin = json.dumps(to_plain(release_twin(original, release, found, cover)), ensure_ascii=False, indent=1)
    write_text(folder / "report.json", twin + "\n", mode=0o600)
    write_text(folder / "report.html", release_page(original, release, found, cover), mode=0o600)
    return folder / "report.html"


def findings(
    original: Dataset,
    release: Release,
    verdict: Verdict,
    measures: Mapping[str, float],
    *,
    folder: Path,
    command: str = "",
    accepted: Admission | None = None,
    useful: Usefulness | None = None,
    inputs: Mapping[str, str] | None = None,
    map: Sequence[MapPoint] = (),
    workload: Workload | None = None,
    attackers: int = ATTACKERS,
    progress: Progress = silent,
    m: int | None = None,
    seed: int | None = None,
) -> Findings:
    """All that the internal page tells: attackers who know m items (as many as the release guards against) are played."""
    items = m or max((getattr(guarantee, "m", 0) for guarantee in release.guarantees), default=0) or 2
    return Findings(
        verdict,
        dict(measures),
        attack(original, release, m=items, attackers=attackers, seed=seed, progress=progress),
        _counts(original, release, workload),
        _itemsets(original, release),
        tuple(map),
        command,
        inputs or {},
        {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((folder / "published").iterdir())},
        accepted,
        useful or usefulness(original, release),
    )


def _counts(original: Dataset, release: Release, workload: Workload | None) -> QueryCounts | None:
    """How the workload, or a random one, comes out; None where the release has nothing such queries could ask."""
    asked = usual_queries(original, release) if workload is None else workload
    return None if asked is None else count_queries(original, release, asked)


def usual_queries(original: Dataset, release: Release) -> Workload | None:
    """Random queries for what the release has; None where it has nothing such queries could ask."""
    has_items = original.transactions is not None and release.items is not None
    columns = bool(original.quasi) and (release.items is None or isinstance(release.items, GeneralizedItems))
    kind = "both" if has_items and columns else "items" if has_items else "relational"
    try:
        return random_queries(original, QUERIES, kind=kind)  # type: ignore[arg-type]
    except InputError:
        return None


def _itemsets(original: Dataset, release: Release) -> tuple[float, Preservation] | None:
    """How frequent itemsets survive; None where there are none, or too many to list."""
    if not isinstance(release.items, GeneralizedItems):
        return None
    for support in SUPPORTS:
        try:
            kept = preserved_itemsets(original, release, support=support)
        except InputError:
            continue
        return (support, kept) if kept.itemsets else None
    return None
