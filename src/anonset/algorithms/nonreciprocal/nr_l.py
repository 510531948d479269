"""l-diversity of item sets with a sensitive label by nonreciprocal recoding (Xue et al., KDD 2012, section 4.4, corrected).

1. Sort the records in the Gray-TSP order, as `nr-k` does.
2. Walk through all records and back to the first: the next record is the first remaining one in that order whose label is not
   among those of the last l - 1 steps.
3. Cut this closed walk, where neighbours differ most, into rings of l to 3l/2 records with different labels. Exchange members
   of neighbouring rings while that reduces distances within rings and keeps their labels different.
4. Let each original match the published records at its own place of its ring and the l - 1 places after it.
5. Split this graph into l disjoint assignments by random walks. All stay within the rings, so the l matches of an original have
   l different labels whichever assignment is chosen.
6. Choose an assignment at random and publish by bit voting, as `nr-k` does.

With graph = "greedy" steps 2 to 4 are those of the paper: the graph is the union of l assignments, each a greedy walk through
the complete graph. This is for comparison: its releases usually violate the guarantee and are then refused.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.nonreciprocal._kernels.walks import Posts, greedy_assignment
from anonset.algorithms.nonreciprocal.base import Graph, Rounds, Walked, drawn_release, walked_release
from anonset.algorithms.nonreciprocal.order import Tour, coded_records, gray_tsp_tour
from anonset.algorithms.nonreciprocal.rings import (
    Chance,
    RecordLabels,
    refuse_ineligible,
    sensitive_labels,
    small_rings,
    split_graph,
    spread_rows,
)
from anonset.errors import InfeasibleError
from anonset.model import guarantees
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.parameters import L
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class NrLWalks(Walked):
    """Ring recoding in small rings of records whose labels all differ."""

    l: L  # noqa: E741 - the papers' letter
    rounds: Rounds = 3
    graph: Graph = "rings"
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
        promise = guarantees.NrL(self.l, labels.column)
        if self.graph == "greedy":
            return self._greedy(data, records, labels, tour, promise, part_of(progress, 1 / 3, 1))
        rows = spread_rows(tour.rows, labels, self.l)  # step 2
        rings = small_rings(records, rows, labels, self.l, self.rounds, part_of(progress, 1 / 3, 2 / 3))  # step 3
        return walked_release(self, data, rings, self.l, promise, tour, part_of(progress, 2 / 3, 1))

    def _greedy(
        self,
        data: Dataset,
        records: Transactions,
        labels: RecordLabels,
        tour: Tour,
        promise: guarantees.NrL,
        progress: Progress,
    ) -> Release:
        chance = Chance(self.seed)
        posts = greedy_graph(records, tour.rows, labels, self.l, chance, part_of(progress, 0, 1 / 2))
        assignments, steps = split_graph(posts, tour.rows, self.walk, chance, part_of(progress, 1 / 2, 1))
        trace = ({"step": "order", "length": tour.lengths}, {"step": "assignments", "steps walked": steps})
        return drawn_release(self, data, assignments, chance, promise, trace, progress)


def greedy_graph(
    records: Transactions,
    rows: Rows,
    labels: RecordLabels,
    l: int,  # noqa: E741 - the papers' letter
    chance: Chance,
    progress: Progress,
) -> Posts:
    """For each original the places of the l published records it may be; the labels of these l originals all differ.

    The labels that the records have once an assignment is chosen may still repeat.
    """
    ordered, codes = records.take(rows), labels.codes[rows]
    n = len(rows)
    posts = np.empty((n, l), np.int32)
    for done in range(l):
        starts = chance.shuffled(np.arange(n, dtype=np.int64))
        assigned, steps = greedy_assignment(ordered.offsets, ordered.items, codes, posts, done, starts)
        if steps < 0:
            raise InfeasibleError(f"greedy walks found {done} of the {l} assignments that keep labels apart; use rings")
        posts[:, done] = assigned
        progress((done + 1) / l)
    return posts
