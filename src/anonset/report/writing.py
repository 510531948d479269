"""The pages that go into a release folder."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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
from anonset.releases.folder import read_about
from anonset.releases.gates import Admission
from anonset.releases.publish import Pages, Published
from anonset.report.findings import Findings
from anonset.report.release_page import certificate_page, release_page, release_twin
from anonset.report.words import words_of
from anonset.study.ru_map import MapPoint

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
