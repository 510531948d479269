"""UPCTA, Algorithm 2 of [003]: as PCTA inside the utility constraints; what cannot be merged there is suppressed."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.constraints.run import UtilityBound


@dataclass(frozen=True, slots=True)
class Upcta(UtilityBound):
    """The cheapest merge of any item of the constraint comes first; suppression only where no merge is allowed."""

    name: ClassVar[str] = "upcta"
    title: ClassVar[str] = "Clustering under privacy and utility constraints (UPCTA)"
    paper: ClassVar[str] = "[003] Algorithm 2"
