"""Full-subtree bottom-up generalization.

1. Every value starts as it is.
2. While too many records are in groups that are too small, all children of one node are replaced by it, everywhere: the node
   that brings groups nearest to k for the least loss.
3. What turns out not to have been needed is undone: nodes are specialized again while every group keeps enough records.
"""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, silent
from anonset.algorithms.relational.constraint import Constraint
from anonset.algorithms.relational.encoding import Weights
from anonset.algorithms.relational.request import (
    Closeness,
    Diverse,
    DiversityKind,
    Ratio,
    SensitiveColumn,
    Suppression,
    constraint_of,
    guarantees_of,
    most_left_out,
)
from anonset.algorithms.relational.subtrees import generalize, specialize, state
from anonset.algorithms.relational.table import Table, distinct_records, exact_recoding, publish_recoding
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.parameters import K, check_parameters
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class BottomUp:
    """From the values up, the most helpful node first; one cut through each hierarchy for all records."""

    k: K
    suppression: Suppression = 0.0
    weights: Weights = ""
    l: Diverse = 1  # noqa: E741 - the papers' letter
    diversity: DiversityKind = "distinct"
    c: Ratio = 1.0
    t: Closeness = 1.0
    sensitive: SensitiveColumn = ""
    name: ClassVar[str] = "bottom-up"
    title: ClassVar[str] = "Bottom-up generalization"
    paper: ClassVar[str] = "Wang, Yu, Chakraborty: Bottom-up generalization (ICDM 2004), with the loss in place of a class"
    guarantee: ClassVar[str] = "k-anonymity, and l-diversity or t-closeness where asked for"
    needs: ClassVar[frozenset[str]] = frozenset({"quasi"})
    randomized: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release at the first cut that is high enough, lowered where that was not needed."""
        guarantees = guarantees_of(self, data)
        progress(0.0)
        table = distinct_records(data, self.weights)
        constraint = constraint_of(data, guarantees, table.row_of, table.counts)
        recoding = self.recode(table, constraint, most_left_out(self.suppression, data), progress)
        progress(1.0)
        weak = state(table, recoding, constraint).weak
        return publish_recoding(self, data, table, recoding, weak, guarantees)

    def recode(self, table: Table, constraint: Constraint, limit: int, progress: Progress = silent) -> Ids:
        """The node that replaces each leaf."""
        recoding = generalize(table, exact_recoding(table.trees), constraint, limit, progress)  # step 2
        return specialize(table, recoding, constraint, limit, progress)  # step 3
