"""Improve a cut that is k^m-anonymous: take nodes down again, and try other ways to protect what they protected.

1. Descend: split nodes into their children, the greatest gain first, where no itemset opens. 2. Restart: descend from the cuts
that other orders give. 3. Move: take some nodes down although itemsets open, close these anew, by other nodes or in another
order, and descend; keep what is not worse.
"""

from dataclasses import KW_ONLY, dataclass
from heapq import heapify, heappop, heappush
from typing import Annotated

import numpy as np

from anonset.algorithms.recoding import KmByHierarchy, km_release
from anonset.algorithms.transactions._kernels.cuts import Cut, CutProblem
from anonset.algorithms.transactions._kernels.postings import node_supports, post_items, rows_under
from anonset.algorithms.transactions.cut import by_support, cut_at, frame_of, leaf_cut, open_itemset, protect, shown
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.parameters import Bounds, Seed
from anonset.model.progress import Progress, silent
from anonset.model.release import Release, Trace

FORBIDDEN = 1 << 40  # a weight above any sum of real ones
WORTH = 1.25  # times the best loss: above it descending is not tried

Refine = Annotated[bool, "take nodes down again where k^m-anonymity allows it, and try other ways to reach it"]
Steps = Annotated[int, Bounds(0, 1_000_000), "moves that refine tries"]


@dataclass(frozen=True, slots=True)
class RefinedCut(KmByHierarchy):
    """Parameters of an algorithm that finds one cut, which may be improved afterwards."""

    _: KW_ONLY
    refine: Refine = False
    steps: Steps = 100
    seed: Seed = 0

    def release(self, data: Dataset, problem: CutProblem, cut: Cut, progress: Progress, trace: Trace = ()) -> Release:
        """Publish every item as its node of the cut, or with `refine` as that of a cut that does not cost more."""
        if self.refine:
            refiner = Refiner(data.linkable, problem, self.m, frame_of(data).order, self.seed)
            cut = refiner.refine(cut, self.steps, progress)
        return km_release(self, data, cut.node, trace)


class Refiner:
    """The search for a better cut of one dataset."""

    __slots__ = ("_children", "_m", "_order", "_problem", "_rng", "_support", "_transactions", "_witness")

    def __init__(self, transactions: Transactions, problem: CutProblem, m: int, order: Rows, seed: int | None) -> None:
        self._transactions, self._problem, self._m, self._order = transactions, problem, m, order
        self._rng = np.random.default_rng(seed)
        self._support = node_supports(problem.entries, problem.parent)
        self._children: list[list[int]] = [[] for _ in problem.parent]
        for v in range(len(problem.parent) - 1):
            self._children[problem.parent[v]].append(v)
        self._witness: dict[int, Ids] = {}  # by node: an itemset that was open when it was split

    def refine(self, cut: Cut, steps: int, progress: Progress = silent) -> Cut:
        """Return a cut that is k^m-anonymous and does not cost more than the given one."""
        best = self._descended(cut)
        for s in range(steps):
            found = self._restart(s) if s < 3 else self._move(best)
            if found is not None and found.spent[-1] <= best.spent[-1]:
                best = found
            progress((s + 1) / steps)
            if best.spent[-1] == 0:
                break
        return best

    def _restart(self, s: int) -> Cut:
        """Step 2: protect from scratch in another order: by falling or rising support, or from left to right."""
        down = by_support(self._problem)
        order = (down, len(down) - 1 - down, self._problem.low.astype(np.int64) * len(down) + np.arange(len(down)))[s]
        cut = leaf_cut(self._problem)
        protect(self._problem, cut, self._m, order)
        return self._descended(cut)

    def _move(self, best: Cut) -> Cut | None:
        """Step 3: some costly nodes go down to their children or leaves, and what opens is closed anew."""
        problem, rng = self._problem, self._rng
        general = np.unique(best.node)
        general = general[best.spent[general] > 0]
        chance = best.spent[general] / best.spent[general].sum()
        alone = rng.random() < 0.5
        lowered = rng.choice(general, size=1 if alone else min(len(general), int(rng.integers(2, 6))), replace=False, p=chance)
        nodes, fresh = best.node.copy(), np.zeros(len(problem.parent), np.bool_)
        for v in lowered:
            below = self._children[v] if rng.random() < 0.7 else range(problem.low[v], problem.high[v])
            for u in below:
                nodes[problem.low[u] : problem.high[u]] = u
                fresh[u] = True
        weight = problem.weight
        if alone:  # other nodes must do what this one did
            weight = weight.copy()
            v = int(lowered[0])
            while v >= 0:
                weight[v], v = FORBIDDEN, int(problem.parent[v])
        order = self._order if alone else rng.permutation(len(problem.parent))
        cut = cut_at(problem, nodes)
        protect(problem._replace(weight=weight), cut, self._m, order, among=fresh)
        if cut.spent[-1] > WORTH * best.spent[-1]:
            return None
        return self._descended(cut)

    def _descended(self, cut: Cut) -> Cut:
        """Step 1. Splits only make itemsets rarer, so a node that cannot be split need not be tried again."""
        problem = self._problem
        found = cut_at(problem, cut.node)
        todo = [(-self._gain(found, v), int(v)) for v in np.unique(found.node) if self._children[v]]
        heapify(todo)
        while todo:
            gain, v = heappop(todo)
            if not self._splits(found, v):
                continue
            for u in self._children[v]:
                found.node[problem.low[u] : problem.high[u]] = u
                found.spent[u] = self._cost(u)
                if self._children[u]:
                    heappush(todo, (-self._gain(found, u), u))
            while v >= 0:
                found.spent[v] += gain
                v = int(problem.parent[v])
        return found

    def _splits(self, cut: Cut, v: int) -> bool:
        """Return whether no itemset opens when v is split: only records under v can hold one."""
        problem = self._problem
        if any(0 < self._support[u] < problem.k for u in self._children[v]):
            return False
        witness = self._witness.get(v)
        if witness is not None and all(cut.node[problem.low[u]] in (u, v) for u in witness):
            return False  # still shown when v is split, and still open
        rows = rows_under(problem.entries, problem.starts, problem.at, problem.low[v], problem.high[v])
        entries, _, _ = post_items(self._transactions.offsets, self._transactions.items, rows, len(cut.node))
        nodes, fresh = cut.node.copy(), np.zeros(len(problem.parent), np.bool_)
        for u in self._children[v]:
            nodes[problem.low[u] : problem.high[u]] = u
            fresh[u] = True
        found = open_itemset(shown(entries, problem, nodes, self._order, fresh), problem.k, self._m)
        if found is not None:
            self._witness[v] = found
        return found is None

    def _cost(self, v: int) -> int:
        problem = self._problem
        return int((problem.counts[problem.high[v]] - problem.counts[problem.low[v]]) * problem.weight[v])

    def _gain(self, cut: Cut, v: int) -> int:
        return int(cut.spent[v]) - sum(map(self._cost, self._children[v]))
