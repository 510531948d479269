"""Whole records as sets of bits, so that records are ordered by all that an attacker may know (ours; [004] has items only)."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from anonset.model.arrays import Rows
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.sets import offsets_of_rows, rows_of
from anonset.model.transactions import Transactions

Cuts = NDArray[np.float64]
Bits = tuple[list[Rows], list[Rows], int]  # records, the bits they have, and the number of different bits


def coded_records(data: Dataset, unary_bits: int, cuts: Mapping[str, Cuts] | None = None) -> Transactions:
    """The linkable items of each record and, behind them, a bit for each thing its quasi columns say.

    A numeric column is coded in unary: bit t says the value lies above the t-th of so many quantiles. A categorical one has
    a bit for its value and, with a hierarchy, for every node above it but the root. A missing value has a bit of its own.
    `cuts` are the quantiles, by column, where the data are a part of what they are taken from.
    """
    known = data.linkable
    if not data.quasi:
        return known
    records, entries, d = [rows_of(known.offsets)], [known.items.astype(np.int64)], len(known.domain)
    for column in data.quasi:
        having, bits, width = _bits(column, unary_bits, (cuts or {}).get(column.name))
        records += having
        entries += [bit + d for bit in bits]
        d += width
    record, entry = np.concatenate(records), np.concatenate(entries)
    offsets = offsets_of_rows(record, len(known))
    return Transactions(offsets, entry[np.lexsort((entry, record))].astype(np.int32), tuple(map(str, range(d))))


def quantile_cuts(values: Cuts, unary_bits: int, counts: Rows | None = None) -> Cuts:
    """So many quantiles, each once; `counts` says how many records have each value."""
    if not len(values):
        return np.zeros(0)
    shares, method = np.arange(1, unary_bits + 1) / (unary_bits + 1), "linear" if counts is None else "inverted_cdf"
    return np.unique(np.quantile(values, shares, weights=counts, method=method))  # type: ignore[call-overload]


def _bits(column: Column, unary_bits: int, cuts: Cuts | None) -> Bits:
    known, missing = np.flatnonzero(column.codes >= 0), np.flatnonzero(column.codes < 0)
    codes = column.codes[known].astype(np.int64)
    having, bits = [missing], [np.zeros(len(missing), np.int64)]  # bit 0 says that nothing is said
    if column.values is not None:
        values = column.values[codes]
        cuts = quantile_cuts(values, unary_bits) if cuts is None else cuts
        place, bit = np.nonzero(values[:, None] > cuts)
        return [*having, known[place]], [*bits, bit + 1], unary_bits + 1
    if column.hierarchy is None:
        return [*having, known], [*bits, codes + 1], len(column.domain) + 1
    tree = column.hierarchy
    while len(known := known[codes != tree.root]):
        codes = codes[codes != tree.root]
        having.append(known)
        bits.append(codes + 1)
        codes = tree.parent[codes].astype(np.int64)
    return having, bits, len(tree) + 1
