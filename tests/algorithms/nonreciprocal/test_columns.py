"""Quasi columns beside uncertain item sets."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.nonreciprocal.base import covering_column
from anonset.algorithms.nonreciprocal.order import coded_records
from anonset.measure import measure
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.hierarchy import Hierarchy
from anonset.testing import tiny_datasets
from anonset.testing.checks import (
    k_of_one_loses_nothing,
    release_is_true_to_the_original,
    written_and_read_back_it_still_verifies,
)
from anonset.verify import verify
from strategies import columns, rt_datasets

CHECKS = (k_of_one_loses_nothing, release_is_true_to_the_original, written_and_read_back_it_still_verifies)


@pytest.mark.parametrize("kind", tiny_datasets())
@pytest.mark.parametrize(("name", "letter"), [("nr-k", "k"), ("gray-ring", "k"), ("nr-l", "l"), ("cahd", "l")])
def test_whole_records_verify_also_from_their_files(name, letter, kind):
    for check in CHECKS:
        check(make(name, {letter: 2, "seed": 1}), tiny_datasets()[kind])


@given(rt_datasets(min_records=3))
def test_the_independent_verifier_agrees(data):
    verify(data, make("nr-k", {"k": 3}).anonymize(data)).require()


def cover(column, groups):
    starts = np.concatenate([[0], np.cumsum([len(g) for g in groups])]).astype(np.int64)
    members = np.array([r for g in groups for r in g], np.int32)
    shown = covering_column(column, np.arange(len(groups)), starts, members)
    return [shown.labels.texts[c] if c >= 0 else None for c in shown.codes]


def test_labels_are_the_narrowest_that_cover():
    ages = Column("age", "quasi", "numeric", np.array([0, 1, 2, -1], np.int32), ("20", "35", "70"), np.array([20.0, 35, 70]))
    tree = Hierarchy(("Berlin", "Bonn", "Paris", "Germany", "*"), np.array([3, 3, 4, 4, -1], np.int32))
    towns = Column("town", "quasi", "categorical", np.array([0, 1, 2, -1], np.int32), tree.leaves, None, tree)
    jobs = Column("job", "quasi", "categorical", np.array([0, 1, 2, -1], np.int32), ("a", "b", "c"))
    groups = [[0], [0, 1], [1, 2], [0, 3], [3]]

    assert cover(ages, groups) == ["20", "[20:35]", "[35:70]", "[20:70]", None]
    assert cover(towns, groups) == ["Berlin", "Germany", "*", "*", None]
    assert cover(jobs, groups) == ["a", "(a,b)", "(b,c)", "(a,b,c)", None]


def test_sets_that_would_be_spelled_alike_are_told_apart():
    names = Column("name", "quasi", "categorical", np.array([0, 1, 2, 3, 4], np.int32), ("(a,b)", "a", "a,b", "b", "b,c", "c"))

    assert cover(names, [[1, 3], [0], [2, 4], [1, 4]]) == ["(a,b)", "(a,b) (2)", "(a,b,b,c)", "(a,b,c)"]


def test_fewer_bits_keep_items_closer_and_more_bits_numbers():
    rng = np.random.default_rng(5)
    ages = Column("age", "quasi", "numeric", rng.integers(0, 60, 400, np.int32), tuple(map(str, range(60))), np.arange(60.0))
    t = Transactions.from_records([set(rng.choice(list("abcdefgh"), 3)) for _ in range(400)])
    data = Dataset((ages,), t)

    few, many = (measure(data, make("nr-k", {"k": 4, "bits": bits, "seed": 1}).anonymize(data)) for bits in (1, 32))

    assert few["er"] < many["er"]
    assert few["ncp"] > many["ncp"]


@given(st.data())
def test_coded_bits_differ_the_more_the_further_values_are_apart(data):
    n = data.draw(st.integers(2, 6))
    column = data.draw(columns(n, "q"))
    records = coded_records(Dataset((column,), Transactions.from_records([["x"]] * n)), data.draw(st.integers(1, 16)))

    bits = [set(records.items[records.offsets[r] : records.offsets[r + 1]].tolist()) for r in range(n)]

    for a in range(n):
        for b in range(n):
            assert column.codes[a] != column.codes[b] or bits[a] == bits[b]
            if column.kind == "categorical" or -1 in (column.codes[a], column.codes[b]):
                assert column.codes[a] == column.codes[b] or bits[a] != bits[b]
    if column.kind == "numeric" and (column.codes >= 0).all():
        by_value = np.argsort(column.values[column.codes], kind="stable")
        assert all(bits[a] <= bits[b] for a, b in pairwise(by_value))
