"""UPCTA, Algorithm 2 of [003]: as PCTA inside the utility constraints; what cannot be merged there is suppressed."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.constraints.protection import of_any_item
from anonset.algorithms.constraints.run import UtilityBound, release_under
from anonset.model.dataset import Dataset
from anonset.model.progress import Progress, silent
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class Upcta(UtilityBound):
    """The cheapest merge of any item of the constraint comes first; suppression only where no merge is allowed."""

    name: ClassVar[str] = "upcta"
    title: ClassVar[str] = "Clustering under privacy and utility constraints (UPCTA)"
    paper: ClassVar[str] = "[003] Algorithm 2"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data with items generalized inside the utility constraints, or suppressed, until none is open."""
        return release_under(self, data, choose=of_any_item, utility=self.utility, progress=progress)
