"""PCTA, Algorithm 1 of [003]: merge the clusters of items that cost least until every privacy constraint is satisfied."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from anonset.algorithms.constraints.run import ConstraintBased, Wishes

Absent = Annotated[
    Literal["satisfied", "merged"],
    "itemsets that no record holds: satisfied ([003] Definition 5), or merged until k records do (Algorithm 1 as printed)",
]


@dataclass(frozen=True, slots=True)
class Pcta(ConstraintBased):
    """Any item may be generalized with any other; nothing is suppressed."""

    absent: Absent = "satisfied"
    name: ClassVar[str] = "pcta"
    title: ClassVar[str] = "Clustering under privacy constraints (PCTA)"
    paper: ClassVar[str] = "[003] Algorithm 1"

    @property
    def wishes(self) -> Wishes:
        """Any merge is allowed."""
        return Wishes(absent_too=self.absent == "merged")
