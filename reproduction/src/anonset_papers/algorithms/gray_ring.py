"""Nonreciprocal recoding over the Gray order alone: the ablation in section 5.1 of Xue, Karras, Raïssi, Vaidya, Tan,
Anonymizing set-valued data by nonreciprocal recoding (KDD 2012).

1. Put the records in Gray order; there is no local search. All other steps are those of `nr-k`.
"""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.nonreciprocal.base import Walked, walked_release
from anonset.algorithms.nonreciprocal.order import coded_records, gray_tour
from anonset.algorithms.nonreciprocal.rings import Rings, refuse_large
from anonset.model import guarantees
from anonset.model.dataset import Dataset
from anonset.model.parameters import K
from anonset.model.progress import Progress, silent
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class GrayRing(Walked):
    """Ring recoding over the Gray order alone: what `nr-k` is without local search."""

    k: K
    name: ClassVar[str] = "gray-ring"
    comparator: ClassVar[bool] = True
    title: ClassVar[str] = "Nonreciprocal recoding, Gray order only"
    paper: ClassVar[str] = "[004] section 5.1, the ablation"
    guarantee: ClassVar[str] = "nr-k"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release in which every record has k equally likely matches."""
        refuse_large("k", self.k, len(data))
        tour = gray_tour(coded_records(data, self.bits))
        return walked_release(self, data, Rings.of([tour.rows]), self.k, guarantees.NrK(self.k), tour, progress)
