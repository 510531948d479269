"""A matrix of baskets: columns that say who has them as an item."""

import polars as pl
import pytest

from anonset.data import Schema, guess, read
from anonset.errors import InputError

MATRIX = pl.DataFrame({"milk": [1, 0, 1, None], "bread": [0, 0, 1, 1], "gin": [0, 0, 0, 0]})
SETS = [{"milk"}, set(), {"milk", "bread"}, {"bread"}]


def sets_of(frame, **settings):
    return list(read(frame, schema=Schema(**settings)).transactions.records())


@pytest.mark.parametrize(
    "frame",
    [
        MATRIX,
        MATRIX.cast(pl.Float64),
        MATRIX.cast(pl.Boolean),
        MATRIX.select(pl.all().replace_strict({0: "no", 1: "Yes"}, default=None)),
    ],
)
def test_absence_is_no_item(frame):
    assert sets_of(frame, items=("milk", "bread", "gin")) == SETS


def test_numbered_columns_are_items_of_their_own():
    frame = MATRIX.rename({"milk": "q1", "bread": "q2", "gin": "q3"})

    assert sets_of(frame, items=("q1", "q2", "q3")) == [{"q1"}, set(), {"q1", "q2"}, {"q2"}]


def test_other_sets_beside_them_keep_the_name_of_their_column():
    frame = MATRIX.with_columns(pl.Series("tags", ["a b", "a", "", "b"]))
    found = sets_of(frame, items=("milk", "bread", "tags"))

    assert found == [{"milk", "tags.a", "tags.b"}, {"tags.a"}, {"milk", "bread"}, {"bread", "tags.b"}]


def test_it_can_be_said_or_denied():
    assert sets_of(MATRIX, items=("milk",)) == [{"1"}, {"0"}, {"1"}, set()]
    assert sets_of(MATRIX, items=("milk",), kinds={"milk": "flag"}) == [{"milk"}, set(), {"milk"}, set()]
    assert sets_of(MATRIX, items=("milk", "bread"), kinds=dict.fromkeys(("milk", "bread"), "categorical"))[1] == {
        "milk.0",
        "bread.0",
    }
    found = guess(MATRIX, schema=Schema(items=("milk", "bread", "gin")))
    assert found.schema.kinds == dict.fromkeys(("milk", "bread", "gin"), "flag")
    assert {fate.kind for fate in found.fates} == {"items"}


def test_what_is_no_flag_is_refused():
    with pytest.raises(InputError, match="a flag says who has an item: name the column among the items"):
        read(MATRIX, schema=Schema(quasi=("milk",), kinds={"milk": "flag"}))
    frame = MATRIX.with_columns(pl.Series("milk", [0, 1, 2, 0]))
    with pytest.raises(InputError, match="a flag is 0 or 1, false or true, no or yes"):
        read(frame, schema=Schema(items=("milk", "bread"), kinds={"milk": "flag"}))
    with pytest.raises(InputError, match="kinds must be a table of column = 'numeric' or 'ordered' or 'categorical' or 'flag'"):
        Schema(kinds={"milk": "bit"})
