"""Sets in flat arrays against lists of lists."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.errors import InputError
from anonset.model.sets import (
    check_rows_of_sets,
    distinct,
    filter_members,
    freeze,
    has_repeats,
    offsets_of_rows,
    renumbered,
    rows_of,
    set_order,
    set_ranks,
    sets_of,
    sorted_within,
    take,
    times_of,
    unlike_the_row_before,
)
from strategies import transactions

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


@given(transactions())
def test_sets_as_they_should_be_pass(t):
    assert check_rows_of_sets(t.offsets, t.items, len(t.domain), what="items") is None


@pytest.mark.parametrize(
    ("offsets", "entries", "message"),
    [
        ([], [], "must start at 0"),
        ([1, 2], [0, 1], "must start at 0"),
        ([0, 2, 1, 2], [0, 1], "never fall"),
        ([0, 1], [0, 1], "end at the number of entries"),
        ([0, 1], [3], "numbers from 0 to 2"),
        ([0, 1], [-1], "numbers from 0 to 2"),
        ([0, 2], [1, 1], "ascend without repeats"),
        ([0, 0, 2, 3], [2, 1, 0], "ascend without repeats"),
    ],
)
def test_anything_else_is_told(offsets, entries, message):
    with pytest.raises(InputError, match=message):
        check_rows_of_sets(np.array(offsets, np.int64), np.array(entries, np.int32), 3, what="items")


def test_frozen_arrays_cannot_be_changed():
    array = np.zeros(2)

    freeze(array, None)

    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


@given(st.lists(st.sets(st.integers(0, 60), max_size=14), min_size=1, max_size=12), st.booleans())
def test_ranks_of_sets_are_those_of_a_dictionary(sets, twice):
    rows = [sorted(s) for s in (sets * 2 if twice else sets)]

    found = set_ranks(*sets_of(rows), 61)

    assert found.tolist() == [sum(other < row for other in rows) for row in rows]


@given(st.lists(st.integers(0, 9)), st.integers(0, 3))
def test_codes_are_renumbered_as_unique_does_and_lower_ones_are_left_out(codes, first):
    used, place = renumbered(np.array(codes, np.int64), first)

    assert distinct(np.array(codes, np.int64)).tolist() == sorted(set(codes))
    assert used.tolist() == [c for c in sorted(set(codes)) if c >= first]
    assert [used[p] if p >= 0 else -1 for p in place] == [c if c >= first else -1 for c in codes]


@given(rows=st.lists(st.lists(st.integers(0, 9), unique=True, max_size=4), max_size=6))
def test_members_are_sorted_within_their_row(rows):
    offsets, members = sets_of(rows)

    assert lists_of(offsets, sorted_within(offsets, members, 10)) == [sorted(row) for row in rows]


@given(rows=st.lists(st.lists(st.integers(0, 2), unique=True, max_size=3).map(sorted), min_size=1, max_size=8))
def test_rows_that_repeat_the_one_before_are_known(rows):
    found = unlike_the_row_before(*sets_of(rows))

    assert found.tolist() == [True, *(before != row for before, row in pairwise(rows))]


@given(st.lists(st.integers(-3, 8) | st.integers(-(2**62), 2**62), max_size=8))
def test_a_number_that_is_there_twice_is_found(numbers):
    assert has_repeats(np.array(numbers, np.int64)) == (len(set(numbers)) < len(numbers))


@given(ROWS, st.integers(1, 3), st.data())
def test_working_in_pieces_changes_nothing(rows: list[list[int]], at_once: int, source: st.DataObject) -> None:
    offsets, members = sets_of(rows)
    which = np.array(source.draw(st.permutations(range(len(rows)))), np.int64)
    renamed = np.array(source.draw(st.permutations(range(10))), np.int32)[members]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.model.sets.AT_ONCE", at_once)
        assert lists_of(*take(offsets, members, which)) == [rows[r] for r in which]
        assert lists_of(offsets, sorted_within(offsets, renamed, 10)) == [sorted(row) for row in lists_of(offsets, renamed)]
        assert unlike_the_row_before(offsets, members).tolist() == [r == 0 or rows[r] != rows[r - 1] for r in range(len(rows))]
        assert times_of(members, 10).tolist() == [members.tolist().count(code) for code in range(10)]
        order, start = set_order(offsets, members, 10)
    assert order.tolist() == sorted(range(len(rows)), key=lambda r: rows[r])
    assert start.tolist() == [sorted(rows).index(row) for row in sorted(rows)]


def test_codes_below_zero_are_counted_too() -> None:
    assert times_of(np.array([-1, 2, -1, 0], np.int32), 3, least=-1).tolist() == [2, 1, 0, 1]
