"""What may be learnt from values: exact ones count 1, generalized ones are spread evenly over what they may stand for."""

import numpy as np
from scipy import sparse

from anonset.measure.published import members_in_original
from anonset.measure.workload.label_index import LabelIndex
from anonset.model.arrays import Reals
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, Ranges
from anonset.model.release import Release
from anonset.model.sets import places_in, rows_of

Shares = sparse.csr_array  # (records, values): how much of a record's value is each value; a row of 0 where nothing is known


def exact_column(column: Column) -> Shares:
    """The values of an original column."""
    known = np.flatnonzero(column.codes >= 0)
    return sparse.csr_array((np.ones(len(known)), (known, column.codes[known])), (len(column), len(column.domain)))


def published_column(original: Column, published: PublishedColumn) -> Shares:
    """The values of a published column: a label of n values counts 1/n for each; "anything" and missing say nothing."""
    labels, d = published.labels, len(original.domain)
    if isinstance(labels, Ranges):
        assert original.values is not None
        inside = (original.values >= labels.low[:, None]) & (original.values <= labels.high[:, None])
        stands = sparse.csr_array(inside.astype(np.float64))
    else:
        stands = sparse.csr_array((np.ones(len(labels.members)), labels.members, labels.offsets), (len(labels), d))
    sizes: Reals = np.asarray(stands.sum(axis=1), np.float64).ravel()
    weight = np.where((sizes > 0) & ((sizes < d) | (sizes == 1)), 1.0 / np.maximum(sizes, 1), 0.0)
    known = np.flatnonzero(published.codes >= 0)
    shown = sparse.csr_array((weight[published.codes[known]], (known, published.codes[known])), (len(published), len(labels)))
    return sparse.csr_array(shown @ stands)


def exact_item_sets(original: Dataset) -> Shares:
    """The linkable items of the original."""
    t = original.linkable
    return sparse.csr_array((np.ones(len(t.items)), t.items, t.offsets), (len(t), len(t.domain)))


def published_item_sets(original: Dataset, release: Release) -> Shares:
    """The items of a release: a label counts 1 / free items for each of its items, at most 1 together; base sets as shown."""
    assert original.transactions is not None
    assert release.items is not None
    t, items = original.transactions, release.items
    if not isinstance(items, GeneralizedItems):
        place = places_in(t.domain, items.domain)[items.base]
        record = rows_of(items.base_offsets)
        known = place >= 0
        return sparse.csr_array((np.ones(int(known.sum())), (record[known], place[known])), (len(items), len(t.domain)))
    index, sizes = LabelIndex(t, items), items.labels.sizes
    free = np.empty(len(items.shown))
    free[index.entry] = index.free()
    small = sizes[items.shown] < max(2, len(t.domain))  # "any item" says nothing
    weight = np.where(small & (free > 0), 1.0 / np.maximum(free, 1), 0.0)
    shown = sparse.csr_array((weight, items.shown, items.offsets), (len(items), len(sizes)))
    members = members_in_original(original, items)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    stands = sparse.csr_array(
        (np.ones(int((members >= 0).sum())), (owner[members >= 0], members[members >= 0])), (len(sizes), len(t.domain))
    )
    spread = sparse.csr_array(shown @ stands)
    spread.data = np.minimum(spread.data, 1.0)
    return spread
