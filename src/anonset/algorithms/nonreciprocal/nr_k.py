"""k-anonymity of item sets by nonreciprocal recoding: M. Xue, P. Karras, C. Raïssi, J. Vaidya, K.-L. Tan, Anonymizing
set-valued data by nonreciprocal recoding (KDD 2012).

1. Sort the records in a cyclic order in which neighbours are similar.
2. Let each original match the published records at its own place and the k - 1 places after it: the ring.
3. Split the ring into k disjoint assignments by random walks.
4. Choose one of them at random: it says whose columns each published record has.
5. Publish for each record the items of the majority of its k originals, where these differ, and in how many items at most.
"""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.nonreciprocal.base import RingKind, Rounds, Walked, walked_release
from anonset.algorithms.nonreciprocal.order import coded_records, gray_tsp_tour
from anonset.algorithms.nonreciprocal.rings import Rings, all_different, refuse_large, small_rings
from anonset.model import guarantees
from anonset.model.dataset import Dataset
from anonset.model.parameters import K
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class NrKWalks(Walked):
    """Ring recoding over the Gray-TSP order."""

    k: K
    rounds: Rounds = 3
    rings: RingKind = "one"
    name: ClassVar[str] = "nr-k"
    title: ClassVar[str] = "Nonreciprocal recoding"
    paper: ClassVar[str] = "[004] Anonymizing set-valued data by nonreciprocal recoding"
    guarantee: ClassVar[str] = "nr-k"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release in which every record has k equally likely matches."""
        refuse_large("k", self.k, len(data))
        records = coded_records(data, self.bits)
        tour = gray_tsp_tour(records, self.rounds, part_of(progress, 0, 1 / 3))
        if self.rings == "one":
            rings = Rings.of([tour.rows])
        else:
            own = all_different(len(data))
            rings = small_rings(records, tour.rows, own, self.k, self.rounds, part_of(progress, 1 / 3, 2 / 3))
        promise = guarantees.NrK(self.k)
        return walked_release(self, data, rings, self.k, promise, tour, part_of(progress, 2 / 3, 1))
