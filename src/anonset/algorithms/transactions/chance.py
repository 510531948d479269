"""Item labels by chance (original to anonset), for recipients who know the algorithm: every release that is true and keeps the
promise may come out.

1. Every occurrence of an item starts from the item, from its parent with a chance, from the one above with that chance again.
2. Labels that fewer than k records show are lifted until the promise holds (`Lifting`: steps 1 to 3 and 5 of `lift`).

Nothing else is improved: a release that keeps the promise stays as it is when its own labels are drawn as the start. So all
datasets of which it is true can lead to it. One of k records that show the labels of what an attacker knows can exchange the
known items with the person's own (decision 7), and nobody who knows the algorithm can exclude it (decision 6).
"""

import numpy as np

from anonset.algorithms.transactions.cut import secrets
from anonset.algorithms.transactions.lift import Lifting, ladder, whole
from anonset.kernels.set_walk import SetLimits
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset

# Chance of a start one step up. .05 leaves twice as much to guess on small datasets and gains 3 to 4 points of exact items, .2
# costs twice as many points (docs/decisions/006-local-recoding.md).
CHANCE = 0.1


def start_by_chance(items: Ids, above: Ids, rng: np.random.Generator) -> Ids:
    """Step 1: the node from which each occurrence starts."""
    nodes = items.copy()
    going = rng.random(len(nodes)) < CHANCE
    while going.any():
        going &= above[nodes] >= 0
        nodes[going] = above[nodes][going]
        going &= rng.random(len(nodes)) < CHANCE
    return nodes


def nodes_by_chance(data: Dataset, k: int, m: int, seed: int | None) -> Ids:
    """Steps 1 and 2: the node of each occurrence, that of sensitive items being the item itself."""
    assert data.transactions is not None
    assert data.item_hierarchy is not None
    linkable, sensitive = data.linkable, data.sensitive_items
    up = ladder(data.item_hierarchy, sensitive)
    state = Lifting(whole(linkable.offsets, linkable.items, secrets(data)), up, SetLimits(k, m, 1))
    state.start(start_by_chance(linkable.items, up.above, np.random.default_rng(seed)))
    state.end(star=True)
    if sensitive is None:
        return state.nodes
    nodes = data.transactions.items.copy()
    nodes[~sensitive[nodes]] = state.nodes
    return nodes
