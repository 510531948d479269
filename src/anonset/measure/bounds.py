"""How many items any release with the same promise can show exactly: an upper bound.

Under k^m with m >= 2 the items that a record shows exactly are pairwise in k records of its group, so they are a clique in the
record's graph of frequent pairs. Without quasi columns the group is the whole; with them it lies inside a cell of values that
the group's labels stand for: every combination of levels of the columns is tried, each at the least that labels of that level
lose, and a Lagrangian over the records bounds what a release can reach at the loss of the given one.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from anonset.measure._kernels.cliques import most_together
from anonset.measure.information_loss import ncp
from anonset.model.arrays import Ids, Reals, Rows
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import CompleteK, Guarantee, KKm, KLm, KmAnonymity
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import Labels, PublishedColumn, Ranges
from anonset.model.release import Release

STEPS = 2_000  # of the search in one record; more lower the bound of no dataset that was tried
WORK, MOST = 6_000_000, 128  # item occurrences looked at, and combinations of levels; with more the levels are joined
WINDOWS = 4  # widths of ranges, each half as wide as the next
TOP = 1 << 62  # numbers of cells
ROUNDING, HIGHEST_PRICE = 1e-7, 1e6  # a loss that sums differ by; above the price they would weigh more than an item
PRICES = 24  # prices of a loss that are tried; each gives a bound, and the lowest is taken


def exact_bound(original: Dataset, release: Release) -> float:
    """Return an upper bound on `exact_items` of releases with the same promise: 1.0 where nothing is known, 0.0 none is exact.

    With quasi columns under the promise: of releases whose columns lose as much as those of the given one, and that generalize
    each column in its way (nodes of its hierarchy, ranges, or sets).
    """
    every = len(original.linkable.items)
    bounds = [_most_exact(original, release, guarantee) for guarantee in release.guarantees] if every else []
    return min([1.0, *(most / every for most in bounds)])


def _most_exact(original: Dataset, release: Release, guarantee: Guarantee) -> float:
    """Return the most item occurrences that can be exact under one guarantee."""
    t = original.linkable
    if isinstance(guarantee, KKm | KLm) and release.quasi:
        return _most_at_loss(original, release, guarantee.k, guarantee.m)
    if isinstance(guarantee, KmAnonymity | KKm | KLm):
        return float(cliques(t, None, guarantee.k, guarantee.m).sum())
    if isinstance(guarantee, CompleteK):
        return float(cliques(t, None, guarantee.k, 2).sum())
    return float(len(t.items))


def cliques(t: Transactions, cells: Rows | None, k: int, m: int, *, steps: int = STEPS) -> Rows:
    """Return for each record the most of its items that can be exact in a group inside its cell, -1 where no group fits in."""
    found = np.full(len(t), -1, np.int64)
    if cells is None:
        rows, bounds = np.arange(len(t)), np.array([0, len(t)])
    else:
        order = np.argsort(cells, kind="stable")
        starts = np.flatnonzero(np.append(True, np.diff(cells[order]) != 0)[: len(order)])
        sizes = np.diff(np.append(starts, len(order)))
        fits = sizes >= k
        rows = order[np.repeat(fits, sizes)]
        bounds = np.append(0, np.cumsum(sizes[fits]))
    largest = int(np.diff(bounds).max(initial=0))
    found[rows] = most_together(t.offsets, t.items, rows, bounds, (k, m, largest), steps, len(t.domain))
    return found


class Level(NamedTuple):
    """Cells of a column so that a label of the level lies in one: the cell of each record, and the least such a label loses.

    Ranges may lie across the cells of one grid and in one of a second, shifted grid: then there are two grids of cells.
    """

    grids: tuple[Rows, ...]
    loss: Reals


def _most_at_loss(original: Dataset, release: Release, k: int, m: int) -> float:
    """Return the most item occurrences that can be exact at the release's loss of columns: the lowest Lagrangian bound."""
    t, columns = original.linkable, release.quasi
    most = min(MOST, max(8, WORK // max(1, len(t.items))))
    levels = _within([levels_of(original.column(column.name), column) for column in columns], most)
    gains, losses = [], []
    for level, cells in _combinations(levels, len(original)):
        gain = cliques(t, cells, k, m)
        losses.append(np.sum([part.loss for part in level], axis=0) / len(columns))
        gains.append(np.where(gain < 0, -np.inf, gain))
    return _lowest(np.stack(gains), np.stack(losses), (ncp(original, release) + ROUNDING) * len(original))


def _combinations(levels: Sequence[Sequence[Level]], n: int) -> Iterator[tuple[tuple[Level, ...], Rows]]:
    """Yield each combination of levels with the cell of each record, for each combination of their grids."""
    for level in product(*levels):
        for grids in product(*(part.grids for part in level)):
            cells, number = np.zeros(n, np.int64), 1
            for grid in grids:
                width = int(grid.max(initial=0)) + 1
                if number * width >= TOP:
                    _, cells = np.unique(cells, return_inverse=True)
                    number = n
                cells, number = cells * width + grid, number * width
            yield level, cells


def _lowest(gains: Reals, losses: Reals, budget: float) -> float:
    """Return the lowest of the bounds sum over records of max(gain - price * loss) + price * budget that were tried."""
    low, high, best = 0.0, 0.0, np.inf
    for _ in range(PRICES):
        price = (low + high) / 2 if high else max(1.0, 4 * low) if low else 0.0
        worth = gains - price * losses
        chosen = worth.argmax(axis=0)[None]
        best = min(best, float(np.take_along_axis(worth, chosen, 0).sum(dtype=np.float64)) + price * budget)
        spent = float(np.take_along_axis(losses, chosen, 0).sum(dtype=np.float64))
        if spent <= budget:
            if price == 0.0:
                break
            high = price
        else:
            low = price or 1e-6
            if low >= HIGHEST_PRICE:
                break
    return max(0.0, best)


def _within(levels: list[list[Level]], most: int) -> list[list[Level]]:
    """Return the levels with some joined, so that there are at most so many combinations of their grids."""

    def number(column: list[Level]) -> int:
        return sum(len(level.grids) for level in column)

    while prod(map(number, levels)) > most and max(map(len, levels)) > 2:
        column = max(levels, key=lambda column: (len(column) > 2, number(column)))
        middle = (len(column) - 1) // 2
        column[middle : middle + 2] = [Level(column[middle + 1].grids, column[middle].loss)]
    return levels


def levels_of(column: Column, published: PublishedColumn) -> list[Level]:
    """Return the levels of a column, exact values first, all values in one cell last."""
    tree, labels = column.hierarchy, published.labels
    if not column.domain:
        return _few_levels(column, 0.0)[:1]
    if tree is not None:
        loss = _node_losses(column, tree, labels)
        if loss is not None:
            return _node_levels(column.codes, tree, loss)
    if isinstance(labels, Ranges) and column.values is not None:
        return _range_levels(column)
    return _few_levels(column, float(column.share(np.array([min(2, len(column.domain))]))[0]))


def _few_levels(column: Column, least: float) -> list[Level]:
    """Return the levels exact and anything, whose labels lose at least so much."""
    n = len(column.codes)
    exact = Level(((column.codes + 1).astype(np.int64),), np.zeros(n))
    return [exact, Level((np.zeros(n, np.int64),), np.full(n, least))]


def _node_losses(column: Column, tree: Hierarchy, labels: Labels | Ranges) -> Reals | None:
    """Return what each node of the hierarchy loses as a label; None if a label is no node of it."""
    if isinstance(labels, Labels):
        first, last = (np.array([f(group) for group in labels.groups()], np.int64) for f in (np.min, np.max))
        nodes = {(int(a), int(b)) for a, b in zip(tree.low, tree.high, strict=True)}
        ends = zip(first.tolist(), (last + 1).tolist(), labels.sizes.tolist(), strict=True)
        if any((a, b) not in nodes or b - a != size for a, b, size in ends):
            return None
        return np.where(tree.sizes > 1, tree.sizes / tree.n_leaves, 0.0)
    assert column.values is not None
    places = np.stack([tree.low, tree.high], axis=1).reshape(-1)
    low = np.minimum.reduceat(np.append(column.values, np.inf), places)[::2]
    high = np.maximum.reduceat(np.append(column.values, -np.inf), places)[::2]
    hulls = set(zip(low.tolist(), high.tolist(), strict=True))
    if any(range not in hulls for range in zip(labels.low.tolist(), labels.high.tolist(), strict=True)):
        return None
    least, most = column.span
    return np.asarray(np.minimum(1.0, (high - low) / (most - least)) if most > least else np.zeros(len(tree)))


def _node_levels(codes: Ids, tree: Hierarchy, loss: Reals) -> list[Level]:
    """Return one level for each depth of the hierarchy, the deepest first; a leaf above that depth stays what it is."""
    levels, at = [], np.arange(tree.n_leaves)
    for depth in range(tree.height, -1, -1):
        at = np.where(tree.depth[at] > depth, tree.parent[at], at)
        cells = np.append(at + 1, 0)[codes]
        levels.append(Level((cells.astype(np.int64),), np.append(loss[at], 0.0)[codes]))
    levels[-1] = Level((np.zeros(len(codes), np.int64),), np.full(len(codes), loss[tree.root]))
    return levels


def _range_levels(column: Column) -> list[Level]:
    """Return the levels exact, up to a sixteenth of the span, an eighth and so on, and anything."""
    assert column.values is not None
    low, high = column.span
    exact = _few_levels(column, 0.0)[0]
    numbers = np.sort(column.values)
    gaps = np.diff(numbers)
    if high <= low or not (gaps > 0).any():
        return [exact, _few_levels(column, 0.0)[1]]
    levels, least = [exact], float(gaps[gaps > 0].min() / (high - low))
    place = np.append((column.values - low) / (high - low), np.nan)[column.codes]
    for power in range(WINDOWS, 1, -1):
        width = 0.5**power
        if width > least:
            levels.append(Level(tuple(_grid(place, width, shift) for shift in (0.0, width)), np.where(place >= 0, least, 0.0)))
            least = width
    return [*levels, Level((np.zeros(len(place), np.int64),), np.full(len(place), least))]


def _grid(place: Reals, width: float, shift: float) -> Rows:
    """Return cells of twice the width; records without a value have one of their own."""
    cells = np.floor((place + shift) / (2 * width * (1 + 1e-9)))
    return np.where(np.isnan(cells), 0, cells + 1).astype(np.int64)
