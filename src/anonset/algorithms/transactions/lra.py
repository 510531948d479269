"""Local recoding anonymization ([003] section 2.4).

1. Put the records in an order in which neighbours are alike. 2. Cut the order into parts. 3. Protect each part on its own.
4. Where the number of parts is not given: of all ways to cut at some places, one part included, take the cheapest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.recoding import KmByHierarchy, exact_columns
from anonset.algorithms.transactions.closing import protect
from anonset.algorithms.transactions.cutting import frame_of, leaf_cut, require_holders, task
from anonset.algorithms.transactions.joining import item_loss, joined
from anonset.algorithms.transactions.similarity import ORDERS, Alike, Line, line_up
from anonset.errors import InfeasibleError
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import KmAnonymity
from anonset.model.labels import GeneralizedItems
from anonset.model.parameters import Bounds
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Release
from anonset.model.threads import side_by_side

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
        everything = np.arange(len(data), dtype=np.int64)
        plan = Plan(np.inf if self.parts else price(everything, np.inf), orders[0], (everything,))
        for p, by in enumerate(orders):
            heard = part_of(progress, p / len(orders), (p + 1) / len(orders))
            plan = self._plan(line_up(data.linkable, by), by, price, plan, heard)  # steps 1 and 2
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

    def _plan(self, line: Line, by: str, price: "Price", known: "Plan", progress: Progress) -> "Plan":
        """The given number of parts, or the cheapest of all ways to cut at the line's places (step 4); `known` if no better.

        Parts only add to the loss, so what cannot become cheaper than something known is not followed, nor priced to its end.
        """
        fixed = self.parts is not None
        places = line.places([p / self.parts for p in range(1, self.parts)] if self.parts is not None else PLACES)
        cheapest = [Plan(0.0, by, ())] + [Plan(np.inf, by, ())] * (len(places) - 1)
        for first in range(len(places) - 1):
            before = cheapest[first]

            def loss(last: int, first: int = first, before: Plan = before) -> float:
                most = min(cheapest[last].loss, known.loss) - before.loss
                return before.loss + price(_rows(line, places, first, last), most) if most > 0 else np.inf

            lasts = range(first + 1, first + 2 if fixed else len(places)) if before.loss < known.loss else ()
            for last, found in zip(lasts, side_by_side(loss, lasts), strict=True):
                if found < cheapest[last].loss:
                    cheapest[last] = Plan(found, by, (*before.parts, _rows(line, places, first, last)))
            progress((first + 1) / (len(places) - 1))
        return cheapest[-1] if cheapest[-1].loss < known.loss else known

    def _price(self, data: Dataset) -> "Price":
        """What parts of the records cost on their own (step 3)."""
        shape, linkable = frame_of(data), data.linkable

        def by_cut(rows: Rows, most: float) -> float:
            job = task(shape, linkable, rows, self.k)
            cut = leaf_cut(job)

            def watch(_: float) -> None:
                if cut.spent[-1] >= most:
                    raise _TooDearError

            try:
                protect(job, cut, self.m, shape.order, progress=watch)
            except (InfeasibleError, _TooDearError):
                return np.inf
            return float(cut.spent[-1])

        def by_release(rows: Rows, most: float) -> float:
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


Price = Callable[[Rows, float], float]  # of a part; infinite where it is not below a limit, or cannot be protected


class _TooDearError(Exception):
    """A part costs more than it may."""


def _rows(line: Line, places: Rows, first: int, last: int) -> Rows:
    return np.sort(line.rows[places[first] : places[last]])


class Plan(NamedTuple):
    """Parts of the records, the order they were cut from, and what they cost."""

    loss: float
    by: str
    parts: tuple[Rows, ...]
