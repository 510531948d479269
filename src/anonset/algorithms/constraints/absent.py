"""Constraints that no record holds: Algorithm 1 of [003], as printed, merges their items too, until k records hold them."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.algorithms.constraints.itemsets import CodedItemsets
from anonset.algorithms.constraints.policies import Protected
from anonset.algorithms.constraints.queues import Itemset, Open, Queue
from anonset.model.policy import AllItemsets


class AbsentToo:
    """The constraints of another queue first, then those with support 0, in order; items that no record holds stay out."""

    def __init__(self, others: Queue, clusters: ItemClusters, protected: Protected) -> None:
        self._others, self._clusters, self._protected = others, clusters, protected
        self._listed = _occurring(protected, clusters) if isinstance(protected, CodedItemsets) else []
        self._held = 0  # so many of the listed ones, from the start, are held: merging leaves them so

    def top(self) -> Open | None:
        """The open constraint that comes first, or one that no record holds."""
        found = self._others.top()
        if found is not None:
            return found
        absent = self._absent()
        return None if absent is None else Open(absent, 0)

    def _absent(self) -> Itemset | None:
        """The first constraint that no record holds."""
        if isinstance(self._protected, AllItemsets):
            return next(absent_sets(self._clusters, self._protected.m), None)
        while self._held < len(self._listed) and self._is_held(self._listed[self._held]):
            self._held += 1
        return self._listed[self._held] if self._held < len(self._listed) else None

    def _is_held(self, itemset: Itemset) -> bool:
        return self._clusters.support(self._clusters.translate(itemset), 1) > 0

    def merging(self, low: int, high: int) -> None:
        """Tell the other queue."""
        self._others.merging(low, high)

    def merged(self, cluster: int) -> None:
        """Tell the other queue."""
        self._others.merged(cluster)

    def suppressed(self, cluster: int) -> None:
        """Tell the other queue."""
        self._others.suppressed(cluster)

    def lets_out(self, item: int, cluster: int, rest: int) -> bool:
        """Whether the other queue lets it out, and no constraint is without records then."""
        if not self._others.lets_out(item, cluster, rest):
            return False
        self._held = 0
        return self._absent() is None


def absent_sets(clusters: ItemClusters, m: int) -> Iterator[Itemset]:
    """The sets of 2 .. m clusters that no record holds, small ones first, then by ids."""
    live = np.flatnonzero(clusters.supports > 0)
    for p, a in enumerate(live.tolist()):
        others = live[p + 1 :]
        for b in others[clusters.pair_counts(a)[others] == 0].tolist():
            yield (a, b)
    for size in range(3, m + 1):
        for chosen in combinations(live.tolist(), size):
            if clusters.support(np.array(chosen, np.int32), 1) == 0:
                yield chosen


def _occurring(listed: CodedItemsets, clusters: ItemClusters) -> list[Itemset]:
    """The listed itemsets all of whose items occur."""
    found = (listed[q] for q in range(len(listed)))
    return [itemset for itemset in found if clusters.present[list(itemset)].all()]
