"""The loop that all constraint-based algorithms share: the next open constraint, merges until it is satisfied, the next.

1. Take the open constraint p that comes first. 2. Merge the clusters that its algorithm chooses; where no merge is allowed,
suppress the least supported cluster of p. 3. Repeat step 2 until p is satisfied. 4. Repeat until no constraint is open.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from anonset.algorithms.constraints.clusters import Clusters
from anonset.algorithms.constraints.queues import Itemset, Queue
from anonset.model.arrays import Ids
from anonset.model.progress import Progress

Choice = Callable[[Clusters, Ids], tuple[int, int] | None]
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


def of_any_item(clusters: Clusters, p: Ids) -> tuple[int, int] | None:
    """The cheapest merge of any item of p: the choice of pcta and upcta."""
    return clusters.cheapest_merge(p)


def of_rarest_item(clusters: Clusters, p: Ids) -> tuple[int, int] | None:
    """The cheapest merge of the least supported item of p: the choice of coat."""
    return clusters.cheapest_merge(np.array([clusters.least_supported(p)], np.int32))


def protect(
    clusters: Clusters, queue: Queue, k: int, *, choose: Choice, allowed: int, refuse: Refusal, progress: Progress
) -> History:
    """Merge and suppress until no constraint is open; raise what `refuse` makes where more than `allowed` items would go."""
    history = History()
    n = max(1, len(clusters.members))
    while (found := queue.top()) is not None:  # step 1
        constraint, support = found
        p = clusters.translate(constraint)
        while 0 < support < k:  # step 3
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
