"""Top-down specialization.

1. Every column starts at the root of its hierarchy.
2. Of all nodes whose replacement by their children leaves enough records in every group, the one that lowers the loss most is
   replaced, everywhere; until there is none.
"""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.relational.constraint import Constraint
from anonset.algorithms.relational.subtrees import FullSubtree, root_recoding, specialize
from anonset.algorithms.relational.table import DistinctRecords
from anonset.model.arrays import Ids
from anonset.model.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class TopDown(FullSubtree):
    """From the roots down, the most useful node first; one cut through each hierarchy for all records."""

    name: ClassVar[str] = "top-down"
    title: ClassVar[str] = "Top-down specialization"
    paper: ClassVar[str] = "Fung, Wang, Yu: Top-down specialization (ICDE 2005), with the loss in place of a class"

    def recode(self, table: DistinctRecords, constraint: Constraint, limit: int, progress: Progress = silent) -> Ids:
        """The node that replaces each leaf."""
        return specialize(table, root_recoding(table), constraint, limit, progress)
