"""The size of the count-tree of [002] and the number of writes to it; our algorithms do not build it."""

from itertools import combinations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset


def count_tree_nodes(data: Dataset, m: int, moved_to: Ids | None = None) -> int:
    """The distinct sets of 1 .. m nodes that some record shows, none of them an ancestor of another: a path of the tree each.

    A record shows its items and all their generalizations ([002] 4.1), without what a cut has generalized already: with
    `moved_to`, the node that each item stands at, only that node and those above it (Algorithm 4, line 5). The root of the
    hierarchy takes part like any other node.
    """
    tree, t = data.item_hierarchy, data.transactions
    assert tree is not None
    assert t is not None
    starts = range(tree.n_leaves) if moved_to is None else moved_to.tolist()
    shown = [tuple(tree.ancestors(node)) for node in starts]
    records = {tuple(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in range(len(t))}
    related = {(u, v) for u in range(len(tree)) for v in tree.ancestors(u)[1:]}
    found: set[tuple[int, ...]] = set()
    for nodes in {tuple(sorted({v for i in record for v in shown[i]})) for record in records}:
        for size in range(1, m + 1):
            for chosen in combinations(nodes, size):
                if chosen not in found and not any(pair in related for pair in combinations(chosen, 2)):
                    found.add(chosen)
    return len(found)


def tree_writes(data: Dataset, m: int, moved_to: Ids | None = None) -> list[int]:
    """How often a set of 1, 2, .. m nodes that a record shows is put into the count-tree ([002] Algorithm 1), by size."""
    tree, t = data.item_hierarchy, data.transactions
    assert tree is not None
    assert t is not None
    starts = np.arange(tree.n_leaves, dtype=np.int32) if moved_to is None else moved_to
    return count_antichains(t.offsets, starts[t.items], tree.parent, m)[1:].tolist()  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def count_antichains(
    offsets: NDArray[np.int64], nodes: NDArray[np.int32], parent: NDArray[np.int32], m: int
) -> NDArray[np.int64]:
    """Return how many sets of 0 .. m nodes, none above another, there are among those of each record and all above them.

    Nodes come before those above them. The sets inside the subtree of a node are the node alone, or any of one child's sets
    with any of another's: their numbers multiply like polynomials.
    """
    ways = np.zeros((len(parent), m + 1), np.int64)  # of each node: sets of so many nodes below it, without it
    here = np.empty(len(parent), np.int64)
    marked = np.zeros(len(parent), np.bool_)
    total = np.zeros(m + 1, np.int64)
    product = np.empty(m + 1, np.int64)
    for r in range(len(offsets) - 1):
        count = 0
        for p in range(offsets[r], offsets[r + 1]):
            v = nodes[p]
            while v >= 0 and not marked[v]:
                marked[v] = True
                ways[v, :] = 0
                ways[v, 0] = 1
                here[count] = v
                count += 1
                v = parent[v]
        found = np.sort(here[:count])
        for q in range(count):
            v = found[q]
            marked[v] = False
            ways[v, min(1, m)] += 1  # the node alone
            up = parent[v]
            if up < 0:
                total += ways[v]
                continue
            product[:] = 0
            for a in range(m + 1):
                for b in range(m + 1 - a):
                    product[a + b] += ways[up, a] * ways[v, b]
            ways[up] = product
    return total
