"""Hierarchies in files: `leaf;level1;...;*` lines, `child,parent` pairs, nested JSON; read with everything that is wrong with
them.
"""

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from anonset.data.files import as_input_errors, text, trimmed
from anonset.errors import InputError, NewValuesError
from anonset.model.hierarchy import Hierarchy, plant

HierarchyFormat = Literal["levels", "pairs", "json"]
HEADER = ("child", "parent")
MOST_LEVELS = 1_000


@dataclass
class ParsedTree:
    """A tree while it is read: nodes with a label, a parent and the line they came from, and what is wrong with them."""

    file: str
    labels: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)
    complaints: list[InputError] = field(default_factory=list)

    def complain(self, message: str, line: int | None = None) -> None:
        """Note what is wrong, and where."""
        self.complaints.append(InputError(message, file=self.file, line=line))

    def add(self, label: str, parent: int, line: int | None = None) -> int:
        """A new node."""
        self.labels.append(label)
        self.parent.append(parent)
        self.lines.append(line)
        return len(self.labels) - 1


def _rows(content: str, delimiter: str, tree: ParsedTree) -> Iterable[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if len(row) > 1 or any(map(trimmed, row)):
                yield line, [trimmed(cell) for cell in row]
            line = reader.line_num + 1
    except csv.Error as error:
        tree.complain(f"cannot be read: {error}", line)


def _read_levels(content: str, tree: ParsedTree) -> None:
    """One leaf a line, then the nodes above it up to the root; a node is its label and its distance from the root."""
    rows = list(_rows(content, ";", tree))
    if not rows:
        return
    root = rows[0][1][-1]
    known: dict[tuple[int, str], int] = {(0, root): tree.add(root, -1, rows[0][0])}
    leaves: dict[str, int] = {}
    if len(rows) == len(rows[0][1]) == 1 and root:
        return  # a tree of one node
    for line, row in rows:
        if not all(row):
            tree.complain("a label is empty", line)
        elif row[-1] != root:
            tree.complain(f"every line must end in one root; got {row[-1]!r} and, on line {rows[0][0]}, {root!r}", line)
        elif row[0] in leaves:
            tree.complain(f"the leaf {row[0]!r} is on line {leaves[row[0]]} already", line)
        elif len(row) == 1:
            tree.complain("a leaf and the nodes above it are expected, with ; between", line)
        else:
            leaves[row[0]] = line
            node = _climb_down(row[-2:0:-1], line, known, tree)
            tree.add(row[0], node, line)


def _climb_down(labels: list[str], line: int, known: dict[tuple[int, str], int], tree: ParsedTree) -> int:
    """The lowest of the inner nodes that a line names, from the root down."""
    node = 0
    for depth, label in enumerate(labels, start=1):
        key = (depth, label)
        if key not in known:
            known[key] = tree.add(label, node, line)
        elif tree.parent[known[key]] != node:
            first = known[key]
            tree.complain(
                f"{label!r} is under {tree.labels[node]!r} here and under {tree.labels[tree.parent[first]]!r}"
                f" on line {tree.lines[first]}: not a tree",
                line,
            )
        node = known[key]
    return node


def _read_pairs(content: str, tree: ParsedTree) -> None:
    """A child and its parent a line; labels are unique; a line without a parent names the root."""
    parents: dict[str, tuple[str, int]] = {}
    for line, row in _rows(content, ",", tree):
        if tuple(name.lower() for name in row) == HEADER and not parents:
            continue
        if len(row) != 2:
            tree.complain(f"a child and its parent are expected; got {len(row)} fields", line)
        elif not row[0]:
            tree.complain("the child is empty", line)
        elif row[0] == row[1]:
            tree.complain(f"{row[0]!r} is its own parent: a cycle", line)
        elif row[0] in parents:
            tree.complain(f"{row[0]!r} has a parent on line {parents[row[0]][1]} already", line)
        else:
            parents[row[0]] = (row[1], line)
    number: dict[str, int] = {}
    for child, (parent, line) in parents.items():
        for label in (child, parent):
            if label and label not in number:
                number[label] = tree.add(label, -1, line)
    for child, (parent, line) in parents.items():
        tree.parent[number[child]] = number[parent] if parent else -1
        tree.lines[number[child]] = line


def _read_json(content: str, tree: ParsedTree) -> None:
    """Nodes {"name": ..., "children": [...]}; a leaf may be a plain text."""
    try:
        top = json.loads(content)
    except json.JSONDecodeError as error:
        tree.complain(f"is not valid JSON: {error.msg}", error.lineno)
        return
    except RecursionError:
        tree.complain("is nested too deeply")
        return
    todo: list[tuple[Any, int]] = [(top, -1)]
    while todo:
        node, parent = todo.pop()
        under = f" (under {tree.labels[parent]!r})" if parent >= 0 else ""
        name = node.get("name") if isinstance(node, dict) else node
        children = node.get("children", []) if isinstance(node, dict) else []
        if not isinstance(name, str) or not trimmed(name):
            tree.complain(f"every node needs a name that is a text{under}")
        elif not isinstance(children, list):
            tree.complain(f"the children of {name!r} must be a list{under}")
        else:
            number = tree.add(trimmed(name), parent)
            todo.extend((child, number) for child in reversed(children))
    _check_leaves_differ(tree)


def _check_leaves_differ(tree: ParsedTree) -> None:
    inner = set(tree.parent)
    seen: set[str] = set()
    for v, label in enumerate(tree.labels):
        if v not in inner:
            if label in seen:
                tree.complain(f"the leaf {label!r} occurs twice")
            seen.add(label)


def check_one_tree(tree: ParsedTree) -> None:
    """Complain unless every node leads up to one root."""
    roots = [v for v, p in enumerate(tree.parent) if p < 0]
    for root in roots[1:]:
        tree.complain(f"there are several roots: {tree.labels[roots[0]]!r} and {tree.labels[root]!r}", tree.lines[root])
    state = bytearray(len(tree.labels))  # 0 not seen, 1 on the path, 2 leads to a root or to a reported cycle
    depth = [0] * len(tree.labels)
    for start in range(len(tree.labels)):
        path, v = [], start
        while v >= 0 and state[v] == 0:
            state[v] = 1
            path.append(v)
            v = tree.parent[v]
        if v >= 0 and state[v] == 1:
            tree.complain(f"{tree.labels[v]!r} is above itself: a cycle", tree.lines[v])
        for u in reversed(path):
            state[u] = 2
            depth[u] = depth[tree.parent[u]] + 1 if tree.parent[u] >= 0 else 1
    if max(depth, default=0) > MOST_LEVELS:
        tree.complain(f"has {max(depth):,} levels; at most {MOST_LEVELS:,} are expected")
    if not tree.labels:
        tree.complain("has no nodes")


READERS: dict[HierarchyFormat, Callable[[str, ParsedTree], None]] = {
    "levels": _read_levels,
    "pairs": _read_pairs,
    "json": _read_json,
}


def read_hierarchy(path: str | Path, domain: Sequence[str] | None = None) -> Hierarchy:
    """Read a hierarchy from a file: level lines, child-parent pairs or nested JSON.

    Parameters
    ----------
    path : str or Path
        The file; it may be gzipped.
    domain : sequence of str, optional
        Values that the hierarchy must cover.

    Returns
    -------
    Hierarchy
        The tree.

    Raises
    ------
    InputError
        If the file is not a tree; the message names the line.
    NewValuesError
        If the hierarchy does not cover a value of `domain`.

    Examples
    --------
    >>> import anonset
    >>> from pathlib import Path
    >>> _ = Path("goods.csv").write_text("milk;dairy;*\\ncheese;dairy;*\\nsoap;household;*\\n")
    >>> anonset.read_hierarchy("goods.csv").leaves
    ('milk', 'cheese', 'soap')
    """
    complaints, tree = _read(Path(path))
    if tree is None:
        raise complaints[0]
    require_leaves(tree, domain or (), file=path)
    return tree


def check_hierarchy(path: str | Path, domain: Sequence[str] | None = None) -> list[str]:
    """All problems of the hierarchy in a file with their lines; empty if it can be used."""
    try:
        complaints, tree = _read(Path(path))
        if tree is not None:
            require_leaves(tree, domain or (), file=path)
        return [str(complaint) for complaint in complaints]
    except InputError as error:
        return [str(error)]


def require_leaves(tree: Hierarchy, values: Sequence[str], *, file: str | Path, column: str | None = None) -> None:
    """Raise unless every value is a leaf."""
    leaves = set(tree.leaves)
    uncovered = [value for value in values if value not in leaves]
    if uncovered:
        some = ", ".join(repr(value[:40]) for value in uncovered[:3])
        message = f"{len(uncovered)} values of the data are not leaves of this hierarchy, e.g. {some}"
        raise NewValuesError(message, uncovered, file=file, column=column)


def write_hierarchy(tree: Hierarchy, path: str | Path, *, format: HierarchyFormat | None = None) -> None:
    """Write a hierarchy to a file.

    Parameters
    ----------
    tree : Hierarchy
        The tree.
    path : str or Path
        The file; the suffix .json writes nested JSON.
    format : str, optional
        The format, if the suffix does not show it.
    """
    target = Path(path)
    plain = target.name.lower().removesuffix(".gz")
    lines = WRITERS[format or ("json" if plain.endswith(".json") else "levels")](tree)
    content = lines.encode("utf-8")
    with as_input_errors(target):
        target.write_bytes(gzip.compress(content, mtime=0) if target.name.lower().endswith(".gz") else content)


def _read(path: Path) -> tuple[list[InputError], Hierarchy | None]:
    """What is wrong with the tree in a file, and the tree where nothing is."""
    content = text(path)
    tree = ParsedTree(str(path))
    READERS[_format(path, content)](content, tree)
    if not tree.complaints:
        check_one_tree(tree)
    if tree.complaints:
        return tree.complaints, None
    return [], plant(tree.labels, tree.parent, tree.parent.index(-1))


def _format(path: Path, content: str) -> HierarchyFormat:
    if path.name.lower().removesuffix(".gz").endswith(".json"):
        return "json"
    first = content.lstrip().split("\n", 1)[0].rstrip("\r")
    try:
        fields = next(csv.reader([first]), [])
    except csv.Error:  # a field longer than the reader takes, since it has other separators
        return "levels"
    if tuple(name.strip().lower() for name in fields) == HEADER:
        return "pairs"
    return "levels" if ";" in first or len(fields) != 2 else "pairs"


def _level_lines(tree: Hierarchy) -> str:
    up, out = tree.parent.tolist(), io.StringIO()
    lines = csv.writer(out, delimiter=";", lineterminator="\n")
    for leaf in range(tree.n_leaves):
        row, v = [], leaf
        while v >= 0:
            row.append(tree.labels[v])
            v = up[v]
        lines.writerow(row)
    return out.getvalue()


def _pair_lines(tree: Hierarchy) -> str:
    """Children from left to right below their parents; nodes of a chain get unique names, as pairs need them."""
    names: dict[str, int] = {}
    for v in range(len(tree)):
        name, tries = tree.labels[v], 1
        while name in names:
            tries += 1
            name = f"{tree.labels[v]} ({tries})"
        names[name] = v
    texts, up, out = tuple(names), tree.parent.tolist(), io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(HEADER)
    for v in sorted(range(len(tree)), key=lambda v: (tree.low[v], tree.depth[v])):
        lines.writerow((texts[v], texts[up[v]] if up[v] >= 0 else ""))
    return out.getvalue()


def _nested(tree: Hierarchy) -> str:
    nodes: list[Any] = [label if v < tree.n_leaves else {"name": label, "children": []} for v, label in enumerate(tree.labels)]
    for v in sorted(range(tree.root), key=lambda v: int(tree.low[v])):
        nodes[tree.parent[v]]["children"].append(nodes[v])
    return json.dumps(nodes[tree.root], ensure_ascii=False, indent=1) + "\n"


WRITERS: dict[HierarchyFormat, Callable[[Hierarchy], str]] = {"levels": _level_lines, "pairs": _pair_lines, "json": _nested}
