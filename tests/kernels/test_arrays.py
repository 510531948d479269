"""Longer copies, sorting in place, the bits of words and hash tables, against Python's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.kernels.arrays import bit_count, sort_stretch, with_room
from anonset.kernels.hash_table import FREE, cell_of, place_of


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("n", [0, 3, 4, 9])
def test_a_longer_copy_has_room_and_begins_with_the_same_entries(dtype, n):
    values = np.array([5, 1, 4], dtype)
    longer = with_room(values, n)

    assert len(longer) >= n
    assert longer.dtype == dtype
    assert longer[:3].tolist() == [5, 1, 4]
    assert (longer is values) == (n <= 3)


@given(st.lists(st.integers(-9, 200), max_size=150), st.data())
def test_a_stretch_is_sorted_and_nothing_beside_it_moves(values, draw):
    begin, end = sorted(draw.draw(st.tuples(st.integers(0, len(values)), st.integers(0, len(values)))))
    array = np.array(values, np.int32)

    sort_stretch(array, begin, end)

    assert array.tolist() == values[:begin] + sorted(values[begin:end]) + values[end:]


@given(st.integers(0, 2**64 - 1))
def test_the_bits_of_a_word_are_counted(word):
    assert bit_count(np.uint64(word)) == word.bit_count()


@given(st.lists(st.integers(0, 2**62 - 1), max_size=15))
def test_keys_are_found_again_where_they_were_put(keys):
    table, cells = np.full(32, FREE), np.full(64, FREE)
    for key in keys:
        table[place_of(key, table)] = cells[cell_of(key, cells)] = key

    assert sorted(table[table != FREE].tolist()) == sorted(set(keys))
    assert sorted(cells[::2][cells[::2] != FREE].tolist()) == sorted(set(keys))
    assert all(table[place_of(key, table)] == key and cells[cell_of(key, cells)] == key for key in keys)
