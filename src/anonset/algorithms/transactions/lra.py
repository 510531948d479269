"""Local recoding anonymization ([003] section 2.4).

1. Put the records in an order in which neighbours are alike. 2. Cut the order into parts. 3. Protect each part on its own.
4. Where the number of parts is not given: of all ways to cut at some places, one part included, take the cheapest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.recoding import exact_columns
from anonset.algorithms.transactions.aa import cut_for
from anonset.algorithms.transactions.cutting import frame_of, require_holders
from anonset.algorithms.transactions.joining import item_loss, joined
from anonset.algorithms.transactions.publication import KmByHierarchy
from anonset.algorithms.transactions.similarity import ORDERS, Alike, Line, line_up
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
        price = self._price(data)
        orders = ORDERS if self.alike == "auto" else (self.alike,)
        plans = []
        for p, by in enumerate(orders):
            heard = part_of(progress, p / len(orders), (p + 1) / len(orders))
            plans.append(self._plan(line_up(data.linkable, by), by, price, heard))  # steps 1 and 2
        plan = min(plans, key=lambda plan: plan.loss)
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

    def _plan(self, line: Line, by: str, price: Callable[[Rows], float], progress: Progress) -> "Plan":
        """The given number of parts, or the cheapest of all ways to cut at the places of the line (step 4)."""
        fixed = self.parts is not None
        places = line.places([p / self.parts for p in range(1, self.parts)] if self.parts is not None else PLACES)
        cheapest = [Plan(0.0, by, ())] + [Plan(np.inf, by, ())] * (len(places) - 1)
        for last in range(1, len(places)):
            for first in range(last - 1 if fixed else 0, last):
                rows = np.sort(line.rows[places[first] : places[last]])
                before = cheapest[first]
                loss = before.loss + (price(rows) if before.loss < np.inf else 0.0)
                if loss < cheapest[last].loss:
                    cheapest[last] = Plan(loss, by, (*before.parts, rows))
            progress(last / len(places))
        return cheapest[-1]

    def _price(self, data: Dataset) -> Callable[[Rows], float]:
        """What parts of the records cost on their own (step 3)."""
        shape, linkable = frame_of(data), data.linkable

        def by_cut(rows: Rows) -> float:
            cut = cut_for(shape, linkable, rows, self.k, self.m)
            return np.inf if cut is None else float(shape.weight[cut[linkable.take(rows).items]].sum())

        def by_release(rows: Rows) -> float:
            part = data.take(rows)
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


class Plan(NamedTuple):
    """Parts of the records, the order they were cut from, and what they cost."""

    loss: float
    by: str
    parts: tuple[Rows, ...]
