"""PCTA, Algorithm 1 of [003]: merge the clusters of items that cost least until every privacy constraint is satisfied."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, silent
from anonset.algorithms.constraints.protection import of_any_item
from anonset.algorithms.constraints.run import PrivacyWish, Queueing, Refine, release_under
from anonset.model.dataset import Dataset
from anonset.model.parameters import K, M, check_parameters
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class Pcta:
    """Any item may be generalized with any other; nothing is suppressed."""

    k: K
    m: M = 2
    privacy: PrivacyWish = None
    queue: Queueing = "current"
    refine: Refine = False
    name: ClassVar[str] = "pcta"
    title: ClassVar[str] = "Clustering under privacy constraints (PCTA)"
    paper: ClassVar[str] = "[003] Algorithm 1"
    guarantee: ClassVar[str] = "km-anonymity, complete-k or constraints, as the privacy policy has it"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    randomized: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data with items generalized until no privacy constraint is open."""
        return release_under(self, data, choose=of_any_item, utility=None, progress=progress)
