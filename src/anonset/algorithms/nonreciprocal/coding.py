"""Whole records as sets of bits, so that records are ordered by all that an attacker may know (ours; [004] has items only)."""

import numpy as np
from numpy.typing import NDArray

from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.transactions import Transactions

UNARY_BITS = 16  # a numeric column counts as much as that many items


def coded_records(data: Dataset) -> Transactions:
    """The linkable items of each record and, behind them, a bit for each thing its quasi columns say.

    A numeric column is coded in unary: bit t says the value lies above the t-th of 16 quantiles. A categorical one has a bit
    for its value and, with a hierarchy, for every node above it but the root. A missing value has a bit of its own.
    """
    items = data.linkable
    if not data.quasi:
        return items
    bits = np.hstack([_bits(column) for column in data.quasi])
    record, bit = np.nonzero(bits)
    d = len(items.domain)
    records = np.concatenate([np.repeat(np.arange(len(items)), items.lengths), record])
    entries = np.concatenate([items.items, (bit + d).astype(np.int32)])
    order = np.lexsort((entries, records))
    offsets = items.offsets + np.concatenate([[0], np.cumsum(bits.sum(axis=1))]).astype(np.int64)
    names = tuple(str(i) for i in range(d + bits.shape[1]))
    return Transactions(offsets, entries[order], names)


def _bits(column: Column) -> NDArray[np.bool_]:
    known = column.codes >= 0
    if column.values is not None:
        values = column.values[column.codes]
        cuts = np.unique(np.quantile(values[known], np.arange(UNARY_BITS) / UNARY_BITS)) if known.any() else np.zeros(0)
        said = (values[:, None] > cuts) & known[:, None]
    elif column.hierarchy is not None:
        tree = column.hierarchy
        said = np.zeros((len(column), len(tree)), np.bool_)
        node = np.where(known, column.codes, tree.root)
        while (below := node != tree.root).any():
            said[np.flatnonzero(below), node[below]] = True
            node = np.where(below, tree.parent[node], node)
    else:
        said = (column.codes[:, None] == np.arange(len(column.domain))) & known[:, None]
    return np.hstack([said, ~known[:, None]])
