"""From a tree as a person writes it (parents, or paths to the root) to a hierarchy with its leaves from left to right.

What a tree of groups looks like depends on its groups alone, not on the order in which they were found: children are sorted by
the first value of the domain under them. So leaves, node ids and labels say nothing about how often values occur but what the
groups themselves say.
"""

from collections.abc import Sequence

import numpy as np

from anonset.model.arrays import Rows
from anonset.model.hierarchy import Hierarchy

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


def plant_paths(paths: Sequence[Sequence[str]], root: str = ROOT) -> Hierarchy:
    """The hierarchy of paths from a leaf up to just below the root; equal names are one node only under one parent."""
    labels, parent = [root], [-1]
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
