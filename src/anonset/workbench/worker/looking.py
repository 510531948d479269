"""Looking at data, hierarchies and promises, in a worker."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from anonset.tasks import algorithms, hierarchy, intake, profile
from anonset.workbench.orders import Reading
from anonset.workbench.values import Exposure, Move, Preview, Problem, Tree
from anonset.workbench.worker.reading import WorkerCaches, upload_path

NAMED = 20  # values that are named where many are meant


def take_in(desk: WorkerCaches, report: Any, *, file: Path, name: str, copy: Path, sheet: str | None = None) -> dict[str, Any]:
    """What an upload is, with all its problems."""
    found = intake.run(intake.IntakeRequest(file, name, copy, sheet), report)
    problems = [
        Problem("error" if complaint.stops else "warning", complaint.text, complaint.line, complaint.column)
        for complaint in found.complaints
    ]
    return {
        "format": found.format,
        "sha256": found.sha256,
        "suffix": found.suffix,
        "rows": found.rows,
        "columns": list(found.columns),
        "problems": [asdict(problem) for problem in problems[: intake.LISTED]],
        "problem_count": len(problems),
        "guess": {fate.column: [fate.role, fate.kind, fate.reason] for fate in found.fates},
        "reading": dict(found.reading),
        "sheets": list(found.sheets),
    }


def look(desk: WorkerCaches, report: Any, *, reading: Reading) -> dict[str, Any]:
    """The profile of the data under their roles."""
    found = profile.run(desk.data(reading, report("Reading")), report)
    unique = found.unique
    exposure = Exposure(found.records, unique.quasi, unique.items, unique.both)
    return {"columns": [dict(column) for column in found.columns], "items": found.items, "exposure": asdict(exposure)}


def tree(
    desk: WorkerCaches, report: Any, *, reading: Reading, column: str, opened: list[int], start: int, count: int, cut: list[str]
) -> Tree:
    """The visible rows of a hierarchy."""
    found = desk.tree(reading, column)
    total, rows = found.rows(opened or [found.root], start, count, frozenset(cut))
    missing = found.missing()
    leaves = sum(1 for v in range(found.first_leaves) if found.parent[v] != -2)
    nodes = sum(1 for p in found.parent if p != -2)
    return Tree(column, nodes, leaves, tuple(missing[:NAMED]), len(missing), total, start, rows)


def find(desk: WorkerCaches, report: Any, *, reading: Reading, column: str, text: str) -> list[list[int]]:
    """The ways from the root to nodes whose label holds a text."""
    found = desk.tree(reading, column)
    wanted, ways = text.casefold(), []
    for node, label in enumerate(found.labels):
        if found.parent[node] != -2 and wanted in label.casefold():
            way = [node]
            while found.parent[way[-1]] >= 0:
                way.append(found.parent[way[-1]])
            ways.append(way[::-1])
            if len(ways) == NAMED:
                break
    return ways


def preview(desk: WorkerCaches, report: Any, *, reading: Reading, column: str, upload: str, name: str) -> Preview:
    """What an uploaded hierarchy would change."""
    file = upload_path(reading.folder, upload)
    problems = tuple(
        problem.replace(f"{file}", "the file") for problem in hierarchy.run_check(hierarchy.HierarchyCheckRequest(file))
    )
    if problems:
        return Preview(upload, name, 0, 0, problems[:NAMED], (), 0, (), 0)
    new, found = hierarchy.run_show(file), desk.material(reading, column)
    leaves = set(new.leaves)
    missing = [value for value, n in zip(found.domain, found.supports.tolist(), strict=True) if n and value not in leaves]
    moves: list[Move] = []
    if column in reading.hierarchies:
        old = desk.tree(reading, column).hierarchy(derived=True)
        above_now = {label: old.labels[old.parent[v]] for v, label in enumerate(old.leaves) if old.parent[v] >= 0}
        above_then = {label: new.labels[new.parent[v]] for v, label in enumerate(new.leaves) if new.parent[v] >= 0}
        both = ((label, above_now[label], group) for label, group in above_then.items() if label in above_now)
        moves = [Move(*move) for move in both if move[1] != move[2]]
    parts = (tuple(missing[:NAMED]), len(missing), tuple(moves[:NAMED]), len(moves))
    return Preview(upload, name, new.n_leaves, len(new), (), *parts)


def export(desk: WorkerCaches, report: Any, *, reading: Reading, column: str, file: Path) -> None:
    """Write the tree of a column to a file."""
    hierarchy.write(desk.tree(reading, column).hierarchy(derived=False), file)


def check_edit(desk: WorkerCaches, report: Any, *, reading: Reading, column: str) -> int:
    """Raise where the changes to a tree cannot be made; how many nodes it has."""
    return len(desk.tree(reading, column).hierarchy(derived=True))


def supports(desk: WorkerCaches, report: Any, *, reading: Reading, itemsets: list[list[str]]) -> list[int]:
    """How many people hold all items of each set."""
    from anonset.tasks import side_by_side

    return side_by_side.holders(desk.data(reading.bare()), itemsets)


def items(desk: WorkerCaches, report: Any, *, reading: Reading, text: str, count: int) -> list[list[Any]]:
    """Items whose name holds a text, the most frequent first, with their numbers of people."""
    found = desk.material(reading, "items")
    wanted = text.casefold()
    pairs = [(n, name) for name, n in zip(found.domain, found.supports.tolist(), strict=True) if wanted in name.casefold()]
    return [[name, n] for n, name in sorted(pairs, key=lambda pair: (-pair[0], pair[1]))[:count]]


def described(desk: WorkerCaches, report: Any) -> dict[str, Any]:
    """What every algorithm declares."""
    return algorithms.run()
