"""How identifying a dataset is as it stands: who is the only one with what an attacker knows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.measure.kernels.uniqueness import holders_of_items, items_to_single_out
from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.sets import offsets_of

MOST_ITEMS = 3
MOST_ITEMS_WITH_QUASI = 2
AT_ONCE = 2_000  # records between two calls of the listener


@dataclass(frozen=True, slots=True)
class Identifiability:
    """Shares of the records that are unique to an attacker, None where the dataset lacks the attributes.

    `quasi`: who knows all quasi values. `items[i]`: who knows the i + 1 items of the person that tell most. `both[i]`: who
    knows all quasi values and up to i + 1 such items. Sensitive items are not known to anybody. `sampled` is of how many
    records the shares with items are, drawn at random; None where they are of all. The share of quasi values is always of all.
    """

    records: int
    quasi: float | None
    items: tuple[float, ...] | None
    both: tuple[float, ...] | None
    sampled: int | None = None


def identifiability(
    original: Dataset, *, sample: int | None = None, progress: Callable[[float], None] = lambda done: None
) -> Identifiability:
    """The shares of unique records of a dataset; the listener to the progress may raise to cancel.

    Exact; or, where there are more than `sample` records, with items looked up for so many of them alone, each among all.
    """
    n = len(original)
    groups = _groups(original)
    some = None if sample is None or n <= sample else np.sort(np.random.default_rng(0).choice(n, sample, replace=False))
    with_items, with_quasi = original.transactions is not None, bool(original.quasi)
    sizes = np.bincount(groups, minlength=1)
    items = both = None
    if with_items:
        part = 0.5 if with_quasi else 1.0
        everybody = np.zeros(n, np.int64)
        items = _shares(_needed(original, everybody, MOST_ITEMS, some, lambda done: progress(part * done)), MOST_ITEMS)
    if with_items and with_quasi:
        most = MOST_ITEMS_WITH_QUASI
        both = _shares(_needed(original, groups, most, some, lambda done: progress(0.5 + done / 2)), most)
    sampled = len(some) if some is not None and with_items else None
    return Identifiability(n, _share(sizes[groups] == 1) if with_quasi else None, items, both, sampled)


def alone_with(columns: Sequence[Column], n: int) -> dict[str, int]:
    """How many of n records are unique by all the columns, under "", and by all but each of them, under its name.

    Values are mixed into 64 bits: two different records of a million are taken for one with a chance of 1 in 10 million.
    """
    rng = np.random.default_rng(0)
    mixed = {c.name: rng.integers(0, 2**64, len(c.domain) + 1, np.uint64)[c.codes] for c in columns}
    whole = sum(mixed.values(), np.zeros(n, np.uint64))
    return {"": _singles(whole)} | {name: _singles(whole - own) for name, own in mixed.items()}


def _singles(keys: NDArray[np.uint64]) -> int:
    """How many keys occur once."""
    ordered = np.sort(keys)
    new = np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])
    return int((new[1:] & new[:-1])[: len(keys)].sum())


def _groups(original: Dataset) -> Rows:
    """A number for each combination of quasi values; a missing value is a value of its own."""
    groups = np.zeros(len(original), np.int64)
    for column in original.quasi:
        keys = groups * (len(column.domain) + 1) + column.codes + 1
        groups = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return groups


def _needed(original: Dataset, groups: Rows, most: int, some: Rows | None, progress: Callable[[float], None]) -> Rows:
    """The least number of items that single out each record (or each of `some`) within its group; most + 1 where none do."""
    order = np.argsort(groups, kind="stable")
    t = original.linkable.take(order)
    bounds = offsets_of(np.bincount(groups))
    inside = groups[order]
    starts, stops = bounds[inside], bounds[inside + 1]
    holders = holders_of_items(t.offsets, t.items, len(t.domain))
    found = []
    for first, last, done in _blocks(len(t)) if some is None else _alone(np.flatnonzero(np.isin(order, some))):
        found.append(items_to_single_out(t.offsets, t.items, starts, stops, holders, most, (first, last)))
        progress(done)
    return np.concatenate([np.zeros(0, np.int64), *found])


def _blocks(n: int) -> Iterator[tuple[int, int, float]]:
    """All records in blocks, and the share done after each."""
    for first in range(0, n, AT_ONCE):
        last = min(first + AT_ONCE, n)
        yield first, last, last / n


def _alone(places: Rows) -> Iterator[tuple[int, int, float]]:
    """Each of these records by itself."""
    for p, place in enumerate(places.tolist(), 1):
        yield place, place + 1, p / len(places)


def _shares(needed: Rows, most: int) -> tuple[float, ...]:
    return tuple(_share(needed <= size) for size in range(1, most + 1))


def _share(unique: Mask) -> float:
    return float(unique.mean()) if len(unique) else 0.0
