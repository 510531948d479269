"""Local recoding by levels, cheapest first.

1. Try choices of a level for every column by rising cost: exact values first, everything generalized last.
2. Under each choice, remaining records in groups that satisfy the constraint publish the labels that cover their group. All
   others go on to the next choice.
3. Partition the records that remain after the last choice with `mondrian`; weak groups join the group that costs least.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import order_independent
from anonset.algorithms.relational._kernels.fulldomain import group_rows
from anonset.algorithms.relational.base import Constraint, Relational, constraint_of_records, guarantees_of, strengthen
from anonset.algorithms.relational.distinct_records import DistinctRecords, distinct_records
from anonset.algorithms.relational.encoding import Recoding, encode
from anonset.algorithms.relational.incognito import level_maps
from anonset.algorithms.relational.mondrian import partition
from anonset.algorithms.relational.publication import publish_groups
from anonset.kernels.groups import Quasi
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.parameters import Bounds
from anonset.model.progress import Progress, silent
from anonset.model.release import Release

Choices = Annotated[int, Bounds(1, 100_000_000), "choices of levels that are tried before the rest is partitioned"]


@dataclass(frozen=True, slots=True)
class Peel(Relational):
    """Every record at the cheapest levels that give it company; local recoding."""

    choices: Choices = 100_000
    recoding: Recoding = "nodes"
    name: ClassVar[str] = "peel"
    title: ClassVar[str] = "Cheapest levels first"
    paper: ClassVar[str] = "our own"

    @order_independent
    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release with the groups of all choices of levels."""
        guarantees = guarantees_of(self, data)
        constraint = constraint_of_records(data, guarantees)
        progress(0.0)
        q = encode(data, self.recoding, self.weights)
        table = distinct_records(data, self.weights)
        groups = peel_groups(table, constraint, self.choices, progress)
        groups = strengthen(q, finish(q, groups, constraint), constraint)  # step 3
        progress(1.0)
        return publish_groups(self, data, groups, guarantees, recoding=self.recoding)


def peel_groups(table: DistinctRecords, constraint: Constraint, choices: int, progress: Progress = silent) -> Rows:
    """The group of each record, -1 if it is in no group that satisfies the constraint."""
    maps = [level_maps(tree.tree) for tree in table.trees]
    groups, formed = np.full(table.n, -1, np.int64), 0
    left = np.arange(table.n)
    codes, among = table.codes[table.row_of], constraint
    for tried, levels in enumerate(cheapest_first(table, maps)):
        if tried == choices or len(left) < constraint.k:
            break
        recoding = np.concatenate([maps[j][level] for j, level in enumerate(levels)])
        group, count = group_rows(codes, recoding, table.first)
        weak = among.weak_groups(group, count)[1]
        if weak.all():
            continue
        settled = ~weak[group]
        groups[left[settled]] = formed + group[settled]
        formed += count
        left, codes = left[~settled], codes[~settled]
        among = constraint.of(left)
        progress(1.0 - len(left) / table.n)
    return groups


def cheapest_first(table: DistinctRecords, maps: list[list[Ids]]) -> Iterator[tuple[int, ...]]:
    """All choices of levels by rising loss of all records."""
    costs = []
    for j, tree in enumerate(table.trees):
        here = np.bincount(table.codes[:, j], table.counts, tree.tree.n_leaves)
        costs.append([float(table.weight[j] * (tree.costs[nodes] @ here)) for nodes in maps[j]])
    start = (0,) * len(maps)
    waiting, seen = [(0.0, start)], {start}
    while waiting:
        loss, levels = heappop(waiting)
        yield levels
        for j, level in enumerate(levels):
            above = (*levels[:j], level + 1, *levels[j + 1 :])
            if level + 1 < len(costs[j]) and above not in seen:
                seen.add(above)
                heappush(waiting, (loss + costs[j][level + 1] - costs[j][level], above))


def finish(q: Quasi, groups: Rows, constraint: Constraint) -> Rows:
    """The groups, with the records without a group partitioned."""
    left = np.flatnonzero(groups < 0)
    if len(left) == 0:
        return groups
    part = Quasi(q.kind, q.weight, q.values[left], *q[3:])
    groups = groups.copy()
    groups[left] = int(groups.max()) + 1 + partition(part, constraint.of(left), relaxed=True)
    return groups
