"""How large the count-tree of [002] would be: our algorithms build none, so its nodes are counted apart."""

from itertools import combinations

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
