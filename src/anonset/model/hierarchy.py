"""A tree over a domain: every value a leaf, every generalization a node."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonset.errors import InputError
from anonset.model.arrays import Ids, freeze
from anonset.model.cards import card, line, table
from anonset.model.late import late

SHOWN = 12  # groups that a notebook lists


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """Node v stands for the leaves low[v] .. high[v]-1; leaves are the nodes 0 .. d-1 from left to right.

    Children have smaller ids than their parents and the root is the last node, so one pass over the ids goes bottom-up.
    Leaves may lie at unequal depths. A chain of single children is kept: it carries the levels of the file it came from.
    A hierarchy from a file is public knowledge; one that is `derived` was built from the values of the data, which are not.
    """

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

    def _repr_html_(self) -> str:
        rows = [
            (self.labels[v], int(self.sizes[v]), ", ".join(self.leaves[self.low[v] : self.high[v]][:8]))
            for v in self.children(self.root)
        ]
        note = f"{len(rows) - SHOWN:,} more groups" if len(rows) > SHOWN else ""
        shown = table(("below the root", "values", "among them"), rows[:SHOWN])
        return card(repr(self)[1:-1], shown, line(note) if note else "")

    def plot(self, title: str = "") -> Any:
        """The tree from its leaves up, as a matplotlib figure. Needs the `report` extra."""
        return late("tasks.plots:of_hierarchy", self, title)

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
        """The node and all above it, up to the root."""
        path = [node]
        while self.parent[path[-1]] >= 0:
            path.append(int(self.parent[path[-1]]))
        return path

    def children(self, node: int) -> list[int]:
        """The nodes directly below, from left to right."""
        found = np.flatnonzero(self.parent == node)
        return [int(v) for v in found[np.argsort(self.low[found], kind="stable")]]

    def lowest_common(self, leaves: Sequence[int]) -> int:
        """The lowest node that stands for all the given leaves."""
        node, first, last = min(leaves), min(leaves), max(leaves)
        while not (self.low[node] <= first and last < self.high[node]):
            node = int(self.parent[node])
        return int(node)


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
