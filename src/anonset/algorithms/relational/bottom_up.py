"""Full-subtree bottom-up generalization.

1. Every value starts as it is.
2. While too many records are in groups that are too small, all children of one node are replaced by it, everywhere: the node
   that brings groups nearest to k for the least loss.
3. What turns out not to have been needed is undone: nodes are specialized again while every group keeps enough records.
"""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.relational.constraint import Constraint
from anonset.algorithms.relational.subtrees import FullSubtree, generalize, specialize
from anonset.algorithms.relational.table import DistinctRecords, exact_recoding
from anonset.model.arrays import Ids
from anonset.model.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class BottomUp(FullSubtree):
    """From the values up, the most helpful node first; one cut through each hierarchy for all records."""

    name: ClassVar[str] = "bottom-up"
    title: ClassVar[str] = "Bottom-up generalization"
    paper: ClassVar[str] = "Wang, Yu, Chakraborty: Bottom-up generalization (ICDM 2004), with the loss in place of a class"

    def recode(self, table: DistinctRecords, constraint: Constraint, limit: int, progress: Progress = silent) -> Ids:
        """The node that replaces each leaf."""
        recoding = generalize(table, exact_recoding(table.trees), constraint, limit, progress)  # step 2
        return specialize(table, recoding, constraint, limit, progress)  # step 3
