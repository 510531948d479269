"""A hierarchy while it is read: three ways to write a tree down, and everything that can be wrong with each.

A reader gathers complaints, each with its line where there is one, and goes on, so that all can be told at once.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from anonset.data.sources import trimmed
from anonset.errors import InputError

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
    state = bytearray(len(tree.labels))  # 0 not seen, 1 on the path, 2 leads to a root or to a cycle that was told
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
