"""Orders of the records in which neighbours are alike, and the places where to cut them."""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import numpy as np

from anonset.algorithms.transactions.kernels.likeness import first_differences
from anonset.kernels.gray import gray_order
from anonset.model.arrays import Rows
from anonset.model.sets import sorted_within
from anonset.model.transactions import Transactions

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
        """Where to cut near the given fractions of the line, and its ends: at the greatest step within a quarter of a part."""
        n = len(self.rows)
        wanted = [0.0, *fractions, 1.0]
        found = [0, n]
        for before, here, after in zip(wanted, fractions, wanted[2:], strict=False):
            low = max(1, round(n * (3 * here + before) / 4))
            high = min(n - 1, round(n * (3 * here + after) / 4))
            if low <= high:
                near = self.steps[low - 1 : high]
                best = np.flatnonzero(near == near.max()) + low
                found.append(int(best[np.abs(best - here * n).argmin()]))
        return np.unique(np.array(found, np.int64))


def line_up(transactions: Transactions, by: str) -> Line:
    """The records in an order of ORDERS.

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
    """The same records with items numbered by rising support."""
    order = np.argsort(transactions.supports, kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    items = sorted_within(transactions.offsets, rank[transactions.items], len(order))
    return Transactions(transactions.offsets, items, tuple(transactions.domain[i] for i in order))
