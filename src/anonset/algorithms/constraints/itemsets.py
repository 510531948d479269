"""Itemsets in coded form: sorted by size, then by item ids, without repeats."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.errors import InputError
from anonset.model.arrays import Ids, Offsets
from anonset.model.dataset import Dataset
from anonset.model.sets import offsets_of, take
from anonset.model.transactions import Transactions

SHOWN = 3


@dataclass(frozen=True, slots=True, eq=False)
class CodedItemsets:
    """Itemset q is items[offsets[q] : offsets[q + 1]]; repeats[q] says how often it was given."""

    offsets: Offsets
    items: Ids
    repeats: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.repeats)

    def __getitem__(self, q: int) -> tuple[int, ...]:
        return tuple(self.items[self.offsets[q] : self.offsets[q + 1]].tolist())

    def take(self, which: NDArray[np.bool_]) -> "CodedItemsets":
        """The itemsets where the mask is true."""
        return CodedItemsets(*take(self.offsets, self.items, which), self.repeats[which])

    def supports(self, clusters: ItemClusters, limit: int) -> Ids:
        """The supports of the itemsets among singleton clusters, counted up to limit."""
        supports = np.zeros(len(self), np.int32)
        which = np.arange(len(self), dtype=np.int32)
        rows = (self.offsets[:-1].copy(), np.diff(self.offsets).astype(np.int32), self.items)
        clusters.count_supports(limit, which, rows, supports)
        return supports


def coded(offsets: Offsets, items: Ids) -> CodedItemsets:
    """Itemsets from rows in any order, empty ones left out."""
    lengths = np.diff(offsets)
    rows, repeats, sizes = [], [], []
    for n in np.unique(lengths[lengths > 0]):
        same = np.sort(items[offsets[:-1][lengths == n][:, None] + np.arange(n)], axis=1)
        same = same[np.lexsort(same.T[::-1])]
        new = np.concatenate([[True], (same[1:] != same[:-1]).any(axis=1)])
        rows.append(same[new].ravel())
        repeats.append(np.diff(np.append(np.flatnonzero(new), len(same))))
        sizes.append(np.full(int(new.sum()), n, np.int64))
    empty = np.zeros(0, np.int64)
    return CodedItemsets(
        offsets_of(np.concatenate([*sizes, empty])),
        np.concatenate([*rows, empty]).astype(np.int32),
        np.concatenate([*repeats, empty]).astype(np.int64),
    )


def coded_names(data: Dataset, itemsets: Sequence[Sequence[str]]) -> CodedItemsets:
    """Itemsets given by name; one that names an item the data do not have, or a sensitive one, is an error."""
    assert data.transactions is not None
    code = {name: i for i, name in enumerate(data.transactions.domain)}
    named = frozenset(chain.from_iterable(itemsets))
    if unknown := sorted(named.difference(code)):
        raise InputError(
            f"privacy constraints name {_some(unknown)}, not in the data; correct them, or drop what cannot occur "
            "(Itemsets.among)"
        )
    sensitive = data.sensitive_items
    if sensitive is not None and (secret := sorted(name for name in named if sensitive[code[name]])):
        raise InputError(f"privacy constraints name {_some(secret)}, sensitive and so not linkable; leave them out")
    offsets = offsets_of(np.fromiter(map(len, itemsets), np.int64, len(itemsets)))
    return coded(offsets, np.fromiter(map(code.__getitem__, chain.from_iterable(itemsets)), np.int32, offsets[-1]))


def maximal_rare_transactions(transactions: Transactions, clusters: ItemClusters, k: int) -> CodedItemsets:
    """The distinct transactions with support below k that no larger transaction contains ([003]'s Pgen).

    Protecting them protects every other transaction with support below k, which lies inside one of them. A transaction is
    maximal where every record that holds it is equal to it.
    """
    distinct = coded(transactions.offsets, transactions.items)
    supports = distinct.supports(clusters, k)
    return distinct.take((supports < k) & (supports == distinct.repeats))


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more items"
