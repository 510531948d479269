"""Parts cut from histograms alone are those that the kernel cuts from records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational._kernels import splits
from anonset.algorithms.relational.encoding import encode
from anonset.engine.partitioning import Further, Space, partition_tree, parts_of, whole_of
from engine_data import driver_of
from strategies import relational_datasets


def codes(data):
    return [np.where(c.codes < 0, len(c.domain), c.codes) for c in data.quasi]


@given(data=relational_datasets(min_records=4, max_records=40), k=st.integers(1, 4))
def test_the_cost_of_a_part_is_the_kernel_s(data, k):
    space = Space.of(data, "nodes", "")
    q = encode(data)
    node = whole_of(driver_of(data, [], None)[0].context.coder)

    assert node.size == len(data)
    assert space.cost(node.counts) == splits._cost(q, np.ascontiguousarray(q.values.T), np.arange(len(data)))


@pytest.mark.parametrize("seed", range(3))
def test_a_split_of_many_records_is_the_kernel_s(tmp_path, seed):
    """Beyond 20,000 records the kernel cuts at the median only."""
    data = _people(seed, 24_000)
    driver, source = driver_of(data, [5_000, 17_000], tmp_path, jobs=2)
    space = Space.of(data, "nodes", "")
    q = encode(data)
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in q.values.T]).astype(np.int32)
    rows, one = np.arange(len(data)), np.ones(1, np.int64)

    found = partition_tree(driver, source, space, fit=23_000, least=10)

    starts, stops, _, attribute = splits.split_parts(
        q, ranks, rows, 0 * one, len(data) * one, np.zeros((1, len(q.kind)), np.bool_), 10, False
    )
    part = parts_of(found, codes(data))
    assert found.attribute == attribute[0] >= 0
    expected = {frozenset(rows[a:b].tolist()) for a, b in zip(starts, stops, strict=True)}
    assert {frozenset(np.flatnonzero(part == p).tolist()) for p in np.unique(part)} == expected


def test_a_tree_is_the_same_part_by_part_and_grown_on_in_the_records_of_its_parts(tmp_path):
    data = _people(3, 5_000)
    driver, source = driver_of(data, [1_000, 3_700], tmp_path)
    space = Space.of(data, "nodes", "")
    at_once = parts_of(partition_tree(driver, source, space, fit=200, least=50), codes(data))

    coarse = parts_of(partition_tree(driver, source, space, fit=1_500, least=50, room=1), codes(data))
    found = []
    for part in np.unique(coarse):
        rows = np.flatnonzero(coarse == part)
        found += [rows[few] for few in Further(space, 200, 50).parts_of(data.take(rows))]

    expected = {frozenset(np.flatnonzero(at_once == part).tolist()) for part in np.unique(at_once)}
    assert len(found) > len(np.unique(coarse)) > 1
    assert {frozenset(rows.tolist()) for rows in found} == expected


def _people(seed, n):
    from anonset.model.builders import balanced
    from anonset.model.dataset import Column, Dataset

    rng = np.random.default_rng(seed)
    ages = tuple(map(str, range(60)))
    tree = balanced([f"r{i:02}" for i in range(9)], 3)
    jobs = tuple(f"j{i}" for i in range(6))
    return Dataset(
        (
            Column("age", "quasi", "numeric", rng.integers(-1, 60, n).astype(np.int32), ages, np.arange(60.0)),
            Column("region", "quasi", "categorical", rng.choice(9, n, p=_falling(9)).astype(np.int32), tree.leaves, None, tree),
            Column("job", "quasi", "categorical", rng.choice(6, n, p=_falling(6)).astype(np.int32), jobs),
        )
    )


def _falling(n):
    share = 1.0 / np.arange(1, n + 1)
    return share / share.sum()
