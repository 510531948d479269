"""The cyclic order that puts similar records side by side: whole records as sets of bits, their Gray order, then local search
in segments ([004] 4.1).
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.nonreciprocal._kernels.tours import distance_matrix, segment_borders, shorten_path
from anonset.kernels.gray import cyclic_distances, gray_order
from anonset.model.arrays import Rows
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.progress import Progress
from anonset.model.sets import offsets_of_rows, rows_of

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


SEGMENT = (300, 350)
PASSES = 100  # of local search in one segment; it is at rest long before


class Tour(NamedTuple):
    """The records in a cyclic order, and the sum of the distances of neighbours before and after each step."""

    rows: Rows
    lengths: dict[str, int]


def gray_tour(records: Transactions) -> Tour:
    """The records in Gray order."""
    rows = gray_order(records.offsets, records.items)
    input_order = np.arange(len(records), dtype=np.int64)
    return Tour(rows, {"input": _length(records, input_order), "gray": _length(records, rows)})


def gray_tsp_tour(records: Transactions, rounds: int, progress: Progress) -> Tour:
    """The records in Gray order, shortened in segments."""
    rows, lengths = gray_tour(records)
    offsets, items, d = records.offsets, records.items, len(records.domain)
    for done in range(rounds):
        rows = np.roll(rows, -(done % 2) * SEGMENT[0] // 2)
        borders = segment_borders(cyclic_distances(offsets, items, rows), *SEGMENT)
        for start, stop in pairwise(borders):
            progress((done + start / len(rows)) / rounds)
            here = rows[start:stop]
            rows[start:stop] = here[shorten_path(distance_matrix(offsets, items, here, d), PASSES)]
    return Tour(rows, {**lengths, "gray-tsp": _length(records, rows)})


def _length(records: Transactions, rows: Rows) -> int:
    return int(cyclic_distances(records.offsets, records.items, rows).sum())
