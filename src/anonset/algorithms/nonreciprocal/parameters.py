"""The parameters of nonreciprocal recoding, declared once."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar, Literal

from anonset.algorithms.nonreciprocal.rings import Walk
from anonset.model.guarantees import Part
from anonset.model.parameters import Bounds, Seed, check_parameters

Rounds = Annotated[int, Bounds(0, 100), "rounds of local search that bring similar records together"]
RingKind = Annotated[Literal["one", "many"], "one ring over all records ([004]), or many small ones, which lose less"]
Graph = Annotated[
    Literal["rings", "greedy"],
    "which matches a record may have: in rings of different labels, or the paper's greedy ones, which break l as a rule",
]
WalkKind = Annotated[Walk, "how assignments are found: halving (fast), closed walks or backtracking ([004] 4.2)"]
UnaryBits = Annotated[int, Bounds(1, 64), "bits of a numeric column: more keep numbers closer together, fewer items"]


@dataclass(frozen=True, slots=True)
class UncertainParameters:
    """What every algorithm is asked for that publishes uncertain item sets."""

    _: KW_ONLY
    bits: UnaryBits = 4
    seed: Seed = None
    name: ClassVar[str]
    randomized: ClassVar[bool] = True
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi", "items"})
    comparator: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)


@dataclass(frozen=True, slots=True)
class Walked(UncertainParameters):
    """What an algorithm is asked for that splits rings into assignments."""

    _: KW_ONLY
    walk: WalkKind = "halving"
