"""The cyclic order that puts similar records side by side: Gray order, then local search in segments ([004] 4.1).

1. Sort the records by the Gray rank of their item sets.
2. Cut the order into segments of 300 to 350 records where neighbours are closest (Eq. 1).
3. In each segment shorten the path from its first to its last record.
4. Once more from 2, with the borders of the last round inside the segments of the next.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from anonset.algorithms.nonreciprocal.kernels.local_search import shorten_path
from anonset.algorithms.nonreciprocal.kernels.tours import distance_matrix, segment_borders
from anonset.kernels.gray import cyclic_distances, gray_order
from anonset.model.arrays import Rows
from anonset.model.progress import Progress
from anonset.model.transactions import Transactions

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
