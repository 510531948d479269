"""Correlation-aware grouping over the Gray order (CAHD), published as uncertain item sets: the baseline in section 5.1 of Xue,
Karras, Raïssi, Vaidya, Tan, Anonymizing set-valued data by nonreciprocal recoding (KDD 2012).

1. Sort the records in Gray order.
2. Along it, group each record with the l - 1 most similar of its 3l nearest candidates, all labels different, while the
   remaining records can be kept l-diverse. The records that remain at the end form one group.
3. Let every record of a group match every published one of it; choose the assignment at random.
4. Publish by bit voting over the whole group.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.nonreciprocal.base import Preimages, UncertainParameters, release_of
from anonset.algorithms.nonreciprocal.order import coded_records, gray_tour
from anonset.algorithms.nonreciprocal.rings import (
    Chance,
    Rings,
    refuse_ineligible,
    rotated_assignments,
    sensitive_labels,
    spread_rows,
)
from anonset.model import guarantees
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.parameters import Bounds, L
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset_papers.algorithms._kernels.cahd import groups_around

Candidates = Annotated[int, Bounds(1, 1_000), "candidates looked at for each member of a group"]


@dataclass(frozen=True, slots=True)
class Cahd(UncertainParameters):
    """Reciprocal groups of records with different labels."""

    l: L  # noqa: E741 - the papers' letter
    candidates: Candidates = 3
    name: ClassVar[str] = "cahd"
    comparator: ClassVar[bool] = True
    title: ClassVar[str] = "Groups with diverse labels (CAHD)"
    paper: ClassVar[str] = "[004] section 5.1, the baseline; after Ghinita, Kalnis, Tao (TKDE 2011)"
    guarantee: ClassVar[str] = "nr-l"
    needs: ClassVar[frozenset[str]] = frozenset({"items", "sensitive-column"})

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release in which every record hides in a group of at least l records, no label in more than 1/l of it."""
        labels = sensitive_labels(data)
        refuse_ineligible(labels, self.l)
        progress(0.0)
        records = coded_records(data, self.bits)
        tour = gray_tour(records)  # step 1
        group, count = groups_around(
            records.offsets, records.items, tour.rows, labels.codes, labels.n_labels, self.l, self.candidates * self.l
        )
        progress(0.5)
        chance = Chance(self.seed)
        members = _members(group[tour.rows], count, tour.rows)
        rings = [chance.shuffled(rows) for rows in members[:count]]
        if len(members) > count:  # the last group may hold a label twice
            rings.append(spread_rows(members[count], labels, self.l))
        assignments = rotated_assignments(Rings.of(rings), self.l, chance)
        behind = Preimages(group, Rings.of(members).starts, np.concatenate(members).astype(np.int32))
        trace = (
            {"step": "order", "length": tour.lengths},
            {"step": "groups", "number": len(members), "left at the end": len(data) - count * self.l},
        )
        promise = guarantees.NrL(self.l, labels.column)
        release = release_of(self, data, assignments, chance.below(self.l), behind, promise, trace)
        progress(1.0)
        return release


def _members(group: Rows, count: int, rows: Rows) -> list[Rows]:
    """The rows of each group in the given order; the last group has the records without one, if there are any."""
    by_group = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[by_group], np.arange(count + 2))
    found = [rows[by_group[bounds[g] : bounds[g + 1]]] for g in range(count + 1)]
    return found if len(found[count]) else found[:count]
