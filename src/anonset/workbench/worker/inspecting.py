"""Looking into a release, in a worker."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.model.labels import GeneralizedItems
from anonset.tasks import attack, explain, side_by_side, verify
from anonset.workbench.orders import Reading
from anonset.workbench.values import Beside, Candidates, Finding, Verdict, WorstQuery
from anonset.workbench.worker.reading import WorkerCaches
from anonset.workbench.worker.running import counts_of


def compare(desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, start: int, count: int) -> Beside:
    """Records before and after, in the order of the input."""
    data, release = desk.release(reading, folder)
    found = side_by_side.pairs(data, release, range(start, min(start + count, len(data))))
    names = tuple(found[0].before) if found else ()
    before = tuple(fields(names, pair.before) for pair in found)
    after = tuple(None if pair.after is None else fields(names, pair.after) for pair in found)
    changed = tuple(
        () if right is None else tuple(f for f in left if right.get(f) != left[f])
        for left, right in zip(before, after, strict=True)
    )
    return Beside(len(data), start, names, before, after, changed)


def fields(names: tuple[str, ...], record: Mapping[str, Any]) -> dict[str, Any]:
    """A record by the fields c0, c1, ..."""
    return {f"c{place}": record[name] for place, name in enumerate(names) if name in record}


def story(desk: WorkerCaches, report: Any, *, folder: Path, row: int | None) -> tuple[str, ...]:
    """Why the release is as it is, or the way of one record."""
    return explain.run(explain.ExplainRequest(folder, row))


def worst(desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, count: int) -> tuple[WorstQuery, ...]:
    """The counts that come out worst."""
    found = counts_of(*desk.release(reading, folder)).worst(count)
    return tuple(WorstQuery(str(query), *(float(x) for x in figures)) for query, *figures in found)


def check(desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path) -> Verdict:
    """What the check of the published files finds, now."""
    request = verify.VerifyRequest(folder, desk.source(reading))
    return told_verdict(verify.run(request, report).verdict)


def told_verdict(found: Any) -> Verdict:
    """A verdict as it is told."""
    return Verdict(
        found.holds,
        tuple(
            Finding(f.guarantee, f.holds and f.checked, f.violations, f.worst or f.state, f.witnesses) for f in found.findings
        ),
    )


def candidates(
    desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, values: dict[str, str], items: list[str]
) -> Candidates:
    """Who fits what somebody knows, before and after."""
    if not values and not items:
        raise InputError("say something that somebody knows: a value or an item")
    data, release = desk.release(reading, folder)
    found = side_by_side.fitting(data, release, values, items)
    names = tuple(found.shown[0]) if found.shown else ()
    shown = tuple({f"c{i}": row[name] for i, name in enumerate(names)} for row in found.shown)
    return Candidates(found.before, found.after, names, shown)


def lab(
    desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, m: int, attackers: int, seed: int
) -> dict[str, Any]:
    """What sampled attackers of every kind find."""
    data, release = desk.release(reading, folder)
    found = attack.of_release(data, release, m=m, attackers=attackers, seed=seed, progress=report("Attacking"))
    return found.to_json()


def cut(desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, column: str) -> list[str]:
    """The labels of a hierarchy that the release shows."""
    _, release = desk.release(reading, folder)
    if column == "items":
        texts = release.items.labels.texts if isinstance(release.items, GeneralizedItems) else ()
    else:
        texts = next((c.labels.texts for c in release.columns if c.name == column and hasattr(c.labels, "texts")), ())
    return list(texts)
