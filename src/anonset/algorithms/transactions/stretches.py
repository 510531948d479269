"""What stretches of a line of records cost when each is protected on its own, as `protect` of `closing` does it.

1. Post the records in the order of the line and count, once for all stretches, their pairs of items by piece of the line.
2. A stretch: move rare items up. 3. Close rare pairs with an item that moved: they come first in the order of the frame.
4. Close rare pairs of items that did not move, found in the counts. 5. Go on with what moved, as everywhere.
"""

from collections.abc import Callable

import numpy as np

from anonset.algorithms.transactions.closing import close, visit
from anonset.algorithms.transactions.cutting import NO_SECRETS, HierarchyFrame, leaf_cut
from anonset.algorithms.transactions.kernels.cuts import Cut, Task, close_counted_pairs
from anonset.algorithms.transactions.kernels.postings import post_items
from anonset.algorithms.transactions.kernels.stretches import Cells, ItemPairs, count_pairs, piece_starts, stretch_postings
from anonset.algorithms.transactions.similarity import Line
from anonset.errors import InfeasibleError
from anonset.model.arrays import Rows
from anonset.model.progress import Progress
from anonset.model.sets import offsets_of
from anonset.model.transactions import Transactions

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
        self._pairs = self._counted()  # step 1

    def price(self, first: int, last: int, most: float) -> float:
        """What the stretch between two places costs; infinite where that is not below `most`, or it cannot be protected."""
        job = self._job(first, last)

        def protect(cut: Cut, watch: Progress) -> None:
            for size in range(1, self._m + 1):
                if size == 2 and self._pairs is not None:
                    self._close_pairs(job, cut, first, last, most, watch)
                elif not close(job, cut, size, self._shape.order, progress=watch):
                    break

        return spent(job, protect, most)

    def _close_pairs(self, job: Task, cut: Cut, first: int, last: int, most: float, watch: Progress) -> None:
        order, pairs, raised = self._shape.order, self._pairs, cut.fresh.copy()
        assert pairs is not None
        cut.fresh[:] = False
        if raised.any():
            visit(job, cut, 2, order, raised, progress=watch)  # step 3
        if not close_counted_pairs(job, cut, pairs.starts, pairs.partner, pairs.cells, first, last, most):  # step 4
            raise InfeasibleError("some pair stays open whatever its items are generalized to")
        watch(1.0)
        if cut.fresh.any():
            close(job, cut, 2, order, among=cut.fresh.copy(), progress=watch)  # step 5

    def _job(self, first: int, last: int) -> Task:
        begin, end = self._ends[first], self._ends[last]
        starts, at = stretch_postings(self._at, self._begins, first, last, begin)
        return Task(*self._shape[:4], self._entries[begin : end + 1], starts, at, self._k, 1, *NO_SECRETS, starts)

    def _counted(self) -> ItemPairs | None:
        """The pairs of the line; None where they are too many, or no pairs are asked for.

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


def spent(job: Task, protect: Callable[[Cut, Progress], None], most: float) -> float:
    """What it costs to protect a cut of the leaves; infinite where that is not below `most`, or cannot be done."""
    cut = leaf_cut(job)

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
