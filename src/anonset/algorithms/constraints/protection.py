"""The loop that all constraint-based algorithms share: the next open constraint, merges until it is satisfied, the next.

1. Take the open constraint p that comes first. 2. Merge the clusters that its algorithm chooses; where no merge of any item
of p is allowed, suppress its least supported cluster. 3. Repeat step 2 until p is satisfied. 4. Repeat until none is open.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.algorithms.constraints.queues import Itemset, Queue
from anonset.model.arrays import Ids
from anonset.model.progress import Progress

Choice = Callable[[ItemClusters, Ids], tuple[int, int] | None]
Pick = Literal["commonest", "rarest", "first"]
Refusal = Callable[[Itemset, int, int, int], Exception]


@dataclass(frozen=True, slots=True)
class Step:
    """One merge (cluster `item` went into another) or suppression (of all `items`), and the constraint that forced it."""

    items: tuple[int, ...]
    constraint: Itemset
    support: int


@dataclass(slots=True)
class History:
    """What was done, in order."""

    merges: list[Step] = field(default_factory=list)
    suppressions: list[Step] = field(default_factory=list)

    @property
    def n_suppressed(self) -> int:
        """The number of items suppressed so far."""
        return sum(len(step.items) for step in self.suppressions)


def of_any_item(clusters: ItemClusters, p: Ids) -> tuple[int, int] | None:
    """The cheapest merge of any item of p: the choice of pcta and upcta."""
    return clusters.cheapest_merge(p)


def of_picked_item(pick: Pick) -> Choice:
    """The cheapest merge of one item of p, the first in the order of `pick` that has any: the choice of coat."""

    def choose(clusters: ItemClusters, p: Ids) -> tuple[int, int] | None:
        merges = (clusters.cheapest_merge(np.array([item], np.int32)) for item in _picked(clusters, p, pick))
        return next((merge for merge in merges if merge is not None), None)

    return choose


def _picked(clusters: ItemClusters, p: Ids, pick: Pick) -> list[int]:
    """The clusters of p, that to be generalized first in front; ties: the smallest id."""
    if pick == "first":
        return sorted(p.tolist())
    sign = -1 if pick == "commonest" else 1
    return sorted(p.tolist(), key=lambda a: (sign * int(clusters.supports[a]), a))


def protect(
    clusters: ItemClusters,
    queue: Queue,
    k: int,
    *,
    choose: Choice,
    allowed: int,
    refuse: Refusal,
    progress: Progress,
    least: int = 1,
) -> History:
    """Merge and suppress until no constraint is open; raise what `refuse` makes where more than `allowed` items would go.

    A constraint is open with a support from `least` to k - 1.
    """
    history = History()
    n = max(1, len(clusters.members))
    while (found := queue.top()) is not None:  # step 1
        constraint, support = found
        p = clusters.translate(constraint)
        while least <= support < k:  # step 3
            pair = choose(clusters, p)
            if pair is not None:  # step 2
                low, high = pair
                queue.merging(low, high)
                clusters.merge(low, high)
                queue.merged(low)
                history.merges.append(Step((high,), constraint, support))
            else:
                cluster = clusters.least_supported(p)
                items = tuple(clusters.members[cluster])
                if history.n_suppressed + len(items) > allowed:
                    raise refuse(constraint, support, cluster, history.n_suppressed)
                clusters.suppress(cluster)
                queue.suppressed(cluster)
                history.suppressions.append(Step(items, constraint, support))
            p = clusters.translate(constraint)
            support = clusters.support(p, k)
        progress(1.0 - len(clusters.members) / n)
    return history
