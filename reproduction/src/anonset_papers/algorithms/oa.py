"""Optimal anonymization: Algorithm 2 of M. Terrovitis, N. Mamoulis, P. Kalnis, Privacy-preserving anonymization of set-valued
data (PVLDB 2008).

1. Start from the cut of all leaves.
2. Take the next cut, breadth first. If it is k^m-anonymous, keep it if it is the cheapest so far, and skip the cuts above it;
3. otherwise go on to the cuts directly above it.
"""

import math
from collections import deque
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from anonset.algorithms.base import Inversion
from anonset.algorithms.recoding import KmByHierarchy, km_release
from anonset.algorithms.transactions.cut import CutProblem, frame_of, open_itemset, shown, whole_problem
from anonset.errors import InfeasibleError
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.parameters import Bounds
from anonset.model.progress import Progress, silent
from anonset.model.release import Release

Nodes = frozenset[int]
Limit = Annotated[int, Bounds(1, 1_000_000_000), "cuts of the hierarchy beyond which the search is refused"]


@dataclass(frozen=True, slots=True)
class Oa(KmByHierarchy):
    """The cheapest cut by which every set of at most m items occurs in k records."""

    limit: Limit = 1_000_000
    name: ClassVar[str] = "oa"
    inversion: ClassVar[Inversion] = "none found"
    comparator: ClassVar[bool] = True
    title: ClassVar[str] = "Optimal anonymization"
    paper: ClassVar[str] = "[002] Algorithm 2"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Global recoding by the cut of the item hierarchy that costs least."""
        problem = whole_problem(data, self.k)
        lattice = lattice_of(problem)
        if lattice.cuts > self.limit:
            raise InfeasibleError(
                f"the item hierarchy has {_readable(lattice.cuts)} cuts, more than limit={self.limit}; raise it, or use aa"
            )
        best = _search(problem, lattice, self.m, frame_of(data).order, progress)
        nodes = np.arange(len(problem.starts) - 1, dtype=np.int32)
        for v in best:
            nodes[problem.low[v] : problem.high[v]] = v
        return km_release(self, data, nodes)


class Lattice(NamedTuple):
    """The hierarchy without nodes that no optimal cut needs: those of items that never occur, and those with the same occurring
    items as a node below them.
    """

    leaves: Nodes
    children: dict[int, list[int]]
    parent: dict[int, int]
    cost: dict[int, int]
    cuts: int


def lattice_of(problem: CutProblem) -> Lattice:
    """The lattice of the cuts that can be optimal."""
    n = problem.starts[problem.high] - problem.starts[problem.low]
    below: list[list[int]] = [[] for _ in problem.parent]
    cuts = [1] * len(problem.parent)
    for v in range(len(problem.parent)):
        if len(below[v]) == 1:
            (stands_for,) = below[v]  # v costs no less and shows no more
        else:
            stands_for = v
            cuts[v] = 1 + math.prod(cuts[u] for u in below[v]) if below[v] else 1
        if n[v] and problem.parent[v] >= 0:
            below[problem.parent[v]].append(stands_for)
    top = len(problem.parent) - 1
    while len(below[top]) == 1:
        (top,) = below[top]
    kept = [top] if n[top] else []
    for v in kept:
        kept += below[v]
    children = {v: below[v] for v in kept}
    parent = {u: v for v in kept for u in below[v]}
    cost = {v: int(n[v] * problem.weight[v]) for v in kept}
    return Lattice(frozenset(v for v in kept if not below[v]), children, parent, cost, cuts[top])


def _search(problem: CutProblem, lattice: Lattice, m: int, order: Rows, progress: Progress) -> Nodes:
    best, best_cost = lattice.leaves, math.inf
    queue, seen, dropped = deque([lattice.leaves]), {lattice.leaves}, set[Nodes]()
    witnesses: list[Nodes] = []  # open itemsets: every cut that shows one is out
    while queue:
        cut = queue.popleft()
        progress(1.0 - len(queue) / len(seen))
        cost = sum(lattice.cost[v] for v in cut)
        if cut in dropped or cost >= best_cost:  # all cuts above it cost at least as much
            continue
        above = list(_above(lattice, cut))
        if not any(witness <= cut for witness in witnesses):
            witness = _witness(problem, cut, m, order)
            if witness is None:
                best, best_cost = cut, cost
                dropped.update(above)
                continue
            witnesses.append(witness)
        for higher in above:
            if higher not in seen:
                seen.add(higher)
                queue.append(higher)
    return best


def _above(lattice: Lattice, cut: Nodes) -> list[Nodes]:
    """The cuts directly above: one node replaces all its children."""
    parents = {lattice.parent[v] for v in cut if v in lattice.parent}
    return [cut.difference(kids) | {v} for v in sorted(parents) if cut.issuperset(kids := lattice.children[v])]


def _witness(problem: CutProblem, cut: Nodes, m: int, order: Rows) -> Nodes | None:
    """An open itemset of the nodes that the cut publishes, or None."""
    nodes: Ids = np.arange(len(problem.starts) - 1, dtype=np.int32)
    for v in cut:
        nodes[problem.low[v] : problem.high[v]] = v
    found = open_itemset(shown(problem.entries, problem, nodes, order, np.ones(len(problem.parent), np.bool_)), problem.k, m)
    return None if found is None else frozenset(found.tolist())


def _readable(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"about 10^{math.floor(math.log10(number))}"
