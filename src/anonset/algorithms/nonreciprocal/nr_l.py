"""l-diversity of item sets with a sensitive label by nonreciprocal recoding ([004] 4.4, changed where it breaks its promise).

1. Put the records in the Gray-TSP order, as `nr-k` does.
2. Walk greedily through all records and back to the first: the next one is the first left in that order whose label was not
   met on the last l - 1 steps.
3. Cut this closed walk, where neighbours differ most, into rings of l to 3l/2 records with different labels, and exchange
   members of neighbouring rings as long as that brings the members of rings closer and keeps their labels different.
4. Let each original match the published records at its own place of its ring and the l - 1 places after it.
5. Split this graph into l disjoint assignments by random walks. All stay inside the rings, so the l matches of an original
   carry l different labels, whichever is drawn.
6. Draw an assignment and publish by bit voting, as `nr-k` does.
"""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.nonreciprocal.coding import coded_records
from anonset.algorithms.nonreciprocal.diversity import refuse_ineligible, sensitive_labels, spread_rows
from anonset.algorithms.nonreciprocal.order import gray_tsp_tour
from anonset.algorithms.nonreciprocal.parameters import Rounds, Walked
from anonset.algorithms.nonreciprocal.publication import walked_release
from anonset.algorithms.nonreciprocal.small_rings import small_rings
from anonset.model import guarantees
from anonset.model.dataset import Dataset
from anonset.model.parameters import L
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class NrL(Walked):
    """Ring recoding in small rings of records whose labels all differ."""

    l: L  # noqa: E741 - the papers' letter
    rounds: Rounds = 3
    name: ClassVar[str] = "nr-l"
    title: ClassVar[str] = "Nonreciprocal recoding with diverse labels"
    paper: ClassVar[str] = "[004] Anonymizing set-valued data by nonreciprocal recoding, section 4.4"
    guarantee: ClassVar[str] = "nr-l"
    needs: ClassVar[frozenset[str]] = frozenset({"items", "sensitive-column"})

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release in which every record has l equally likely matches with l different labels."""
        labels = sensitive_labels(data)
        refuse_ineligible(labels, self.l)
        records = coded_records(data, self.bits)
        tour = gray_tsp_tour(records, self.rounds, part_of(progress, 0, 1 / 3))  # step 1
        rows = spread_rows(tour.rows, labels, self.l)  # step 2
        rings = small_rings(records, rows, labels, self.l, self.rounds, part_of(progress, 1 / 3, 2 / 3))  # step 3
        promise = guarantees.NrL(self.l, labels.column)
        return walked_release(self, data, rings, self.l, promise, tour, part_of(progress, 2 / 3, 1))
