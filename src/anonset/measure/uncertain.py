"""Uncertain item sets as matrices, a column for each item of a domain."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from anonset.model.arrays import Ids, Offsets
from anonset.model.dataset import Dataset
from anonset.model.labels import UncertainItems
from anonset.model.release import Release


class ShownSets(NamedTuple):
    """base[p, i] is 1 where record p shows item i, doubt[p, i] where that may be wrong; at most threshold[p] are wrong."""

    base: sparse.csc_array
    doubt: sparse.csc_array
    threshold: Ids


def uncertain(release: Release) -> UncertainItems:
    """The uncertain items of a release that is known to have them."""
    assert isinstance(release.items, UncertainItems), "the measure's `needs` says so"
    return release.items


def shown_sets(items: UncertainItems, d: int | None = None) -> ShownSets:
    """What is shown, in d columns where more than those of its domain are wanted."""
    width = d or len(items.domain)
    return ShownSets(
        _matrix(items.base_offsets, items.base, width),
        _matrix(items.distance_offsets, items.distance, width),
        items.threshold,
    )


def true_sets(original: Dataset, release: Release) -> sparse.csc_array:
    """The original item sets behind the published records; items the release does not know come behind those it knows."""
    assert original.transactions is not None
    t = original.transactions.take(release.rows)
    code = {name: i for i, name in enumerate(uncertain(release).domain)}
    place = np.array([code.setdefault(name, len(code)) for name in t.domain], np.int32)
    return _matrix(t.offsets, place[t.items], len(code))


def _matrix(offsets: Offsets, items: Ids, d: int) -> sparse.csc_array:
    return sparse.csr_array((np.ones(len(items), np.int32), items, offsets), (len(offsets) - 1, d)).tocsc()


def er(original: Dataset, release: Release) -> float:
    """Return the mean over records of (items wrong in the base set) / (items of the record): 0.0 none is wrong.

    A record without items counts each wrong item as one. Above 1.0 more is wrong than was there.
    """
    if len(release) == 0:
        return 0.0
    true = true_sets(original, release)
    base = shown_sets(uncertain(release), true.shape[1]).base
    wrong = np.asarray(abs(base - true).sum(axis=1)).ravel()
    held = np.asarray(true.sum(axis=1)).ravel()
    return float((wrong / np.maximum(held, 1)).mean())
