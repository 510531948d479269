"""A cyclic order in which neighbours are similar (section 4.1 of Xue et al., 2012): records as sets of bits, sorted in Gray
order, then improved by local search in segments.
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
Bits = tuple[list[Rows], list[Rows], int]  # rows, their bits, and the number of different bits


def coded_records(data: Dataset, unary_bits: int, cuts: Mapping[str, Cuts] | None = None) -> Transactions:
    """Each record as a set of bits: its linkable items, then the bits of its quasi columns.

    A numeric column is coded in unary: bit t is set if the value is above the t-th quantile. A categorical column has a bit for
    its value and, with a hierarchy, one for every node above it but the root. A missing value has a bit of its own. `cuts` are
    the quantiles of each column if the data are only a part of the whole.
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
    """The distinct quantiles of the values; counts[i] records have values[i]."""
    if not len(values):
        return np.zeros(0)
    shares, method = np.arange(1, unary_bits + 1) / (unary_bits + 1), "linear" if counts is None else "inverted_cdf"
    return np.unique(np.quantile(values, shares, weights=counts, method=method))  # type: ignore[call-overload]


def _bits(column: Column, unary_bits: int, cuts: Cuts | None) -> Bits:
    known, missing = np.flatnonzero(column.codes >= 0), np.flatnonzero(column.codes < 0)
    codes = column.codes[known].astype(np.int64)
    having, bits = [missing], [np.zeros(len(missing), np.int64)]  # bit 0: the value is missing
    if (ranks := column.ranks) is not None:
        values = ranks[codes]
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
PASSES = 100  # of local search in one segment, at most; it converges long before


class Tour(NamedTuple):
    """A cyclic order of the records, and the sum of the distances of neighbours after each step."""

    rows: Rows
    lengths: dict[str, int]


def gray_tour(records: Transactions) -> Tour:
    """The Gray order of the records."""
    rows = gray_order(records.offsets, records.items)
    input_order = np.arange(len(records), dtype=np.int64)
    return Tour(rows, {"input": _length(records, input_order), "gray": _length(records, rows)})


def gray_tsp_tour(records: Transactions, rounds: int, progress: Progress) -> Tour:
    """The Gray order of the records, shortened by local search in segments."""
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
