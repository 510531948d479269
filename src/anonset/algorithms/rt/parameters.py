"""The parameters of the RT algorithms, declared once."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from anonset.algorithms.constraints.pcta import Weighing
from anonset.algorithms.relational.encoding import Recoding, Weights
from anonset.algorithms.rt.cluster_merge import Rum
from anonset.errors import ParameterError
from anonset.model.guarantees import Part
from anonset.model.parameters import Bounds, K, L, M, Seed, check_parameters
from anonset.model.policy import UtilityPolicy

Bound = Annotated[float | None, Bounds(0.0, 1e18), "bound on rum (rmerge) or UL (tmerge); auto: the knee of the trade-off"]
RumBy = Annotated[Rum, "what delta bounds: NCP (at most 1), discernibility (sum of squared group sizes) or C_avg (times k)"]
Near = Annotated[Literal["btd", "ul"], "how alike items are: by bit-vector distance, or by the true loss of the union (slow)"]
ClusterBy = Annotated[str, "the relational algorithm that forms the initial clusters"]
ItemsBy = Annotated[str, "the transaction algorithm that generalizes the items of a cluster"]
Within = Annotated[UtilityPolicy | None, "which items may be generalized together, in every cluster; none: any"]
Tum = Annotated[Literal["ul-record", "ul-record-exact0"], "the loss of items: the paper's, or with exact items at no cost"]
Refine = Annotated[bool, "afterwards move records and lower items again while no loss rises"]
Compared = Annotated[int, Bounds(2, 100_000), "clusters compared with each other; more are split at medians first"]


@dataclass(frozen=True, slots=True)
class Grouped:
    """What every RT algorithm is asked for."""

    k: K
    m: M = 2
    l: L = 1  # noqa: E741 - the papers' letter
    items: ItemsBy = "aa"
    tum: Tum = "ul-record"
    recoding: Recoding = "nodes"
    weights: Weights = ""
    utility: Within = None
    item_weights: Weighing = "equal"
    name: ClassVar[str]
    guarantee: ClassVar[str] = "k-km, or k-lm where items are sensitive, and utility-constraints with a utility policy"
    needs: ClassVar[frozenset[str]] = frozenset({"items", "quasi", "item-hierarchy"})
    randomized: ClassVar[bool] = True
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi", "items"})
    comparator: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)


@dataclass(frozen=True, slots=True)
class Clustered(Grouped):
    """What an algorithm is asked for that starts from clusters by quasi values."""

    clusters: ClusterBy = "cluster"
    seed: Seed = None


@dataclass(frozen=True, slots=True)
class Merged(Clustered):
    """What an algorithm is asked for that merges clusters under a bound."""

    delta: Bound = None
    proximity: Near = "btd"
    refine: Refine = False
    compare: Compared = 4096

    def __post_init__(self) -> None:
        Clustered.__post_init__(self)
        if self.delta is not None and self.delta > 1 and getattr(self, "rum", "ncp") == "ncp":
            raise ParameterError(f"delta must be a number from 0 to 1; got {self.delta!r}")


@dataclass(frozen=True, slots=True)
class RumBound(Merged):
    """What an algorithm is asked for that bounds the loss of quasi values."""

    rum: RumBy = "ncp"
