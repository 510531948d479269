"""A tree over a domain: every value a leaf, every generalization a node."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from anonset.errors import InputError
from anonset.model.arrays import Ids, Rows
from anonset.model.sets import freeze
from anonset.notebook import card, line, table

SHOWN = 12  # groups that a notebook lists


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """A tree over a domain: every value is a leaf, every generalization a node.

    Node v stands for the leaves low[v] .. high[v] - 1. The leaves are the nodes 0 .. n_leaves - 1 from left to right. Children
    have smaller ids than their parents and the root is the last node, so a loop over the ids goes bottom-up. Leaves may have
    different depths. A chain of single children is preserved, since it carries the levels of the file it was read from.

    Attributes
    ----------
    labels : tuple of str
        The text of each node.
    parent : array of int32
        The parent of each node; -1 for the root.
    derived : bool
        Whether the tree was built from the data. A tree from a file is public knowledge.
    low, high : array of int32
        The range of leaves under each node.
    depth : array of int32
        The number of steps from each node to the root.
    n_leaves : int
        The number of leaves.

    Examples
    --------
    >>> import anonset
    >>> tree = anonset.build_hierarchy("balanced:2", ["a", "b", "c", "d"])
    >>> tree.leaves, tree.height
    (('a', 'b', 'c', 'd'), 2)
    >>> tree.labels[tree.lowest_common([0, 1])]
    'a..b'
    """

    _drawing: ClassVar[Callable[["Hierarchy", str], Any] | None] = None  # set by the layer that draws
    labels: tuple[str, ...]
    parent: Ids
    derived: bool = False
    low: Ids = field(init=False)
    high: Ids = field(init=False)
    depth: Ids = field(init=False)
    n_leaves: int = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.labels)
        if n == 0 or len(self.parent) != n:
            raise InputError("a hierarchy needs a parent for each of its nodes, and at least one node")
        if self.parent[-1] != -1 or (n > 1 and (self.parent[:-1] <= np.arange(n - 1)).any()) or self.parent.max() >= n:
            raise InputError("a hierarchy must list children before parents and end with its one root")
        has_child = np.zeros(n, np.bool_)
        has_child[self.parent[:-1]] = True
        d = n if n == 1 else int(np.argmax(has_child))
        if n > 1 and not has_child[d:].all():
            raise InputError("a hierarchy must list all its leaves first")
        low, high, depth = _ranges(self.parent, d)
        for name, value in (("low", low), ("high", high), ("depth", depth), ("n_leaves", d)):
            object.__setattr__(self, name, value)
        _check_labels(self.labels, low, high)
        freeze(self.parent, low, high, depth)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        groups = len(self) - self.n_leaves
        return f"<Hierarchy of {self.n_leaves:,} values in {groups:,} groups, {self.height} levels up>"

    def as_json(self) -> dict[str, Any]:
        """The nodes, as a release folder has them."""
        return {"labels": self.labels, "parent": self.parent, "derived": self.derived}

    @classmethod
    def from_nodes(cls, nodes: Mapping[str, Any]) -> "Hierarchy":
        """The hierarchy whose nodes a release folder has."""
        return cls(tuple(nodes["labels"]), np.array(nodes["parent"], np.int32), bool(nodes.get("derived", False)))

    def _repr_html_(self) -> str:
        rows = [
            (self.labels[v], int(self.sizes[v]), ", ".join(self.leaves[self.low[v] : self.high[v]][:8]))
            for v in self.children(self.root)
        ]
        note = f"{len(rows) - SHOWN:,} more groups" if len(rows) > SHOWN else ""
        shown = table(("below the root", "values", "among them"), rows[:SHOWN])
        return card(repr(self)[1:-1], shown, line(note) if note else "")

    def plot(self, title: str = "") -> Any:
        """Draw the tree from its leaves up; `save` of the drawing writes SVG."""
        assert Hierarchy._drawing is not None, "anonset.api sets it"
        return Hierarchy._drawing(self, title)

    @property
    def root(self) -> int:
        """The node that stands for every value."""
        return len(self.labels) - 1

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values of the domain, from left to right."""
        return self.labels[: self.n_leaves]

    @property
    def sizes(self) -> Ids:
        """The number of leaves under each node."""
        return self.high - self.low

    @property
    def height(self) -> int:
        """The greatest number of steps from a leaf to the root."""
        return int(self.depth[: self.n_leaves].max())

    def ancestors(self, node: int) -> list[int]:
        """Return the node and all nodes above it, up to the root."""
        path = [node]
        while self.parent[path[-1]] >= 0:
            path.append(int(self.parent[path[-1]]))
        return path

    def children(self, node: int) -> list[int]:
        """Return the nodes directly below, from left to right."""
        found = np.flatnonzero(self.parent == node)
        return [int(v) for v in found[np.argsort(self.low[found], kind="stable")]]

    def lowest_common(self, leaves: Sequence[int]) -> int:
        """Return the lowest node that stands for all the given leaves."""
        node, first, last = min(leaves), min(leaves), max(leaves)
        while not (self.low[node] <= first and last < self.high[node]):
            node = int(self.parent[node])
        return int(node)


def is_public(hierarchy: Hierarchy | None) -> bool:
    """Whether the values of a domain are known to everybody, from a hierarchy that does not come from the data."""
    return hierarchy is not None and not hierarchy.derived


def _ranges(parent: Ids, d: int) -> tuple[Ids, Ids, Ids]:
    up = parent.tolist()  # plain lists: far quicker than arrays, entry by entry
    n = len(up)
    low, high = [*range(d), *([d] * (n - d))], [*range(1, d + 1), *([0] * (n - d))]
    count = [1] * d + [0] * (n - d)
    for v in range(n - 1):
        p = up[v]
        low[p], high[p] = min(low[p], low[v]), max(high[p], high[v])
        count[p] += count[v]
    if any(high[v] - low[v] != count[v] for v in range(n)):
        raise InputError("leaves must be ordered so that every node stands for a run of neighbouring leaves")
    depth = [0] * n
    for v in range(n - 2, -1, -1):
        depth[v] = depth[up[v]] + 1
    return np.array(low, np.int32), np.array(high, np.int32), np.array(depth, np.int32)


def _check_labels(labels: tuple[str, ...], low: Ids, high: Ids) -> None:
    seen: dict[str, tuple[int, int]] = {}
    for label, start, stop in zip(labels, low.tolist(), high.tolist(), strict=True):
        if seen.setdefault(label, (start, stop)) != (start, stop):
            raise InputError(f"the hierarchy uses the label {label!r} for two different groups of values")


ROOT = "*"


def plant(labels: Sequence[str], parent: Sequence[int], root: int) -> Hierarchy:
    """The hierarchy of a tree given by each node's parent; children keep the order of their numbers.

    A label that would name two different groups of leaves keeps its text for the leaf, or else the lowest and leftmost node;
    the others get their level appended: the greatest number of steps down to a leaf.
    """
    children: list[list[int]] = [[] for _ in labels]
    for v, p in enumerate(parent):
        if v != root:
            children[p].append(v)
    down = _depth_first(children, root)
    level = [0] * len(labels)
    first = [0] * len(labels)
    size = [0] * len(labels)
    n_leaves = 0
    for v in down:
        if not children[v]:
            first[v], size[v] = n_leaves, 1
            n_leaves += 1
    for v in reversed(down):
        if children[v]:
            level[v] = 1 + max(level[c] for c in children[v])
            first[v] = first[children[v][0]]
            size[v] = sum(size[c] for c in children[v])
    order = sorted(down, key=lambda v: (level[v], first[v]))
    number = {v: i for i, v in enumerate(order)}
    texts = _distinct([(labels[v], first[v], size[v], level[v]) for v in order])
    return Hierarchy(texts, np.array([-1 if v == root else number[parent[v]] for v in order], np.int32))


def plant_paths(paths: Sequence[Sequence[str]]) -> Hierarchy:
    """The hierarchy of paths from a leaf up to just below the root; equal names are one node only under one parent."""
    labels, parent = [ROOT], [-1]
    known: dict[tuple[int, str], int] = {}
    for leaf, *above in paths:
        node = 0
        for label in reversed(above):
            key = (node, label)
            if key not in known:
                known[key] = len(labels)
                labels.append(label)
                parent.append(node)
            node = known[key]
        labels.append(leaf)
        parent.append(node)
    return plant(labels, parent, 0)


def _depth_first(children: list[list[int]], root: int) -> list[int]:
    """All nodes, parents before children, from left to right."""
    found, todo = [], [root]
    while todo:
        v = todo.pop()
        found.append(v)
        todo.extend(reversed(children[v]))
    return found


def _distinct(nodes: list[tuple[str, int, int, int]]) -> tuple[str, ...]:
    """The labels of (label, first, size, level) nodes, leaves first, so that none names two different groups of leaves."""
    stands_for: dict[str, tuple[int, int]] = {}
    texts = []
    for label, first, size, level in nodes:
        text, tries = label, 0
        while stands_for.setdefault(text, (first, size)) != (first, size):
            tries += 1
            text = f"{label} (level {level})" if tries == 1 else f"{label} (level {level}, {tries})"
        texts.append(text)
    return tuple(texts)


def stack_groups(domain: Sequence[str], groups: Sequence[Sequence[int]], fanout: int) -> Hierarchy:
    """Groups of places in the domain under a node each, and runs of `fanout` groups above them, level by level, and a root.

    A node is called `a+3` after its first value and the number of the others.
    """
    parent = [-1] * len(domain)
    level: list[Sequence[int]] = list(groups)
    while True:
        nodes = range(len(parent), len(parent) + len(level))
        parent += [-1] * len(level)
        for node, children in zip(nodes, level, strict=True):
            for child in children:
                parent[child] = node
        if len(nodes) == 1:
            return _arranged(domain, parent)
        level = [nodes[start : start + fanout] for start in range(0, len(nodes), fanout)]


def in_runs(order: Rows, fanout: int) -> list[list[int]]:
    """Places in an order, cut into runs of `fanout`; the last may be shorter."""
    return [order[start : start + fanout].tolist() for start in range(0, len(order), fanout)]


def by_support(supports: Rows) -> Rows:
    """Places by support, the highest first; ties: smaller places."""
    return np.lexsort((np.arange(len(supports)), -supports)).astype(np.int64)


def _arranged(domain: Sequence[str], parent: Sequence[int]) -> Hierarchy:
    """The hierarchy of a tree whose nodes come after their children, the values first and the root last."""
    root = len(parent) - 1
    first, size = [*range(len(domain)), *([root] * (len(parent) - len(domain)))], [1] * len(domain)
    size += [0] * (len(parent) - len(domain))
    for v, p in enumerate(parent[:-1]):
        first[p] = min(first[p], first[v])
        size[p] += size[v]
    names = [domain[i] if n == 1 else f"{domain[i]}+{n - 1}" for i, n in zip(first, size, strict=True)]
    order = sorted(range(root), key=lambda v: first[v])
    number = {v: q for q, v in enumerate([*order, root])}
    return plant([*(names[v] for v in order), ROOT], [*(number[parent[v]] for v in order), -1], root)
