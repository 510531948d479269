"""COAT, as [003] section 2.4 and [001] describe it: generalize or suppress the least supported item of a constraint."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.constraints.protection import of_rarest_item
from anonset.algorithms.constraints.run import UtilityBound, release_under
from anonset.model.dataset import Dataset
from anonset.model.progress import Progress, silent
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class Coat(UtilityBound):
    """Only the least supported item of the constraint is merged, or suppressed where its utility constraint is used up."""

    name: ClassVar[str] = "coat"
    title: ClassVar[str] = "Constraint-based anonymization of transactions (COAT)"
    paper: ClassVar[str] = "[003] section 2.4"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data with items generalized inside the utility constraints, or suppressed, until none is open."""
        return release_under(self, data, choose=of_rarest_item, utility=self.utility, progress=progress)
