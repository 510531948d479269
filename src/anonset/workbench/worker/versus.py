"""Two releases side by side, in a worker."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from anonset.tasks import side_by_side
from anonset.workbench.comparisons import Difference, Kept, Threefold
from anonset.workbench.orders import Reading
from anonset.workbench.worker.inspecting import fields
from anonset.workbench.worker.reading import WorkerCaches

NAMED = 100  # items that are listed


def kept(
    desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, other: Path
) -> tuple[tuple[Kept, ...], tuple[Kept, ...], int]:
    """What is exact in one release and not in the other: columns, items, and how many items that are."""
    data, a = desk.release(reading, folder)
    _, b = desk.release(reading, other)
    columns, items = side_by_side.columns(data, a, b), side_by_side.items(data, a, b)
    return tuple(Kept(**asdict(c)) for c in columns), tuple(Kept(**asdict(i)) for i in items[:NAMED]), len(items)


def records(
    desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, other: Path, start: int, count: int
) -> Threefold:
    """Records before and in both releases, in the order of the input."""
    data, a = desk.release(reading, folder)
    _, b = desk.release(reading, other)
    rows = range(start, min(start + count, len(data)))
    pairs = [side_by_side.pairs(data, release, rows) for release in (a, b)]
    names = tuple(pairs[0][0].before) if pairs[0] else ()
    before = tuple(fields(names, pair.before) for pair in pairs[0])
    left, right = (tuple(None if p.after is None else fields(names, p.after) for p in side) for side in pairs)
    places = [f"c{place}" for place in range(len(names))]
    changed = tuple(tuple(f for f in places if (x or {}).get(f) != (y or {}).get(f)) for x, y in zip(left, right, strict=True))
    return Threefold(len(data), start, names, before, left, right, changed)


def measures(desk: WorkerCaches, report: Any, *, a: Mapping[str, float], b: Mapping[str, float]) -> tuple[Difference, ...]:
    """The measures of both, with the better one."""
    both = [id for id in a if id in b]
    meanings = side_by_side.meanings(both)
    return tuple(
        Difference(id, a[id], b[id], cast(Any, side_by_side.better(id, a[id], b[id])), meanings.get(id, "")) for id in both
    )
