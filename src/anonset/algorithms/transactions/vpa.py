"""Vertical partitioning anonymization ([003] section 2.4).

1. Split the domain into parts along the hierarchy. 2. Protect the items of each part alone, as `aa` does. 3. Join the cuts of
the parts, and protect the whole records from there.
"""

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Inversion
from anonset.algorithms.transactions._kernels.cuts import Cut, CutProblem
from anonset.algorithms.transactions.cut import (
    HierarchyFrame,
    cut_at,
    cut_problem,
    frame_of,
    leaf_cut,
    protect,
    require_holders,
)
from anonset.algorithms.transactions.refinement import RefinedCut
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.parameters import Bounds
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Release
from anonset.model.sets import offsets_of

Parts = Annotated[int, Bounds(1, 100_000), "parts of the domain, at least, where the hierarchy has that many"]


@dataclass(frozen=True, slots=True)
class Vpa(RefinedCut):
    """Every set of at most m items is made to occur in k records, sets inside one part of the domain first."""

    parts: Parts = 8
    name: ClassVar[str] = "vpa"
    inversion: ClassVar[Inversion] = "none found"
    title: ClassVar[str] = "Vertical partitioning anonymization"
    paper: ClassVar[str] = "[003] section 2.4"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Global recoding by one cut of the item hierarchy; the trace says what the parts were."""
        require_holders(data, self.k)
        problem, cut, parts = vertical_cut(self, frame_of(data), data.linkable, data.linkable.supports, progress)
        assert data.item_hierarchy is not None
        trace = {"parts": len(parts), "nodes": [data.item_hierarchy.labels[v] for v in parts]}
        return self.release(data, problem, cut, progress, (trace,))


def vertical_cut(
    options: Vpa, shape: HierarchyFrame, transactions: Transactions, supports: Rows, progress: Progress = silent
) -> tuple[CutProblem, Cut, list[int]]:
    """Return the problem, the cut that solves it, and the parts; `supports` are those of the items in all data."""
    parts = domain_parts(shape, supports, options.parts)  # step 1
    nodes = np.arange(len(transactions.domain), dtype=np.int32)
    for p, v in enumerate(parts):
        low, high = shape.low[v], shape.high[v]
        nodes[low:high] = _cut_of_part(shape, transactions, supports, v, options.k, options.m)[low:high]  # step 2
        progress(0.5 * (p + 1) / len(parts))
    problem = cut_problem(shape, transactions, np.arange(len(transactions), dtype=np.int64), options.k, supports=supports)
    cut = cut_at(problem, nodes)
    protect(problem, cut, options.m, shape.order, progress=part_of(progress, 0.5, 1.0))  # step 3
    return problem, cut, parts


def domain_parts(shape: HierarchyFrame, supports: Rows, least: int) -> list[int]:
    """Return nodes that cover the domain: split the one of most occurrences, at first the root, while there are too few."""
    total = offsets_of(supports)
    children: list[list[int]] = [[] for _ in shape.parent]
    for v in range(len(shape.parent) - 1):
        children[shape.parent[v]].append(v)
    root = len(shape.parent) - 1
    parts: list[int] = []
    heap = [(-int(total[-1]), root)]
    while heap and len(parts) + len(heap) < least:
        _, v = heappop(heap)
        if not children[v]:
            parts.append(v)
        for u in children[v]:
            heappush(heap, (-int(total[shape.high[u]] - total[shape.low[u]]), u))
    return sorted(parts + [v for _, v in heap])


def _cut_of_part(shape: HierarchyFrame, transactions: Transactions, supports: Rows, v: int, k: int, m: int) -> Ids:
    """Return the cut that protects the items under v alone, without going above v; the leaves where even v does not."""
    outside = np.ones(len(transactions.domain), np.bool_)
    outside[shape.low[v] : shape.high[v]] = False
    inside = transactions.without(outside)
    parent = shape.parent.copy()
    parent[v] = -1
    problem = cut_problem(shape._replace(parent=parent), inside, np.flatnonzero(inside.lengths), k, supports=supports)
    cut = leaf_cut(problem)
    if len(problem.at) and (inside.lengths > 0).sum() >= k:
        protect(problem, cut, m, shape.order)
    return cut.node
