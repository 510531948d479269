"""Local recoding anonymization (`lra`, [003] section 2.4): similar records share their generalizations.

1. Put similar records next to each other, on a line, by each of three orders.
2. Mark places where the line may be cut: where neighbours differ most, near given fractions of it.
3. Price the stretch between any two places: what it loses when it is protected on its own.
4. Cut the line where the sum of the prices is least.
5. Protect each part on its own, by `aa` or another algorithm, and join the parts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.recoding import NONE, KmByHierarchy, exact_columns
from anonset.algorithms.transactions._kernels.cuts import Cut, CutProblem, close_counted_pairs
from anonset.algorithms.transactions._kernels.postings import post_items
from anonset.algorithms.transactions._kernels.segments import (
    Cells,
    ItemPairs,
    count_pairs,
    first_differences,
    piece_starts,
    stretch_postings,
)
from anonset.algorithms.transactions.cut import (
    NO_SECRETS,
    HierarchyFrame,
    close,
    cut_problem,
    frame_of,
    leaf_cut,
    protect,
    require_holders,
    visit,
)
from anonset.errors import InfeasibleError
from anonset.kernels.gray import gray_order
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import KmAnonymity
from anonset.model.labels import GeneralizedItems, Labels
from anonset.model.parameters import Bounds
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Release
from anonset.model.sets import offsets_of, sorted_within, take
from anonset.threads import parallel_map

Alike = Annotated[
    Literal["auto", "gray", "rare", "length"],
    "gray: Gray order of the item sets; rare: Gray order, rare items first; length: by length, then Gray order; auto: the best",
]
ORDERS = ("gray", "rare", "length")


class Line(NamedTuple):
    """Records in an order, and how much each neighbouring pair differs."""

    rows: Rows
    steps: Rows

    def places(self, fractions: Sequence[float]) -> Rows:
        """Return where to cut near the given fractions, and the ends: at the greatest step within a quarter of a part."""
        n = len(self.rows)
        bounds = [0.0, *fractions, 1.0]
        found = [0, n]
        for before, here, after in zip(bounds, fractions, bounds[2:], strict=False):
            low = max(1, round(n * (3 * here + before) / 4))
            high = min(n - 1, round(n * (3 * here + after) / 4))
            if low <= high:
                near = self.steps[low - 1 : high]
                best = np.flatnonzero(near == near.max()) + low
                found.append(int(best[np.abs(best - here * n).argmin()]))
        return np.unique(np.array(found, np.int64))


def line_up(transactions: Transactions, by: str) -> Line:
    """Return the records in an order of ORDERS.

    Two neighbours differ the more, the more significant the first item is that only one of them holds, and most of all where
    an order by length goes on to longer records.
    """
    d = len(transactions.domain)
    ranked = rare_first(transactions) if by == "rare" else transactions
    rows = gray_order(ranked.offsets, ranked.items)
    if by == "length":
        rows = rows[np.argsort(transactions.lengths[rows], kind="stable")]
    steps = d - first_differences(ranked.offsets, ranked.items, rows, d)
    if by == "length":
        steps += d * (np.diff(transactions.lengths[rows]) > 0)
    return Line(rows, steps)


def rare_first(transactions: Transactions) -> Transactions:
    """Return the same records with items numbered by rising support."""
    order = np.argsort(transactions.supports, kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    items = sorted_within(transactions.offsets, rank[transactions.items], len(order))
    return Transactions(transactions.offsets, items, tuple(transactions.domain[i] for i in order))


CELLS = 1 << 27  # numbers to keep of pairs and pieces, at most


class Stretches:
    """A line of records that is cut at places, the first and the last of which are its ends."""

    __slots__ = ("_at", "_begins", "_ends", "_entries", "_k", "_m", "_pairs", "_shape")

    def __init__(self, shape: HierarchyFrame, transactions: Transactions, line: Line, places: Rows, k: int, m: int) -> None:
        self._shape, self._k, self._m = shape, k, m
        lengths = transactions.lengths[line.rows]
        self._ends = (offsets_of(lengths + 1))[places]
        self._entries, starts, self._at = post_items(
            transactions.offsets, transactions.items, line.rows, len(transactions.domain)
        )
        self._begins = piece_starts(starts, self._at, self._ends)
        self._pairs = self._counted()

    def price(self, first: int, last: int, most: float) -> float:
        """Return what the stretch between two places costs; infinite where that is not below `most` or nothing protects it."""
        problem = self._problem(first, last)

        def protect(cut: Cut, watch: Progress) -> None:
            for size in range(1, self._m + 1):
                if size == 2 and self._pairs is not None:
                    self._close_pairs(problem, cut, first, last, most, watch)
                elif not close(problem, cut, size, self._shape.order, progress=watch):
                    break

        return spent(problem, protect, most)

    def _close_pairs(self, problem: CutProblem, cut: Cut, first: int, last: int, most: float, watch: Progress) -> None:
        order, pairs, raised = self._shape.order, self._pairs, cut.fresh.copy()
        assert pairs is not None
        cut.fresh[:] = False
        if raised.any():
            visit(problem, cut, 2, order, raised, progress=watch)  # pairs with a node that is already above its items
        if not close_counted_pairs(problem, cut, pairs.starts, pairs.partner, pairs.cells, first, last, most):
            raise InfeasibleError("some pair stays open whatever its items are generalized to")
        watch(1.0)
        if cut.fresh.any():
            close(problem, cut, 2, order, among=cut.fresh.copy(), progress=watch)  # pairs of the nodes just moved to

    def _problem(self, first: int, last: int) -> CutProblem:
        begin, end = self._ends[first], self._ends[last]
        starts, at = stretch_postings(self._at, self._begins, first, last, begin)
        return CutProblem(*self._shape[:4], self._entries[begin : end + 1], starts, at, self._k, 1, *NO_SECRETS, starts)

    def _counted(self) -> ItemPairs | None:
        """Return the pairs of the line; None where they are too many, or where m is 1.

        Nor where a node above an item stands for it alone: it would come after other items in the order of the frame.
        """
        d, pieces = len(self._begins), len(self._ends) - 1
        if self._m < 2 or (self._shape.high[d:] - self._shape.low[d:] < 2).any():
            return None
        small = self._k <= np.iinfo(np.uint8).max
        kind: Cells = np.empty(0, np.uint8) if small else np.empty(0, np.int32)
        pairs, all_of_them = count_pairs(
            self._entries, self._at, self._begins, kind, int(np.iinfo(kind.dtype).max), CELLS // (pieces * kind.itemsize)
        )
        return pairs if all_of_them else None


def spent(problem: CutProblem, protect: Callable[[Cut, Progress], None], most: float) -> float:
    """Return what it costs to protect a cut of the leaves; infinite where that is not below `most`, or cannot be done."""
    cut = leaf_cut(problem)

    def watch(_: float) -> None:
        if cut.spent[-1] >= most:
            raise _TooDearError

    try:
        protect(cut, watch)
    except (InfeasibleError, _TooDearError):
        return np.inf
    return float(cut.spent[-1])


class _TooDearError(Exception):
    """A part costs more than it may."""


Price = Callable[[int, int, float], float]  # of a step between places, a whole number; may be infinite where not below a limit
Step = tuple[int, int]
StepPrices = dict[Step, float]


def cheapest_cuts(end: int, price: Price, known: float, progress: Progress = silent) -> tuple[float, list[int]]:
    """Return what the cheapest cuts into at least two parts cost, and their places; infinite where that is not below `known`.

    Of cuts that cost the same, those whose last part begins first, then whose last but one does, and so on.
    """
    middle = end // 2
    before, after = [0.0] + [np.inf] * end, [np.inf] * end + [0.0]
    prices: StepPrices = {}
    for last in range(1, middle + 1):  # from the left end to the middle
        found = _priced([(first, last) for first in range(last)], price, lambda step: before[step[0]], known)
        before[last] = min((before[first] + found[first, last] for first, _ in found), default=np.inf)
        prices |= found
        progress(last / end / 2)
    for first in reversed(range(middle, end)):  # from the right end to the middle
        steps = [(first, last) for last in range(end, first, -1) if first > 0 or last < end]
        found = _priced(steps, price, lambda step: after[step[1]], known)
        after[first] = min((after[last] + found[first, last] for _, last in found), default=np.inf)
        prices |= found
        progress((middle + end - first) / end / 2)
    across = [(first, last) for first in range(middle) for last in range(middle + 1, end + 1) if last - first < end]
    met = min(known, before[middle] + after[middle])
    prices |= _priced(across, price, lambda step: before[step[0]] + after[step[1]], known, met, part_of(progress, 0.5, 1.0))
    return _cheapest(end, prices)


def all_cuts(end: int, price: Price, known: float, progress: Progress = silent) -> tuple[float, list[int]]:
    """Return what cutting at all places costs, and these; infinite where that is not below `known`."""
    loss = 0.0
    for first in range(end):
        loss += price(first, first + 1, known - loss)
        if loss >= known:
            return np.inf, []
        progress((first + 1) / end)
    return loss, [*range(end + 1)]


def _priced(
    steps: Sequence[Step],
    price: Price,
    others: Callable[[Step], float],
    known: float,
    met: float = np.inf,
    progress: Progress = silent,
) -> StepPrices:
    """Return the prices of the steps that, with what others cost, stay below `known` and not above the cheapest of all."""

    def learn(step: Step) -> float:
        nonlocal met
        most = min(met + 1, known) - others(step)
        if not most > 0:
            return np.inf
        found = price(*step, most)
        met = min(met, found + others(step))  # a thread that writes an older one costs time, nothing else
        return found

    return {step: found for step, found in zip(steps, parallel_map(learn, steps, progress), strict=True) if found < np.inf}


def _cheapest(end: int, prices: StepPrices) -> tuple[float, list[int]]:
    loss, origin = [0.0] + [np.inf] * end, [0] * (end + 1)
    for first, last in sorted(prices):
        if loss[first] + prices[first, last] < loss[last]:
            loss[last], origin[last] = loss[first] + prices[first, last], first
    places = [end]
    while places[-1] > 0:
        places.append(origin[places[-1]])
    return loss[end], places[::-1]


def joined(domain: tuple[str, ...], parts: Sequence[tuple[Rows, GeneralizedItems]]) -> GeneralizedItems:
    """Return the items of all records in input order: part (rows, items) says what the given rows show."""
    book: dict[bytes, int] = {}
    groups: list[Ids] = []
    texts: list[str] = []
    lengths, shown = [], []
    for _, items in parts:
        if len(items.suppressed):
            raise InfeasibleError("a part of the records needs suppression, which cannot be confined to a part")
        of_part = np.empty(len(items.labels), np.int32)
        for a, group in enumerate(items.labels.groups()):
            of_part[a] = book.setdefault(group.tobytes(), len(groups))
            if of_part[a] == len(groups):
                groups.append(group)
                texts.append(items.labels.texts[a])
        lengths.append(np.diff(items.offsets))
        shown.append(of_part[items.shown])
    rows = np.concatenate([rows for rows, _ in parts])
    offsets, entries = take(offsets_of(np.concatenate(lengths)), np.concatenate([*shown, NONE]), np.argsort(rows))
    entries = sorted_within(offsets, entries, len(groups))
    return GeneralizedItems(offsets, entries, Labels.from_groups(groups, texts), domain, NONE)


def item_loss(transactions: Transactions, items: GeneralizedItems) -> int:
    """Sum, over the item occurrences, of the size of the label that stands for each; 0 for exact ones."""
    size = np.zeros(len(transactions.domain), np.int64)
    sizes = items.labels.sizes
    size[items.labels.members] = np.repeat(np.where(sizes > 1, sizes, 0), sizes)
    return int(size[transactions.items].sum())


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
            plan = self._plan(data, by, plan, part_of(progress, p / len(orders), (p + 1) / len(orders)))  # steps 1 to 4
        if plan.loss == np.inf:
            raise InfeasibleError(f"some of {self.parts} parts cannot be protected on their own; ask for fewer")
        protected = [(rows, self._protected(data.take(rows))) for rows in plan.parts]  # step 5
        items = joined(data.linkable.domain, protected)
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
        """Return the given number of parts, or the cheapest parts between the line's places; `known` if these cost no less."""
        line = line_up(data.linkable, by)  # step 1
        fixed = self.parts is not None
        places = line.places([p / self.parts for p in range(1, self.parts)] if self.parts is not None else PLACES)  # step 2
        end, price = len(places) - 1, self._price(data, line, places)
        if not fixed and known.loss == np.inf:
            known = known._replace(loss=price(0, end, np.inf))
        loss, cuts = (all_cuts if fixed else cheapest_cuts)(end, price, known.loss, progress)  # step 4
        if loss >= known.loss:
            return known
        return Segmentation(loss, by, tuple(_rows(line, places, first, last) for first, last in pairwise(cuts)))

    def _price(self, data: Dataset, line: Line, places: Rows) -> Price:
        """Step 3: return the function that says what a stretch of the line costs on its own."""
        shape = frame_of(data)
        if self.inner == "aa" and self.parts is None:
            return Stretches(shape, data.linkable, line, places, self.k, self.m).price

        def by_cut(first: int, last: int, most: float) -> float:
            problem = cut_problem(shape, data.linkable, _rows(line, places, first, last), self.k)
            return spent(problem, lambda cut, watch: protect(problem, cut, self.m, shape.order, progress=watch), most)

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
