"""Hierarchies from groups of values that are no neighbours in their domain.

What such a tree looks like depends on its groups alone, not on the order in which they were found: children are sorted by the
first value of the domain under them. So leaves, node ids and labels say nothing about how often values occur but what the
groups themselves say.
"""

from collections.abc import Sequence

import numpy as np

from anonset.model.arrays import Rows
from anonset.model.hierarchy import Hierarchy
from anonset.model.trees import ROOT, plant


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
