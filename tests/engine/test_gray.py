"""Parts of the Gray order, cut at records of a sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.nonreciprocal.order import coded_records
from anonset.engine.partitioning import Sizes, joined_by_order, parts_by_gray, read_part
from anonset.errors import InfeasibleError
from anonset.kernels.gray import gray_order
from anonset.model.dataset import Dataset
from anonset.samples import zipf_baskets
from engine_data import driver_of
from strategies import item_datasets


def parts_of(data, cuts, work, wanted):
    driver, source = driver_of(data, cuts, work, jobs=2)
    units = parts_by_gray(driver, source, 4, wanted)
    return [read_part(unit, driver.context) for unit in units]


@given(data=item_datasets(max_records=30, max_items=8), cuts=st.lists(st.integers(0, 30), max_size=3), fit=st.integers(1, 9))
@settings(max_examples=20)
def test_parts_are_runs_of_the_gray_order_however_the_data_are_cut(tmp_path_factory, data, cuts, fit):
    parts = parts_of(data, cuts, tmp_path_factory.mktemp("work"), Sizes(fit, 1, 100))
    number = np.concatenate([np.full(len(rows), p) for p, (_, rows) in enumerate(parts)])
    rows = np.concatenate([rows for _, rows in parts])
    part = number[np.argsort(rows)]

    assert sorted(rows.tolist()) == list(range(len(data)))
    records = coded_records(data, 4)
    assert (np.diff(part[gray_order(records.offsets, records.items)]) >= 0).all()
    for few, behind in parts:
        np.testing.assert_array_equal(few.transactions.items, data.transactions.take(behind).items)


def test_parts_have_about_the_size_that_was_asked_for(tmp_path):
    data = Dataset(transactions=zipf_baskets(4_000, d=60, mean=4.0, longest=15, seed=2))

    sizes = [len(rows) for _, rows in parts_of(data, [900, 2_500], tmp_path, Sizes(400, 100, 1_000))]

    assert 8 <= len(sizes) <= 12
    assert min(sizes) >= 100
    with pytest.raises(InfeasibleError, match="memory has room for 50"):
        parts_of(data, [], tmp_path, Sizes(400, 100, 50))


def test_small_parts_and_those_with_a_frequent_value_are_joined():
    sizes = np.array([4, 1, 6, 0, 5, 3])
    held = np.array([[2, 2], [1, 0], [3, 3], [0, 0], [3, 2], [0, 2]])

    assert joined_by_order(sizes, held, 2, 1).tolist() == [0, 1, 3, 5, 6]
    assert joined_by_order(sizes, held, 4, 1).tolist() == [0, 1, 3, 6]
    assert joined_by_order(sizes, held, 2, 2).tolist() == [0, 1, 6]
    assert joined_by_order(np.array([3, 1]), np.array([[3, 0], [1, 0]]), 2, 2).tolist() == [0, 2]
