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


class HiddenCounts(NamedTuple):
    """What the records of a part add to margins: those that may hide each original item, and those that show each label."""

    hiding: Rows
    shown: Rows


def hidden_counts(original: Dataset, items: GeneralizedItems, whole: GeneralizedItems) -> HiddenCounts:
    """The counts of the records with these items; labels have the places of `whole`, which has those of all parts."""
    sizes, members = items.labels.sizes, _known(original, items)
    place = {text: a for a, text in enumerate(whole.labels.texts)}
    records = np.zeros(len(whole.labels), np.int64)
    records[[place[text] for text in items.labels.texts]] = np.bincount(items.shown, minlength=len(sizes))
    hiding = hiding_records(items.offsets, items.shown, items.labels.offsets, members, len(original.linkable.domain))
    return HiddenCounts(hiding, records)


def with_margins(original: Dataset, release: Release) -> Release:
    """The release with margins of the items that some of its labels stand for."""
    k = margins_k(release)
    assert isinstance(release.items, GeneralizedItems)
    counted = hidden_counts(original, release.items, release.items)
    return replace(release, margins=margins_of(original, original.linkable.supports, release.items, counted, k))


def margins_k(release: Release) -> int:
    """The number to whose multiples margins are rounded; raises if the release can have none."""
    if not isinstance(release.items, GeneralizedItems):
        raise ParameterError("margins go with generalized items, and the release has none")
    ks = [guarantee.k for guarantee in release.guarantees if "items" in guarantee.covers and hasattr(guarantee, "k")]
    if not ks:
        raise ParameterError("margins are rounded to the k that a release promises of its items, and it promises none")
    return max(ks)


def margins_of(original: Dataset, counts: Rows, whole: GeneralizedItems, counted: HiddenCounts, k: int) -> Margins:
    """The margins of items in `counts` records of the whole data; `counted` is what all records with labels of `whole` add."""
    shown = _visible(original, whole, counted)
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


def _known(original: Dataset, items: GeneralizedItems) -> Ids:
    """The original item behind each member of a label; -1 if it is sensitive or unknown."""
    known = places_in(original.linkable.domain, items.domain)
    if original.sensitive_items is not None:
        known[(known >= 0) & original.sensitive_items[known]] = -1
    return known[items.labels.members]


def _visible(original: Dataset, items: GeneralizedItems, counted: HiddenCounts) -> _Visible:
    d, members, sizes, records = len(original.linkable.domain), _known(original, items), items.labels.sizes, counted.shown
    used = np.repeat(records > 0, sizes) & (members >= 0)
    single = np.repeat(sizes == 1, sizes) & used
    exact = np.zeros(d, np.int64)
    np.add.at(exact, members[single], np.repeat(records, sizes)[single])
    behind = np.zeros(d, np.bool_)
    behind[members[used]] = True
    large = (sizes > 1) & (records > 0)
    return _Visible(behind, exact, counted.hiding, offsets_of(sizes[large]), members[np.repeat(large, sizes)], records[large])
