"""Counts of frequent items that come out right when a label of n items is read as 1/n of each.

Items that are about as rare can end apart, one shown exactly and its sibling as one of n, and then both are counted wrongly.
So, after all local moves, global ones: a node takes all occurrences of its items. Whatever is shown stays protected: all
records that showed a set with the item now show the same set with the node.
"""

import numpy as np

from anonset.algorithms.transactions.kernels.evening import PRICE, lowest_nodes
from anonset.algorithms.transactions.lift_state import AncestorLadder
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids
from anonset.model.hierarchy import Hierarchy
from anonset.model.transactions import Transactions

FREQUENT = 0.01  # share of the records
MANY = 0.05  # of the occurrences of frequent items: as many may be counted wrongly
ALIKE = 0.25  # of an item's support, on average: how far those of siblings may be from their mean


def evened(held: Transactions, nodes: Ids, tree: Hierarchy, way: AncestorLadder) -> Ids:
    """The node of each occurrence, after nodes have taken what stood below them; -1 stays what it is."""
    paths = _paths(way)
    place = np.zeros(len(nodes), np.int64)
    for s in range(1, len(paths)):
        place[nodes == paths[s, held.items]] = s
    d, shown = way.n_leaves, nodes >= 0
    counts = np.bincount(place[shown] * d + held.items[shown], minlength=len(paths) * d).reshape(len(paths), d)
    supports, sizes = held.supports.astype(np.int64), np.maximum(1, way.sizes)
    lowest = lowest_nodes(paths, counts.astype(np.float64), supports, tree.low, tree.high, sizes, FREQUENT * len(held))
    return np.where(shown, np.maximum(nodes, lowest[held.items]), nodes).astype(np.int32)


def alike(held: Transactions, tree: Hierarchy) -> bool:
    """Whether siblings are about as frequent, so that one of n is a good guess at each of them."""
    above = np.maximum(tree.parent[: tree.n_leaves], 0)  # a tree of one item has nothing above it
    mean = np.bincount(above, held.supports, len(tree)) / np.maximum(1, np.bincount(above, held.supports > 0, len(tree)))
    return bool(np.abs(held.supports - mean[above])[held.supports > 0].sum() <= ALIKE * held.supports.sum())


def wrong_counts(held: Transactions, nodes: Ids, tree: Hierarchy, way: AncestorLadder) -> tuple[float, float]:
    """How many occurrences of frequent items are counted wrongly, as a share of all of them; and what all nodes lose."""
    sizes = np.maximum(1, way.sizes)
    shown = np.bincount(collapse(held.offsets, nodes)[1], minlength=len(tree)) / sizes
    counts = np.cumsum(np.bincount(tree.low, shown, len(tree) + 1) - np.bincount(tree.high, shown, len(tree) + 1))
    frequent = held.supports >= FREQUENT * len(held)
    wrong = float(np.abs(counts[: tree.n_leaves] - held.supports)[frequent].sum())
    lost = float(np.append(1.0 - 1.0 / sizes, 1.0)[nodes].sum())  # the last is that of what is left out, -1
    return wrong / max(1, held.supports[frequent].sum()), wrong + PRICE * lost


def _paths(way: AncestorLadder) -> Ids:
    """The node that is s steps above each item; -1 above the root."""
    paths = [np.arange(way.n_leaves, dtype=np.int32)]
    while (paths[-1] >= 0).any():
        paths.append(np.where(paths[-1] >= 0, way.above[paths[-1]], -1).astype(np.int32))
    return np.stack(paths[:-1])
