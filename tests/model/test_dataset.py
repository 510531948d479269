import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.errors import InputError
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.hierarchy import Hierarchy
from strategies import hierarchies, rt_datasets

AGE = Column("age", "quasi", "categorical", np.array([0, 1], np.int32), ("old", "young"))
BASKETS = Transactions.from_records(["ab", "b"])


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"columns": (AGE,), "transactions": Transactions.from_records(["a"])}, "same number of records"),
        ({}, "same number of records"),
        ({"columns": (AGE, AGE)}, "names must differ"),
        ({"columns": (AGE,), "transactions": BASKETS, "item_column": "age"}, "names must differ"),
        ({"columns": (AGE,), "sensitive_items": np.zeros(2, np.bool_)}, "one flag for each item"),
        ({"transactions": BASKETS, "sensitive_items": np.zeros(3, np.bool_)}, "one flag for each item"),
        ({"transactions": BASKETS, "item_hierarchy": Hierarchy(("a",), np.array([-1], np.int32))}, "leaves of their hierarchy"),
    ],
)
def test_parts_that_do_not_fit_are_told(parts, message):
    with pytest.raises(InputError, match=message):
        Dataset(**parts)


@given(rt_datasets(sensitive=True), st.data())
def test_records_are_taken_with_all_their_attributes(data, draw):
    rows = np.array(draw.draw(st.lists(st.integers(0, len(data) - 1), min_size=1, max_size=5)), np.int64)

    taken = data.take(rows)

    for before, after in zip(data.columns, taken.columns, strict=True):
        assert after.codes.tolist() == before.codes[rows].tolist()
    records = list(data.linkable.records())
    assert list(taken.linkable.records()) == [records[r] for r in rows]


@given(st.data())
def test_items_are_coded_anew_as_leaves_of_a_hierarchy(draw):
    tree = draw.draw(hierarchies(draw.draw(st.permutations("abcx"))))
    data = Dataset(transactions=BASKETS, sensitive_items=np.array([True, False]))

    found = data.with_item_hierarchy(tree)

    assert list(found.transactions.records()) == [{"a", "b"}, {"b"}]
    assert found.transactions.domain == tree.leaves
    assert list(found.linkable.records()) == [{"b"}, {"b"}]


def test_what_a_dataset_lacks_is_named():
    table = Dataset((AGE,))

    with pytest.raises(InputError, match="no column 'sex'; there are age"):
        table.column("sex")
    with pytest.raises(InputError, match="needs a set-valued attribute"):
        _ = table.linkable
    with pytest.raises(InputError, match=r"1 values are not leaves of the hierarchy, e\.g\. 'young'"):
        table.with_hierarchies({"age": Hierarchy(("old",), np.array([-1], np.int32))})
