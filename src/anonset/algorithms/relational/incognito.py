"""The best full-domain generalization: every column at one level of its hierarchy, chosen over the whole lattice of levels.

1. Generalizing only joins groups. So a choice of levels that leaves too many records in groups smaller than k rules out every
   choice below it, as a subset of the attributes does in Incognito.
2. The loss of a choice is at least that of its levels without suppression. Choices are tried by rising bound, by binary search
   along a path up the lattice, until no bound is below the best loss so far.
3. Records in groups that are still too small are left out, within the limit of `suppression`; each of them loses 1.
"""

from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import Inversion, order_independent
from anonset.algorithms.relational.base import Constraint, Relational, Suppression, constraint_of, guarantees_of, most_left_out
from anonset.algorithms.relational.distinct_records import DistinctRecords, distinct_records, publish_recoding
from anonset.errors import InfeasibleError
from anonset.model.arrays import Ids, Mask, Reals
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.progress import Progress, silent
from anonset.model.release import Release

LARGEST = 2_000_000  # choices of levels; more take hours and gigabytes
EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class Incognito(Relational):
    """Every column at one level of its hierarchy: the choice of levels with the lowest loss."""

    suppression: Suppression = 0.0
    name: ClassVar[str] = "incognito"
    inversion: ClassVar[Inversion] = "none found"
    title: ClassVar[str] = "Best full-domain levels"
    paper: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Incognito (SIGMOD 2005)"

    @order_independent
    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The release at the levels with the lowest loss."""
        guarantees = guarantees_of(self, data)
        progress(0.0)
        table = distinct_records(data, self.weights)
        constraint = constraint_of(data, guarantees, table.row_of, table.counts)
        search = LatticeSearch(table, constraint, most_left_out(self.suppression, data))
        best = search.run(progress)
        if best is None:
            raise InfeasibleError(
                f"even with every value generalized, more than {self.suppression:.1%} of the records must be left out"
            )
        recoding = search.recoding(best)
        suppressed = constraint.judge(*table.groups(recoding))[1]
        progress(1.0)
        levels = {tree.column.name: int(level) for tree, level in zip(table.trees, best, strict=True)}
        return publish_recoding(self, data, table, recoding, suppressed, guarantees, ({"levels": levels},))


def level_maps(tree: Hierarchy) -> list[Ids]:
    """For each level, from the leaves up, the node that replaces each leaf: its lowest ancestor at most that deep."""
    maps = [np.arange(tree.n_leaves, dtype=np.int32)]
    for depth in range(tree.height - 1, -1, -1):
        below = maps[-1]
        maps.append(np.where(tree.depth[below] > depth, tree.parent[below], below).astype(np.int32))
    return maps


class LatticeSearch:
    """The search of the lattice of levels for the choice with the lowest loss."""

    def __init__(self, table: DistinctRecords, constraint: Constraint, limit: int) -> None:
        self.table, self.constraint, self.limit = table, constraint, limit
        self.maps = [level_maps(tree.tree) for tree in table.trees]
        heights = [len(maps) for maps in self.maps]
        if prod(heights) > LARGEST:
            raise InfeasibleError(
                f"{prod(heights):,} choices of levels are more than the {LARGEST:,} that can be searched; "
                "use fewer quasi columns or levels, or another algorithm"
            )
        self.choices = np.indices(heights, np.int8).reshape(len(heights), -1).T.copy()
        self.bound = self._bounds()
        self.open = np.ones(len(self.choices), np.bool_)  # neither tried nor ruled out
        self.best: int | None = None
        self.loss = np.inf

    def run(self, progress: Progress) -> Ids | None:
        """The levels with the lowest loss, or None if no choice is allowed."""
        for start in np.argsort(self.bound, kind="stable"):
            if self.bound[start] >= self.loss - EPSILON:
                break
            while self.open[start]:
                self._climb(int(start))
                progress(1.0 - np.count_nonzero(self.open & (self.bound < self.loss)) / len(self.open))
        return None if self.best is None else self.choices[self.best].astype(np.int32)

    def recoding(self, levels: Ids) -> Ids:
        """The recoding of every attribute at its level."""
        return np.concatenate([maps[level] for maps, level in zip(self.maps, levels, strict=True)])

    def _climb(self, start: int) -> None:
        """Try choices along a path up from `start`, by binary search for the first that is allowed."""
        path = self._path(start)
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if self._try(path[middle]):
                high = middle - 1
            else:
                low = middle + 1

    def _path(self, start: int) -> list[int]:
        """Open choices that could still be the best, each one level above the one before."""
        path = [start]
        while True:
            above = [x for x in self._above(path[-1]) if self.open[x] and self.bound[x] < self.loss - EPSILON]
            if not above:
                return path
            path.append(min(above, key=lambda x: self.bound[x]))

    def _above(self, x: int) -> list[int]:
        heights = [len(maps) for maps in self.maps]
        steps = np.cumprod([1, *heights[:0:-1]])[::-1]
        return [
            x + int(step) for step, level, height in zip(steps, self.choices[x], heights, strict=True) if level + 1 < height
        ]

    def _try(self, x: int) -> bool:
        """Whether the choice leaves few enough records in weak groups. Rule out what this decides.

        Joined groups have more records, and better sensitive values than the worse of them; but where weak groups may be left
        out, joining a strong one with a weak one can make it weak, so then only the number of records rules anything out.
        """
        recoding = self.recoding(self.choices[x])
        sizes, weak = self.constraint.judge(*self.table.groups(recoding))
        self.open[x] = False
        if self.table.counts @ (weak if self.limit == 0 else sizes < self.constraint.k) > self.limit:
            self.open &= ~self._below(x)
        if self.table.counts @ weak > self.limit:
            return False
        lost = np.where(weak, 1.0, self.table.losses(recoding))
        loss = float(lost @ self.table.counts) / max(1, self.table.n)
        if loss < self.loss - EPSILON:
            self.best, self.loss = x, loss
        return True

    def _below(self, x: int) -> Mask:
        below: Mask = (self.choices <= self.choices[x]).all(axis=1)
        return below

    def _bounds(self) -> Reals:
        """The loss of each choice with nothing suppressed."""
        bound = np.zeros(len(self.choices))
        for j, (tree, maps) in enumerate(zip(self.table.trees, self.maps, strict=True)):
            here = np.bincount(self.table.codes[:, j], self.table.counts, tree.tree.n_leaves)
            means = np.array([tree.costs[nodes] @ here for nodes in maps]) / max(1, self.table.n)
            bound += self.table.weight[j] * means[self.choices[:, j]]
        return bound
