"""Apriori anonymization ([002] Algorithm 4).

1. For i = 1 .. m: 2. find the itemsets of i published nodes in fewer than k records; 3. for each, move items up the hierarchy
in the cheapest way that brings it to k records. 4. Publish every item as the node it moved to.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import Inversion
from anonset.algorithms.transactions.cut import (
    NO_SECRETS,
    HierarchyFrame,
    Order,
    by_support,
    close,
    cut_problem,
    frame_of,
    leaf_cut,
    protect,
    whole_problem,
)
from anonset.algorithms.transactions.refinement import RefinedCut
from anonset.errors import InfeasibleError
from anonset.kernels.set_walk import SensitiveItems
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.progress import Progress, silent
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class Aa(RefinedCut):
    """Every set of at most m items is made to occur in k records, smaller sets first."""

    order: Order = "lazy"
    name: ClassVar[str] = "aa"
    counts_population: ClassVar[bool] = True
    inversion: ClassVar[Inversion] = "none found"
    title: ClassVar[str] = "Apriori anonymization"
    paper: ClassVar[str] = "[002] Algorithm 4"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Global recoding by one cut of the item hierarchy."""
        problem = whole_problem(data, self.k)
        cut = leaf_cut(problem)
        paper = self.order == "paper"
        order = by_support(problem) if paper else frame_of(data).order
        protect(problem, cut, self.m, order, above=paper, progress=progress)  # steps 1 to 3
        return self.release(data, problem, cut, progress)  # step 4


def cut_for(
    shape: HierarchyFrame,
    transactions: Transactions,
    rows: Rows,
    k: int,
    m: int,
    l: int = 1,  # noqa: E741 - the papers' letter
    hidden: SensitiveItems = NO_SECRETS,
) -> Ids | None:
    """Return the node that each item moves to so that the given rows alone are k^m-anonymous; None where nothing makes them so.

    Made for many small groups of rows: `shape = frame(hierarchy, sensitive)` is made once, `transactions` are the linkable
    ones of the whole dataset. With l > 1 and `hidden = secrets(data)` no sensitive item is in more than 1/l of the rows that
    hold any set of at most m nodes, the empty set too. May be called from several threads.
    """
    problem = cut_problem(shape, transactions, rows, k, l, hidden)
    cut = leaf_cut(problem)
    try:
        if l == 1:
            protect(problem, cut, m, shape.order)
            return cut.node
        limit = _safe_support(rows, k, l, hidden)
        while True:  # a union of closed itemsets may be open where l > 1, so smaller sizes are looked at again
            before = cut.node.copy()
            close(problem, cut, 1, shape.order)
            for size in range(2, m + 1):
                close(problem, cut, size, shape.order, limit=limit)
            if np.array_equal(before, cut.node):
                return cut.node
    except InfeasibleError:
        return None


def _safe_support(rows: Rows, k: int, l: int, hidden: SensitiveItems) -> int:  # noqa: E741
    """Return a support that closes an itemset whatever its records are; InfeasibleError where the rows as a whole are open."""
    held = [hidden.items[hidden.offsets[r] : hidden.offsets[r + 1]] for r in rows]
    most = int(np.bincount(np.concatenate([*held, NO_SECRETS.items]), minlength=1).max())
    if most * l > len(rows):
        raise InfeasibleError(f"a sensitive item is in more than 1/{l} of the records")
    return max(k, l * most)
