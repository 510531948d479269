import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.rt.kernels.record_loss import summed_loss
from oracles.rt import record_ul

records = st.lists(st.lists(st.integers(0, 9), unique=True), max_size=5)


@given(records, st.sampled_from([0.0, 1.0]))
def test_loss_agrees_with_exact_arithmetic(rows, weight):
    sizes = np.array([0, 1, 1, 2, 3, 5, 64, 599, 1100, 3340])
    offsets = np.cumsum([0, *map(len, rows)])
    shown = np.array([label for row in rows for label in sorted(row)], np.int32)

    lost, general = summed_loss(offsets, shown, sizes, weight)

    counted = [[int(sizes[label]) for label in row if sizes[label]] for row in rows]
    assert lost == pytest.approx(sum(record_ul(row, weight) for row in counted))
    assert general == sum(size > 1 for row in counted for size in row)
