"""k-anonymity of item sets by nonreciprocal recoding ([004]).

1. Put the records in a cyclic order in which neighbours are similar.
2. Let each original match the published records at its own place and the k - 1 places after it: the ring.
3. Split the ring into k disjoint assignments by random walks.
4. Draw one of them: it says whose columns each published record carries.
5. Publish the majority of the k originals behind each record, where they differ, and by how much at most.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.algorithms.base import Progress, silent
from anonset.algorithms.nonreciprocal.coding import coded_records
from anonset.algorithms.nonreciprocal.order import Tour, gray_tour, gray_tsp_tour
from anonset.algorithms.nonreciprocal.publication import preimages, release_of
from anonset.algorithms.nonreciprocal.rings import Chance, Rings, Walk, walked_assignments
from anonset.errors import InfeasibleError
from anonset.model import guarantees
from anonset.model.dataset import Dataset
from anonset.model.parameters import Bounds, K, Seed, check_parameters
from anonset.model.release import Release

Rounds = Annotated[int, Bounds(0, 100), "rounds of local search that shorten the Gray order"]
WalkKind = Annotated[Walk, "how assignments are found: short walks (fast), closed walks or backtracking ([004] 4.2)"]


@dataclass(frozen=True, slots=True)
class NrK:
    """Ring recoding over the Gray-TSP order."""

    k: K
    rounds: Rounds = 3
    walk: WalkKind = "short"
    seed: Seed = None
    name: ClassVar[str] = "nr-k"
    title: ClassVar[str] = "Nonreciprocal recoding"
    paper: ClassVar[str] = "[004] Anonymizing set-valued data by nonreciprocal recoding"
    guarantee: ClassVar[str] = "nr-k"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    randomized: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_parameters(self)

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release in which every record has k equally likely matches."""
        refuse_large(self.k, data)
        tour = gray_tsp_tour(coded_records(data), self.rounds, lambda share: progress(share / 2))
        return ring_release(self, self.k, self.walk, self.seed, data, tour, lambda share: progress(0.5 + share / 2))


@dataclass(frozen=True, slots=True)
class GrayRing:
    """Ring recoding over the Gray order alone: what `nr-k` is without local search."""

    k: K
    walk: WalkKind = "short"
    seed: Seed = None
    name: ClassVar[str] = "gray-ring"
    title: ClassVar[str] = "Nonreciprocal recoding, Gray order only"
    paper: ClassVar[str] = "[004] section 5.1, the ablation"
    guarantee: ClassVar[str] = "nr-k"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    randomized: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_parameters(self)

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release in which every record has k equally likely matches."""
        refuse_large(self.k, data)
        return ring_release(self, self.k, self.walk, self.seed, data, gray_tour(coded_records(data)), progress)


def refuse_large(k: int, data: Dataset) -> None:
    """Raise where more matches are asked for than there are records."""
    if k > len(data):
        raise InfeasibleError(f"k={k} exceeds the {len(data)} records of the dataset")


def ring_release(
    algorithm: object, k: int, walk: Walk, seed: int | None, data: Dataset, tour: Tour, progress: Progress
) -> Release:
    """Steps 2 to 5 over a given order."""
    chance = Chance(seed)
    assignments, steps = walked_assignments(Rings.of([tour.rows]), k, walk, chance, progress)
    trace = ({"step": "order", "length": tour.lengths}, {"step": "assignments", "steps walked": steps})
    release = release_of(algorithm, data, assignments, chance.below(k), preimages(assignments), guarantees.NrK(k), trace)
    progress(1.0)
    return release
