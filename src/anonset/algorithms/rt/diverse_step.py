"""The item steps `pcta`, `upcta` and `coat` where l > 1: merging goes on until sensitive items are hidden, too.

Where not even one label for all items hides them, finer labels may: two labels can hide what their union tells. Unless a
utility policy limits what may be generalized together, such clusters are handed over to `lift`, then to `aa` if there is a
hierarchy.
"""

from collections.abc import Iterator
from functools import cached_property
from threading import Lock

import numpy as np

from anonset.algorithms.constraints.diversity import diversify
from anonset.algorithms.constraints.kernels.shares import DiversityLimits, SensitiveSets
from anonset.algorithms.constraints.pcta import ConstraintBased, grouped_release, settle
from anonset.algorithms.recoding import group_text
from anonset.algorithms.rt.aa_step import AaStep
from anonset.algorithms.rt.any_step import AnyStep
from anonset.algorithms.rt.items import ItemStep
from anonset.algorithms.rt.lift_step import LiftStep
from anonset.algorithms.transactions.cut import secrets
from anonset.errors import InfeasibleError
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.progress import silent
from anonset.model.sets import places_in
from anonset.model.transactions import item_order


class DiverseStep:
    """A constraint-based algorithm on the rows of clusters, in its l^m-diverse form."""

    def __init__(self, data: Dataset, algorithm: ConstraintBased, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        self._data, self._algorithm, self._limits = data, algorithm, DiversityLimits(algorithm.k, m, l)
        self._checked = AnyStep(data, algorithm, algorithm.k, m, l)
        self.book = self._checked.book
        self._lock = Lock()

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """The labels each record shows, or None where no step protects these records on their own."""
        data = self._data.take(rows)
        hidden = SensitiveSets(*secrets(data))
        most = int(np.bincount(hidden.items, minlength=1).max())
        if len(rows) < self._limits.k or most * self._limits.l > len(rows):
            return None
        choose, utility, _ = self._algorithm.wishes
        try:
            clusters, _ = settle(self._algorithm, data, silent)
        except InfeasibleError:
            return None
        if diversify(clusters, hidden, self._limits, choose):
            return self._checked.shown(grouped_release(self._algorithm, data, clusters.cluster_of), rows)
        return self._handed_over(rows) if utility is None else None

    def _handed_over(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """What another step finds, as labels of this one's book."""
        for step, place in self._others:
            if (found := step.protect(rows)) is not None:
                return self._translated(step, place, *found)
        return None

    @property
    def _others(self) -> list[tuple[ItemStep, Ids]]:
        with self._lock:  # several threads may come here first
            return self._made

    @cached_property
    def _made(self) -> list[tuple[ItemStep, Ids]]:
        """The steps that are tried, and for each item of theirs which one of ours it is: a tree that is built orders them."""
        return [(step, self._places(step)) for step in self._steps()]

    def _steps(self) -> Iterator[LiftStep | AaStep]:
        yield LiftStep(self._data, *self._limits)
        if self._data.item_hierarchy is not None:
            yield AaStep(self._data, *self._limits)

    def _places(self, step: LiftStep | AaStep) -> Ids:
        assert self._data.transactions is not None
        return places_in(self._data.transactions.domain, step.book.domain)

    def _translated(self, step: ItemStep, place: Ids, offsets: Offsets, shown: Ids) -> tuple[Offsets, Ids]:
        """The labels by their items: one text for a set of items, whichever step found it."""
        assert self._data.transactions is not None
        domain, (bounds, members) = self._data.transactions.domain, step.book.members
        used, dense = np.unique(shown, return_inverse=True)
        groups = [np.sort(place[members[bounds[a] : bounds[a + 1]]]) for a in used.tolist()]
        texts = [group_text(item_order(domain[i] for i in group)) for group in groups]
        return collapse(offsets, self.book.numbers(groups, texts)[dense])
