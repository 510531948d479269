"""Uncertain item sets of a release as matrices, in the item codes of the original."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from anonset.model.arrays import Ids, Offsets
from anonset.model.dataset import Dataset
from anonset.model.labels import UncertainItems
from anonset.model.release import Release


class ShownSets(NamedTuple):
    """base[p, i] is 1 where published record p shows item i, doubt[p, i] where that may be wrong; at most threshold[p] are."""

    base: sparse.csc_array
    doubt: sparse.csc_array
    threshold: Ids


def shown_sets(original: Dataset, release: Release) -> ShownSets:
    """What the release shows; items that the original does not know get columns behind those it knows."""
    items = release.items
    assert isinstance(items, UncertainItems), "the measure's `needs` says so"
    assert original.transactions is not None
    code = {name: i for i, name in enumerate(original.transactions.domain)}
    place = np.array([code.setdefault(name, len(code)) for name in items.domain], np.int32)
    return ShownSets(
        _matrix(items.base_offsets, place[items.base], len(code)),
        _matrix(items.distance_offsets, place[items.distance], len(code)),
        items.threshold,
    )


def originals_behind(original: Dataset, release: Release) -> sparse.csc_array:
    """The original item sets behind the published records, with as many columns as `shown_sets` has."""
    assert isinstance(release.items, UncertainItems)
    assert original.transactions is not None
    t = original.transactions.take(release.rows)
    return _matrix(t.offsets, t.items, len(set(t.domain).union(release.items.domain)))


def _matrix(offsets: Offsets, items: Ids, d: int) -> sparse.csc_array:
    return sparse.csr_array((np.ones(len(items), np.int32), items, offsets), (len(offsets) - 1, d)).tocsc()
