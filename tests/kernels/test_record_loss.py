from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.rt._kernels.losses import own_offsets, summed_loss, summed_losses
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


@given(records, st.sets(st.integers(0, 5)), st.sampled_from([0.0, 1.0]))
def test_many_clusters_lose_what_each_loses_alone(rows, cuts, weight):
    sizes = np.array([0, 1, 1, 2, 3, 5, 64, 599, 1100, 3340])
    offsets = np.cumsum([0, *map(len, rows)])
    shown = np.array([label for row in rows for label in sorted(row)], np.int32)
    bounds = np.array([0, *sorted(cut for cut in cuts if cut <= len(rows)), len(rows)], np.int64)

    lost, general = summed_losses(bounds, offsets, shown, sizes, weight)
    own = own_offsets(bounds, offsets)

    alone = [offsets[first : last + 1] for first, last in pairwise(bounds)]
    assert own.tolist() == [p - part[0] for part in alone for p in part]
    for c, part in enumerate(alone):
        expected = summed_loss(part - part[0], shown[part[0] : part[-1]], sizes, weight)
        assert (lost[c], general[c]) == expected
