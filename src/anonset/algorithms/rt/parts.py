"""Clusters in parts that merge within themselves, where there are more than can be compared with each other.

An approximation: a cluster's best partner may lie in another part. The guarantee does not depend on it.
"""

from collections.abc import Callable, Sequence

import numpy as np

from anonset.algorithms.relational.cluster import median_parts
from anonset.algorithms.rt.merging import Merging
from anonset.algorithms.rt.proximity import Proximity
from anonset.kernels.groups import Quasi
from anonset.model.arrays import Rows

Near = Callable[[list[Rows]], Proximity]


class ClusterParts:
    """Makes states to merge the same clusters in, again and again, in parts of at most `most` clusters."""

    __slots__ = ("_clusters", "_first", "_most", "_names", "_near", "_quasi")

    def __init__(self, quasi: Quasi, near: Near | None, clusters: list[Rows], names: Rows, most: int) -> None:
        self._quasi, self._near, self._clusters, self._names, self._most = quasi, near, clusters, names, most
        self._first: list[Merging] | None = None

    def fresh(self, *, again: bool = False) -> list[Merging]:
        """The clusters, not merged yet; again: they will be asked for more than once, so what is costly is kept."""
        if again and self._first is None:
            self._first = self._cut()
        return self._cut() if self._first is None else [part.copy() for part in self._first]

    def joined(self, parts: Sequence[Merging]) -> Merging:
        """What is left of several parts, in one."""
        names = np.array([part.names[c] for part in parts for c in part.alive])
        clusters = [part.members[c] for part in parts for c in part.alive]
        order = np.argsort(names)
        rows = [clusters[c] for c in order]
        return self._state(rows, names[order])

    def _cut(self) -> list[Merging]:
        firsts = self._quasi._replace(values=self._quasi.values[[rows[0] for rows in self._clusters]])
        parts = sorted(median_parts(firsts, self._most), key=lambda part: int(part[0]))
        return [self._state([self._clusters[c] for c in part], self._names[part]) for part in parts]

    def _state(self, clusters: list[Rows], names: Rows) -> Merging:
        return Merging.of(self._quasi, clusters, names, None if self._near is None else self._near(clusters))
