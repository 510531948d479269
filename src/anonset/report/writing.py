"""The pages that go into a release folder."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anonset.attacks import attack
from anonset.errors import InputError
from anonset.measure.itemsets import Preservation, preserved_itemsets
from anonset.measure.usefulness import Usefulness, usefulness
from anonset.measure.workload import QueryCounts, Workload, count_queries, random_queries
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.verdict import Verdict
from anonset.releases.publish import Pages, Published
from anonset.report.release_page import Findings, release_page
from anonset.study.ru_map import Point

ATTACKERS, QUERIES = 200, 200
SUPPORTS = (0.05, 0.1, 0.2, 0.4)  # the first at which the frequent itemsets can be listed


def release_pages(
    original: Dataset, *, command: str = "", map: Sequence[Point] = (), workload: Workload | None = None
) -> Pages:
    """A writer of report.html, for the publisher, and published/about.html, which holds nothing raw.

    `map`: the points of a study. `workload`: the queries that matter, random ones if not given.
    """

    def write(folder: Path, release: Release, published: Published) -> None:
        verdict, measures, accepted = published.verdict, published.measures, published.admission.sentences
        external = release_page(original, release, Findings(verdict, measures, accepted=accepted), external=True)
        (folder / "published" / "about.html").write_text(external, encoding="utf-8", newline="\n")
        more: dict[str, Any] = {"command": command, "map": map, "workload": workload, "accepted": accepted}
        more |= {"useful": published.usefulness}
        found = findings(original, release, verdict, measures, folder=folder, **more)
        (folder / "report.html").write_text(release_page(original, release, found), encoding="utf-8", newline="\n")

    return write


def findings(
    original: Dataset,
    release: Release,
    verdict: Verdict,
    measures: Mapping[str, float],
    *,
    folder: Path,
    command: str = "",
    accepted: Sequence[str] = (),
    useful: Usefulness | None = None,
    inputs: Mapping[str, str] | None = None,
    map: Sequence[Point] = (),
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
        tuple(accepted),
        useful or usefulness(original, release),
    )


def _counts(original: Dataset, release: Release, workload: Workload | None) -> QueryCounts | None:
    """How the workload, or a random one, comes out; None where the release has nothing such queries could ask."""
    if workload is not None:
        return count_queries(original, release, workload)
    has_items = original.transactions is not None and release.items is not None
    columns = bool(original.quasi) and (release.items is None or isinstance(release.items, GeneralizedItems))
    kind = "both" if has_items and columns else "items" if has_items else "relational"
    try:
        return count_queries(original, release, random_queries(original, QUERIES, kind=kind))  # type: ignore[arg-type]
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
