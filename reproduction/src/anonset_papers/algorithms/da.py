"""Direct anonymization: Algorithm 3 of M. Terrovitis, N. Mamoulis, P. Kalnis, Privacy-preserving anonymization of set-valued
data (PVLDB 2008).

1. Find the itemsets of m published nodes in fewer than k records.
2. For each, move items up in the cheapest way that brings it to k records.
3. Do the same for smaller itemsets, which matter only in records of fewer than m nodes.
"""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Inversion
from anonset.algorithms.transactions.cut import Order, by_support, close, frame_of, leaf_cut, protect, whole_problem
from anonset.algorithms.transactions.refinement import RefinedCut
from anonset.model.dataset import Dataset
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class Da(RefinedCut):
    """Generalizes items until every set of at most m items occurs in k records, sets of m items first."""

    order: Order = "lazy"
    name: ClassVar[str] = "da"
    inversion: ClassVar[Inversion] = "none found"
    title: ClassVar[str] = "Direct anonymization"
    paper: ClassVar[str] = "[002] Algorithm 3"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Global recoding by one cut of the item hierarchy."""
        problem = whole_problem(data, self.k)
        cut = leaf_cut(problem)
        paper = self.order == "paper"
        order = by_support(problem) if paper else frame_of(data).order
        close(problem, cut, self.m, order, above=paper, progress=part_of(progress, 0.0, 0.5))  # steps 1 and 2
        protect(problem, cut, self.m - 1, order, above=paper, progress=part_of(progress, 0.5, 1.0))  # step 3
        return self.release(data, problem, cut, progress)
