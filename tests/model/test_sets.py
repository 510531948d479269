"""Sets in flat arrays against lists of lists."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.model.sets import filter_members, offsets_of_rows, rows_of, sets_of, take

ROWS = st.lists(st.lists(st.integers(0, 9), unique=True, max_size=4).map(sorted), max_size=6)


def lists_of(offsets: np.ndarray, members: np.ndarray) -> list[list[int]]:
    """The sets as lists."""
    return [members[low:high].tolist() for low, high in pairwise(offsets)]


@given(ROWS)
def test_sets_of_rows_are_the_rows(rows: list[list[int]]) -> None:
    offsets, members = sets_of(rows)
    assert (offsets.dtype, members.dtype) == (np.int64, np.int32)
    assert lists_of(offsets, members) == rows
    assert rows_of(offsets).tolist() == [r for r, row in enumerate(rows) for _ in row]
    assert offsets_of_rows(rows_of(offsets), len(rows)).tolist() == offsets.tolist()


@given(ROWS, st.data())
def test_rows_are_taken_by_number_or_by_mask(rows: list[list[int]], data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8)) if rows else []
    assert lists_of(*take(*sets_of(rows), np.array(wanted, np.int64))) == [rows[r] for r in wanted]
    mask = np.array([r in wanted for r in range(len(rows))], np.bool_)
    assert lists_of(*take(*sets_of(rows), mask)) == [row for r, row in enumerate(rows) if r in wanted]


@given(ROWS, st.integers(0, 9))
def test_members_are_filtered_within_their_rows(rows: list[list[int]], least: int) -> None:
    offsets, members = sets_of(rows)
    assert lists_of(*filter_members(offsets, members, members >= least)) == [[i for i in row if i >= least] for row in rows]
