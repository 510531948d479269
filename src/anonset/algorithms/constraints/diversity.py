"""Merges until no set of published items tells a sensitive one (l^m-diversity, [000] section 5).

1. List the sets of at most m clusters that tell: a sensitive item is in more than 1/l of the records that hold the set.
2. Take the one that most records hold (ties: fewer items, then smaller ids). While it tells, merge one of its clusters as the
   algorithm chooses.
3. Do the same for the next one that still tells, then list again: a union of two clusters may tell what neither did.

k^m-anonymity is preserved: the records that hold a set with a merged cluster include those of the set before.
"""

import numpy as np

from anonset.algorithms.constraints._kernels.diversity import list_telling_sets, tells
from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.algorithms.constraints.pcta import MergeChoice
from anonset.kernels.recode import collapse
from anonset.kernels.set_walk import SensitiveItems, SetLimits
from anonset.model.arrays import Ids
from anonset.model.sets import offsets_of, rows_of, sets_of

LISTED = 10_000  # sets listed at most before merges


def diversify(clusters: ItemClusters, secrets: SensitiveItems, limits: SetLimits, choose: MergeChoice) -> bool:
    """Merge clusters that are k^m-anonymous until no set of them tells; return whether that was possible.

    All records together must not tell. Where it was not possible, the clusters are those of the last merge.
    """
    held = PostedItems(clusters, secrets)
    while len(found := held.telling_sets(limits)):
        for items in found:
            constraint = items[items >= 0].tolist()
            while held.tells(p := clusters.translate(constraint), limits.l):
                pair = choose(clusters, p)
                if pair is None:
                    return False
                clusters.merge(*pair)
    return True


class PostedItems:
    """The records that hold each item, and their sensitive items."""

    def __init__(self, clusters: ItemClusters, secrets: SensitiveItems) -> None:
        t = clusters.transactions
        self._clusters, self._secrets = clusters, secrets
        order = np.argsort(t.items, kind="stable")
        self._starts = offsets_of(np.bincount(t.items, minlength=len(t.domain)))
        self._holders = rows_of(t.offsets)[order].astype(np.int32)
        self._seen = np.zeros(len(t), np.int64)

    def telling_sets(self, limits: SetLimits) -> Ids:
        """Sets of clusters that tell, in the order in which they are merged, a row each, padded with -1."""
        t = self._clusters.transactions
        offsets, shown = collapse(t.offsets, self._clusters.cluster_of[t.items])
        m = max(1, min(limits.m, int(np.diff(offsets).max(initial=1))))
        sets, supports = np.full((LISTED, m), -1, np.int32), np.zeros(LISTED, np.int64)
        n = list_telling_sets(offsets, shown, len(t.domain), self._secrets, limits._replace(m=m), sets, supports)
        sizes = (sets[:n] >= 0).sum(axis=1)
        return sets[:n][np.lexsort((*sets[:n].T[::-1], sizes, -supports[:n]))]

    def tells(self, clusters: Ids, l: int) -> bool:  # noqa: E741 - the papers' letter
        """Whether a sensitive item is in more than 1/l of the records that hold all the clusters."""
        members = [self._clusters.members[c] for c in clusters.tolist()]
        return bool(tells(self._starts, self._holders, *sets_of(members), self._secrets, l, self._seen))
