"""The pages that go into a release folder."""

from pathlib import Path

from anonset.attack import AttackResult, attack
from anonset.errors import InputError
from anonset.measure.workload import QueryCounts, count_queries, random_queries
from anonset.model.dataset import Dataset
from anonset.model.labels import UncertainItems
from anonset.model.release import Release
from anonset.model.verdict import Verdict
from anonset.publish import Pages
from anonset.report.release_page import Findings, release_page

ATTACKERS, QUERIES = 200, 200


def release_pages(original: Dataset, *, command: str = "", m: int = 2) -> Pages:
    """A writer of report.html, for the publisher, and published/about.html, which holds nothing raw."""

    def write(folder: Path, release: Release, verdict: Verdict, measures: dict[str, float]) -> None:
        counts = _counts(original, release)
        attacks: AttackResult = attack(original, release, m=m, attackers=ATTACKERS)
        found = Findings(verdict, measures, attacks, counts, command=command)
        (folder / "report.html").write_text(release_page(original, release, found), encoding="utf-8")
        external = release_page(original, release, found, external=True)
        (folder / "published" / "about.html").write_text(external, encoding="utf-8")

    return write


def _counts(original: Dataset, release: Release) -> QueryCounts | None:
    """How a random workload comes out; None where the release has nothing such queries could ask."""
    if isinstance(release.items, UncertainItems):
        return None
    has_items = original.transactions is not None and release.items is not None
    kind = "both" if has_items and original.quasi else "items" if has_items else "relational"
    try:
        return count_queries(original, release, random_queries(original, QUERIES, kind=kind))  # type: ignore[arg-type]
    except InputError:
        return None
