"""COAT, as [003] section 2.4 and [001] describe it: generalize or suppress the least supported item of a constraint."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, silent
from anonset.algorithms.constraints.protection import of_rarest_item
from anonset.algorithms.constraints.run import PrivacyWish, Queueing, Refine, UtilityWish, release_under
from anonset.model.dataset import Dataset
from anonset.model.parameters import K, M, check_parameters
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class Coat:
    """Only the least supported item of the constraint is merged, or suppressed where its utility constraint is used up."""

    k: K
    m: M = 2
    privacy: PrivacyWish = None
    utility: UtilityWish = None
    queue: Queueing = "current"
    refine: Refine = False
    name: ClassVar[str] = "coat"
    title: ClassVar[str] = "Constraint-based anonymization of transactions (COAT)"
    paper: ClassVar[str] = "[003] section 2.4"
    guarantee: ClassVar[str] = "km-anonymity, complete-k or constraints, and utility-constraints, as the policies have it"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    randomized: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data with items generalized inside the utility constraints, or suppressed, until none is open."""
        return release_under(self, data, choose=of_rarest_item, utility=self.utility, progress=progress)
