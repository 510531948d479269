"""The parameters that RT algorithms share."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from anonset.algorithms.base import BaseAlgorithm
from anonset.algorithms.constraints.pcta import Weighing
from anonset.algorithms.relational.encoding import Recoding, Weights
from anonset.model.guarantees import Part
from anonset.model.parameters import K, L, M, Seed
from anonset.model.policy import UtilityPolicy

ClusterBy = Annotated[str, "the relational algorithm that forms the initial clusters"]
ItemsBy = Annotated[str, "the transaction algorithm that generalizes the items of a cluster"]
Within = Annotated[UtilityPolicy | None, "which items may be generalized together, in every cluster; none: any"]
Tum = Annotated[Literal["ul-record", "ul-record-exact0"], "the loss of items: the paper's, or with exact items at no cost"]


@dataclass(frozen=True, slots=True)
class RtAlgorithm(BaseAlgorithm):
    """The parameters of every RT algorithm."""

    k: K
    m: M = 2
    l: L = 1  # noqa: E741 - the papers' letter
    items: ItemsBy = "aa"
    tum: Tum = "ul-record"
    recoding: Recoding = "nodes"
    weights: Weights = ""
    utility: Within = None
    item_weights: Weighing = "equal"
    guarantee: ClassVar[str] = "k-km, or k-lm where items are sensitive, and utility-constraints with a utility policy"
    needs: ClassVar[frozenset[str]] = frozenset({"items", "quasi", "item-hierarchy"})
    randomized: ClassVar[bool] = True
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi", "items"})


@dataclass(frozen=True, slots=True)
class ClusterBasedRtAlgorithm(RtAlgorithm):
    """The parameters of an algorithm that starts from clusters by quasi values."""

    clusters: ClusterBy = "cluster"
    seed: Seed = None
