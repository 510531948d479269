"""Top-down specialization.

1. Every column starts at the root of its hierarchy.
2. Of all nodes whose replacement by their children leaves enough records in every group, the one that lowers the loss most is
   replaced, everywhere; until there is none.
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
from anonset.algorithms.relational.subtrees import root_recoding, specialize, state
from anonset.algorithms.relational.table import Table, distinct_records, publish_recoding
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.parameters import K, check_parameters
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class TopDown:
    """From the roots down, the most useful node first; one cut through each hierarchy for all records."""

    k: K
    suppression: Suppression = 0.0
    weights: Weights = ""
    l: Diverse = 1  # noqa: E741 - the papers' letter
    diversity: DiversityKind = "distinct"
    c: Ratio = 1.0
    t: Closeness = 1.0
    sensitive: SensitiveColumn = ""
    name: ClassVar[str] = "top-down"
    title: ClassVar[str] = "Top-down specialization"
    paper: ClassVar[str] = "Fung, Wang, Yu: Top-down specialization (ICDE 2005), with the loss in place of a class"
    guarantee: ClassVar[str] = "k-anonymity, and l-diversity or t-closeness where asked for"
    needs: ClassVar[frozenset[str]] = frozenset({"quasi"})
    randomized: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release at the lowest cut that was reached."""
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
        return specialize(table, root_recoding(table), constraint, limit, progress)
