"""A release in the item codes of the original, as the measures need it."""

from typing import NamedTuple

import numpy as np

from anonset.kernels.recode import published_labels
from anonset.model.arrays import Ids, Mask, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn
from anonset.model.release import Release
from anonset.model.sets import filter_members, pieces, places_in, take


def generalized(release: Release) -> GeneralizedItems:
    """The generalized items of a release that is known to have them."""
    assert isinstance(release.items, GeneralizedItems), "the measure's `needs` says so"
    return release.items


def members_in_original(original: Dataset, items: GeneralizedItems) -> Ids:
    """The members of the labels as item codes of the original; -1 for an item the original does not know."""
    assert original.transactions is not None
    return places_in(original.transactions.domain, items.domain)[items.labels.members]


def occurrence_labels(original: Dataset, release: Release) -> Ids:
    """For each original item occurrence the label that stands for it; -1 none does, -2 the record was left out."""
    assert original.transactions is not None
    items, t = generalized(release), original.transactions
    return published_labels(
        t.offsets,
        t.items,
        release.rows,
        items.offsets,
        items.shown,
        items.labels.offsets,
        members_in_original(original, items),
        len(t.domain),
    )


class Times(NamedTuple):
    """How many occurrences each label stands for; behind the labels, those of records left out and those without a label."""

    all: Rows
    linkable: Rows


def label_counts(original: Dataset, release: Release) -> Times:
    """How often `occurrence_labels` names each label, for all occurrences and for those of items that are not sensitive."""
    assert original.transactions is not None
    items, t = generalized(release), original.transactions
    d, linkable = len(items.labels) + 2, _is_linkable(original)
    meant, times = members_in_original(original, items), np.zeros((2, d), np.int64)
    for first, last in pieces(len(release)):
        offsets, held = take(t.offsets, t.items, release.rows[first:last])
        ends = items.offsets[first : last + 1]
        shown, rows = items.shown[ends[0] : ends[-1]], np.arange(last - first)
        found = published_labels(offsets, held, rows, ends - ends[0], shown, items.labels.offsets, meant, len(t.domain))
        found[found == -1] = d - 1
        times += [np.bincount(found, minlength=d), np.bincount(found, linkable[held], d).astype(np.int64)]
    times[:, -2] = np.array([len(t.items), int(t.supports @ linkable)]) - times.sum(axis=1)
    return Times(*times)


def _is_linkable(original: Dataset) -> Mask:
    """Which items are not sensitive."""
    assert original.transactions is not None
    flags = original.sensitive_items
    return np.ones(len(original.transactions.domain), np.bool_) if flags is None else ~flags


def linkable_records(original: Dataset, release: Release) -> tuple[Offsets, Ids]:
    """The published records without the labels of sensitive items."""
    items = generalized(release)
    if original.sensitive_items is None:
        return items.offsets, items.shown
    return filter_members(items.offsets, items.shown, ~sensitive_labels(original, items)[items.shown])


def sensitive_labels(original: Dataset, items: GeneralizedItems) -> Mask:
    """Which labels are a sensitive item, published as it is."""
    if original.sensitive_items is None:
        return np.zeros(len(items.labels), np.bool_)
    members = members_in_original(original, items)
    flag = original.sensitive_items[members] & (members >= 0)
    flags: Mask = flag[items.labels.offsets[:-1]] & (items.labels.sizes == 1)
    return flags


def groups(columns: tuple[PublishedColumn, ...], n: int) -> tuple[Rows, int]:
    """The group of equal published values each record is in, and the number of groups."""
    group, count = np.zeros(n, np.int64), 1 if n else 0
    for column in columns:
        _, group = np.unique(group * (len(column.labels) + 1) + _looks(column) + 1, return_inverse=True)
        count = int(group.max()) + 1 if n else 0
    return group.astype(np.int64), count


def _looks(column: PublishedColumn) -> Ids:
    """The code of each cell; where ranges read alike, that of the first."""
    texts = column.labels.texts
    first = {text: a for a, text in reversed([*enumerate(texts)])}
    if len(first) == len(texts):
        return column.codes
    return np.array([*(first[text] for text in texts), -1], np.int32)[column.codes]
