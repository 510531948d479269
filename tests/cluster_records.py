"""Records of clusters as the kernels of constraint-based algorithms read them, and strategies for them."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from anonset.algorithms.constraints._kernels.clusters import count_pairs, gather_holders
from flat_sets import flat


class Case(NamedTuple):
    """Records as sets, and the same in arrays: those of one cluster counted in `alone` or listed as the others are."""

    d: int
    records: list[set[int]]
    alone: np.ndarray
    rows: tuple[np.ndarray, np.ndarray, np.ndarray]
    holders: tuple[np.ndarray, np.ndarray, np.ndarray]
    table: np.ndarray

    def support(self, wanted):
        """The number of records that hold all that is wanted."""
        return sum(wanted <= record for record in self.records)


def rows_of(sets):
    """Sets as starts, lengths and entries."""
    offsets, entries = flat(sets)
    return offsets[:-1].copy(), np.diff(offsets).astype(np.int32), entries


def sets_in(rows):
    """The sets of such rows, as lists in the order they are kept in."""
    starts, lengths, entries = rows
    return [entries[start : start + length].tolist() for start, length in zip(starts, lengths, strict=True)]


@st.composite
def cluster_records(draw, max_clusters=6, max_records=12):
    """Records of up to six clusters, with the table of all pairs or with room to count one row."""
    d = draw(st.integers(1, max_clusters))
    listed = draw(st.lists(st.sets(st.integers(0, d - 1), min_size=1), max_size=max_records))
    if draw(st.booleans()):  # long records: large sets are rare although their parts are not
        gone = draw(st.lists(st.sets(st.integers(0, d - 1), max_size=2), min_size=2, max_size=max_records))
        listed = [set(range(d)) - some for some in gone if len(some) < d]
    alone = np.array(draw(st.lists(st.integers(0, 2), min_size=d, max_size=d)), np.int64)
    return case_of(d, listed, alone, whole_table=draw(st.booleans()))


def case_of(d, listed, alone, whole_table=True):
    """The records in arrays."""
    rows = rows_of(listed)
    table = np.zeros((d if whole_table else 1, d), np.int32)
    if len(table) == d:
        count_pairs(rows, table)
    records = [*listed, *({c} for c in range(d) for _ in range(alone[c]))]
    return Case(d, records, alone, rows, gather_holders(rows, d)[0], table)
