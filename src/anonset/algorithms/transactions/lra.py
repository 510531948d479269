"""Local recoding anonymization ([003] section 2.4).

1. Put the records in an order in which neighbours are alike. 2. Cut the order into parts. 3. Protect each part on its own.
4. Where the number of parts is not given: of all ways to cut at some places, one part included, take the cheapest.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.recoding import KmByHierarchy, exact_columns
from anonset.algorithms.transactions.closing import protect
from anonset.algorithms.transactions.cutting import frame_of, require_holders, task
from anonset.algorithms.transactions.joining import item_loss, joined
from anonset.algorithms.transactions.similarity import ORDERS, Alike, Line, line_up
from anonset.algorithms.transactions.stretches import Stretches, spent
from anonset.algorithms.transactions.ways import Price, cheapest_way, every_step
from anonset.errors import InfeasibleError
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import KmAnonymity
from anonset.model.labels import GeneralizedItems
from anonset.model.parameters import Bounds
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Release

Inner = Annotated[Literal["aa", "da", "vpa", "oa", "pcta", "coat"], "the algorithm that protects each part"]
Parts = Annotated[int | None, Bounds(1, 1_000_000), "parts of the records; none: as many as cost least"]
PLACES = [0.05, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.85, 0.93, 0.97, 0.985, 0.995]  # records unlike the others come last


@dataclass(frozen=True, slots=True)
class Lra(KmByHierarchy):
    """Records that are alike are protected together, each part with its own generalizations."""

    parts: Parts = None
    alike: Alike = "auto"
    inner: Inner = "aa"
    name: ClassVar[str] = "lra"
    title: ClassVar[str] = "Local recoding anonymization"
    paper: ClassVar[str] = "[003] section 2.4"

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Local recoding: every part is k^m-anonymous, hence the whole; the trace says what the parts were."""
        require_holders(data, self.k)
        orders = ORDERS if self.alike == "auto" else (self.alike,)
        plan = Segmentation(np.inf, orders[0], (np.arange(len(data), dtype=np.int64),))
        for p, by in enumerate(orders):
            heard = part_of(progress, p / len(orders), (p + 1) / len(orders))
            plan = self._plan(data, by, plan, heard)  # steps 1 and 2
        if plan.loss == np.inf:
            raise InfeasibleError(f"some of {self.parts} parts cannot be protected on their own; ask for fewer")
        items = joined(data.linkable.domain, [(rows, self._protected(data.take(rows))) for rows in plan.parts])
        trace = {"parts": len(plan.parts), "alike": plan.by, "sizes": [len(rows) for rows in plan.parts]}
        return Release(
            exact_columns(data),
            items,
            (KmAnonymity(self.k, self.m),),
            provenance(self),
            np.arange(len(data), dtype=np.int64),
            trace=(trace,),
        )

    def _plan(self, data: Dataset, by: str, known: "Segmentation", progress: Progress) -> "Segmentation":
        """The given number of parts, or the cheapest of all ways to cut at the line's places (step 4); `known` if no better."""
        line = line_up(data.linkable, by)
        fixed = self.parts is not None
        places = line.places([p / self.parts for p in range(1, self.parts)] if self.parts is not None else PLACES)
        end, price = len(places) - 1, self._price(data, line, places)
        if not fixed and known.loss == np.inf:
            known = known._replace(loss=price(0, end, np.inf))
        loss, cuts = (every_step if fixed else cheapest_way)(end, price, known.loss, progress)
        if loss >= known.loss:
            return known
        return Segmentation(loss, by, tuple(_rows(line, places, first, last) for first, last in pairwise(cuts)))

    def _price(self, data: Dataset, line: Line, places: Rows) -> Price:
        """What parts of the line cost on their own (step 3)."""
        shape = frame_of(data)
        if self.inner == "aa" and self.parts is None:
            return Stretches(shape, data.linkable, line, places, self.k, self.m).price

        def by_cut(first: int, last: int, most: float) -> float:
            job = task(shape, data.linkable, _rows(line, places, first, last), self.k)
            return spent(job, lambda cut, watch: protect(job, cut, self.m, shape.order, progress=watch), most)

        def by_release(first: int, last: int, most: float) -> float:
            part = data.take(_rows(line, places, first, last))
            try:
                return item_loss(part.linkable, self._protected(part))
            except InfeasibleError:
                return np.inf

        return by_cut if self.inner == "aa" else by_release

    def _protected(self, part: Dataset) -> GeneralizedItems:
        from anonset.algorithms import make  # the registry names this class

        release = make(self.inner, {"k": self.k, "m": self.m}).anonymize(part)
        assert isinstance(release.items, GeneralizedItems)
        return release.items


def _rows(line: Line, places: Rows, first: int, last: int) -> Rows:
    return np.sort(line.rows[places[first] : places[last]])


class Segmentation(NamedTuple):
    """Parts of the records, the order they were cut from, and what they cost."""

    loss: float
    by: str
    parts: tuple[Rows, ...]
