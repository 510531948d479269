import numpy as np
import pytest
from hypothesis import given

from anonset.errors import InputError
from anonset.model.arrays import check_rows_of_sets, freeze
from strategies import transactions


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
