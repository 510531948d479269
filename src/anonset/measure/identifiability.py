"""How identifying a dataset is as it stands: who is the only one with what an attacker knows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anonset.measure.kernels.uniqueness import holders_of_items, items_to_single_out
from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.sets import offsets_of

MOST_ITEMS = 3
AT_ONCE = 2_000  # records between two calls of the listener
MOST_ITEMS_WITH_QUASI = 2


@dataclass(frozen=True, slots=True)
class Identifiability:
    """Shares of the records that are unique to an attacker, None where the dataset lacks the attributes.

    `quasi`: who knows all quasi values. `items[i]`: who knows the i + 1 items of the person that tell most. `both[i]`: who
    knows all quasi values and up to i + 1 such items. Sensitive items are not known to anybody.
    """

    records: int
    quasi: float | None
    items: tuple[float, ...] | None
    both: tuple[float, ...] | None


def identifiability(original: Dataset, *, progress: Callable[[float], None] = lambda done: None) -> Identifiability:
    """The shares of unique records of a dataset, exact; the listener to the progress may raise to cancel."""
    n = len(original)
    groups = _groups(original)
    with_items, with_quasi = original.transactions is not None, bool(original.quasi)
    sizes = np.bincount(groups, minlength=1)
    items = both = None
    if with_items:
        part = 0.5 if with_quasi else 1.0
        everybody = np.zeros(n, np.int64)
        items = _shares(_needed(original, everybody, MOST_ITEMS, lambda done: progress(part * done)), MOST_ITEMS)
    if with_items and with_quasi:
        most = MOST_ITEMS_WITH_QUASI
        both = _shares(_needed(original, groups, most, lambda done: progress(0.5 + done / 2)), most)
    return Identifiability(n, _share(sizes[groups] == 1) if with_quasi else None, items, both)


def _groups(original: Dataset) -> Rows:
    """A number for each combination of quasi values; a missing value is a value of its own."""
    groups = np.zeros(len(original), np.int64)
    for column in original.quasi:
        keys = groups * (len(column.domain) + 1) + column.codes + 1
        groups = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return groups


def _needed(original: Dataset, groups: Rows, most: int, progress: Callable[[float], None]) -> Rows:
    """The least number of items that single out each record within its group, most + 1 where none do."""
    order = np.argsort(groups, kind="stable")
    t = original.linkable.take(order)
    bounds = offsets_of(np.bincount(groups))
    inside = groups[order]
    holders = holders_of_items(t.offsets, t.items, len(t.domain))
    found = []
    for first in range(0, len(t), AT_ONCE):
        last = min(first + AT_ONCE, len(t))
        found.append(items_to_single_out(t.offsets, t.items, bounds[inside], bounds[inside + 1], holders, most, (first, last)))
        progress(last / len(t))
    return np.concatenate([np.zeros(0, np.int64), *found])


def _shares(needed: Rows, most: int) -> tuple[float, ...]:
    return tuple(_share(needed <= size) for size in range(1, most + 1))


def _share(unique: Mask) -> float:
    return float(unique.mean()) if len(unique) else 0.0
