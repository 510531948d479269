"""Margins for a release: rounded counts of items in the whole data, withheld where a difference would show fewer than k.

1. Count items; leave out those in fewer than k records; round down to multiples of k.
2. Withhold the items that 1 to k - 1 records may hide: what is hidden of them is few in any case.
3. For each label, what its other items leave over for one of them: where that is 1 to k - 1 for sure, withhold its items.
4. Repeat step 3 until nothing more has to be withheld.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from anonset.errors import ParameterError
from anonset.model.arrays import Ids, Mask, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Margins, Release
from anonset.model.sets import offsets_of, places_in
from anonset.releases._kernels.hiding import hiding_records


class _Visible(NamedTuple):
    """What a reader sees of each original item: whether it is `behind` a label, and its `exact` and `hiding` records.

    `offsets`, `members` (-1: sensitive or unknown) and `records` describe the published labels of several items.
    """

    behind: Mask
    exact: Rows
    hiding: Rows
    offsets: Offsets
    members: Ids
    records: Rows


def with_margins(original: Dataset, release: Release) -> Release:
    """The release with margins of the items that some of its labels stand for."""
    if not isinstance(release.items, GeneralizedItems):
        raise ParameterError("margins go with generalized items, and the release has none")
    ks = [guarantee.k for guarantee in release.guarantees if "items" in guarantee.covers and hasattr(guarantee, "k")]
    if not ks:
        raise ParameterError("margins are rounded to the k that a release promises of its items, and it promises none")
    return replace(release, margins=_margins(original, release.items, max(ks)))


def _margins(original: Dataset, items: GeneralizedItems, k: int) -> Margins:
    counts, shown = original.linkable.supports, _visible(original, items)
    withheld = shown.behind & (shown.hiding >= 1) & (shown.hiding < k)  # step 2
    while True:
        telling = _telling_labels(shown, counts, withheld, k)
        more = shown.members[np.repeat(telling, np.diff(shown.offsets))]
        more = more[more >= 0]
        if withheld[more].all():
            break
        withheld[more] = True  # step 3
    domain = original.linkable.domain
    listed = np.flatnonzero(shown.behind & ~withheld & (counts >= k))
    return Margins(
        k,
        {domain[i]: int(counts[i] // k * k) for i in listed},
        frozenset(domain[i] for i in np.flatnonzero(withheld)),
    )


def _telling_labels(shown: _Visible, counts: Rows, withheld: Mask, k: int) -> Mask:
    """The labels whose other items' margins would leave 1 to k - 1 records for one of their items."""
    rounded = counts // k * k
    most = rounded + k - 1 - shown.exact
    # what is hidden of an item is at most what margin and labels leave; where the margin exceeds the labels, some is left out
    most = np.where(rounded - shown.exact > shown.hiding, most, np.minimum(most, shown.hiding))
    with_margins, without = np.where(withheld, shown.hiding, np.maximum(most, 0)), shown.hiding
    few = _left_few(shown, with_margins, k) & ~_left_few(shown, without, k)
    return np.logical_or.reduceat(few, shown.offsets[:-1]) if len(few) else few


def _left_few(shown: _Visible, most: Rows, k: int) -> Mask:
    """The members for which their label leaves 1 to k - 1 records, if no more than `most` of each item are hidden."""
    if len(shown.records) == 0:
        return np.zeros(0, np.bool_)
    each = np.where(shown.members >= 0, most[shown.members], 0)
    left = np.repeat(shown.records - np.add.reduceat(each, shown.offsets[:-1]), np.diff(shown.offsets)) + each
    few: Mask = (shown.members >= 0) & (left >= 1) & (each < k)
    return few


def _visible(original: Dataset, items: GeneralizedItems) -> _Visible:
    t = original.linkable
    known = places_in(t.domain, items.domain)
    if original.sensitive_items is not None:
        known[(known >= 0) & original.sensitive_items[known]] = -1
    members, sizes = known[items.labels.members], items.labels.sizes
    records = np.bincount(items.shown, minlength=len(sizes)).astype(np.int64)
    used = np.repeat(records > 0, sizes) & (members >= 0)
    single = np.repeat(sizes == 1, sizes) & used
    exact = np.zeros(len(t.domain), np.int64)
    np.add.at(exact, members[single], np.repeat(records, sizes)[single])
    behind = np.zeros(len(t.domain), np.bool_)
    behind[members[used]] = True
    large = (sizes > 1) & (records > 0)
    return _Visible(
        behind,
        exact,
        hiding_records(items.offsets, items.shown, items.labels.offsets, members, len(t.domain)),
        offsets_of(sizes[large]),
        members[np.repeat(large, sizes)],
        records[large],
    )
