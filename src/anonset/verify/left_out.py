"""Whether a release names what only the records hold that it leaves out.

A hierarchy that came from a file is public, its leaves too. Ranges and sets of values that come from the data must not reach
beyond what published records hold, but for ends that are rounded from it.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from anonset.model.arrays import Ids, Mask, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges
from anonset.model.release import Release
from anonset.verify.findings import WITNESSES, Breaches
from anonset.verify.shown import shortened

SPARE = Fraction(10_001, 1_000_000)  # of its width, by which rounded ends may widen a range: a hundredth, and what floats lose
FINEST = 3  # powers of ten below the width of a range, the finest steps that its ends are rounded to


def named_left_out(original: Dataset, release: Release) -> Iterator[Breaches]:
    """Labels that are shown and stand for a value, end at a number or stand for an item that no published record holds."""
    known = {column.name: column for column in original.columns}
    for column in release.columns:
        own = known.get(column.name)
        if own is not None and not _is_public(own.hierarchy):
            yield _said(column.name, column.labels, _in_column(own, column, release.rows))
    items = release.items
    if isinstance(items, GeneralizedItems) and original.transactions is not None and not _is_public(original.item_hierarchy):
        taken = original.transactions.take(release.rows)
        held = {original.transactions.domain[i] for i in np.unique(taken.items)}
        strange = np.array([name not in held for name in items.domain], np.bool_)
        yield _said(original.item_column, items.labels, _with_member(items.labels, strange, np.unique(items.shown)))


def _is_public(hierarchy: Hierarchy | None) -> bool:
    return hierarchy is not None and not hierarchy.derived


def _in_column(own: Column, published: PublishedColumn, rows: Rows) -> Mask:
    """Which labels are shown and go beyond the values of published records."""
    codes, labels = own.codes[rows], published.labels
    held = np.unique(codes[codes >= 0])
    shown = np.unique(published.codes[published.codes >= 0])
    if isinstance(labels, Labels):
        strange = np.ones(max(len(own.domain), int(labels.members.max(initial=-1)) + 1), np.bool_)
        strange[held] = False
        return _with_member(labels, strange, shown)
    numbers = np.sort(own.values[held]) if own.values is not None else np.zeros(0)
    beyond: Mask = ~(np.isin(labels.low, numbers) & np.isin(labels.high, numbers))
    for a in np.intersect1d(np.flatnonzero(beyond), shown):
        beyond[a] = not _is_rounded(float(labels.low[a]), float(labels.high[a]), numbers)
    beyond[np.setdiff1d(np.arange(len(labels)), shown)] = False
    return beyond


def _is_rounded(low: float, high: float, numbers: Reals) -> bool:
    """Whether both ends are what numbers of published records in the range round to, whatever those left out hold.

    There is a step of 1, 2 or 5 times a power of ten, no smaller than a thousandth of the width of those numbers, whose next
    multiples below and above them are the ends, and at most a hundredth of that width away.
    """
    inside = numbers[np.searchsorted(numbers, low) : np.searchsorted(numbers, high, side="right")]
    if len(inside) == 0 or inside[0] == inside[-1]:
        return False
    first, last = Fraction(repr(float(inside[0]))), Fraction(repr(float(inside[-1])))
    width = last - first
    power = int(np.floor(np.log10(float(width)))) - FINEST
    for step in (digit * Fraction(10) ** p for p in range(power, power + FINEST + 2) for digit in (1, 2, 5)):
        below, above = first // step * step, -(-last // step) * step
        if (float(below), float(above)) == (low, high) and (first - below) + (above - last) <= width * SPARE:
            return True
    return False


def _with_member(labels: Labels, marked: Mask, shown: Ids) -> Mask:
    """Which of the labels that are shown have a marked member."""
    found = np.zeros(len(labels), np.bool_)
    found[np.repeat(np.arange(len(labels)), labels.sizes)[marked[labels.members]]] = True
    found[np.setdiff1d(np.arange(len(labels)), shown)] = False
    return found


def _said(name: str, labels: Labels | Ranges, wrong: Mask) -> Breaches:
    places = np.flatnonzero(wrong)
    texts = [shortened(labels.texts[a]) for a in places[:WITNESSES]]
    return len(places), [f"{name}={text} tells of a value that only records hold which are left out" for text in texts]
