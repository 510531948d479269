import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational.base import Constraint
from anonset.algorithms.relational.encoding import encode
from anonset.algorithms.relational.mondrian import Mondrian, partition
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.verify import verify
from oracles.relational import group_cost, members_of
from strategies import relational_datasets


def records(k, n):
    """A constraint that asks for k records."""
    return Constraint(k, np.ones(n, np.int64))


recodings = st.sampled_from(["nodes", "ranges", "sets"])


@given(relational_datasets(max_records=20), st.integers(1, 4), st.booleans(), recodings)
def test_parts_have_k_records_and_lose_less_than_all_together(data, k, relaxed, recoding):
    groups = partition(encode(data, recoding), records(min(k, len(data)), len(data)), relaxed=relaxed)
    parts = members_of(groups)

    assert sorted(r for members in parts for r in members) == list(range(len(data)))
    assert min(map(len, parts)) >= min(k, len(data))
    lost = sum(len(members) * group_cost(data, members, recoding) for members in parts)
    assert lost <= len(data) * group_cost(data, range(len(data)), recoding) + 1e-9


@given(relational_datasets(max_records=20), st.integers(1, 4), st.sampled_from(["strict", "relaxed"]), recodings)
def test_releases_verify(data, k, splits, recoding):
    release = Mondrian(k=min(k, len(data)), splits=splits, recoding=recoding).anonymize(data)

    assert verify(data, release).holds


@given(st.lists(st.integers(0, 9), min_size=4, max_size=30), st.integers(1, 4))
def test_strict_keeps_equal_values_together_and_relaxed_leaves_no_part_of_2k(values, k):
    q = encode(numbers(values))
    constraint = records(min(k, len(values)), len(values))
    strict, relaxed = partition(q, constraint, relaxed=False), partition(q, constraint, relaxed=True)

    assert len(set(zip(values, strict.tolist(), strict=True))) == len(set(values))
    for members in members_of(relaxed):
        assert len(members) < 2 * k or len({values[r] for r in members}) == 1


def numbers(values):
    domain = sorted(set(values))
    codes = np.array([domain.index(x) for x in values], np.int32)
    return Dataset((Column("x", "quasi", "numeric", codes, tuple(map(str, domain)), np.array(domain, np.float64)),))


def shown(release):
    column = release.columns[0]
    return [column.labels.texts[c] for c in column.codes]


def test_numbers_are_cut_where_that_lowers_the_loss_most():
    release = Mondrian(k=2).anonymize(numbers([1, 2, 3, 50, 51, 90, 91]))

    assert shown(release) == ["[1:3]"] * 3 + ["[50:51]"] * 2 + ["[90:91]"] * 2


TREE = Hierarchy(
    ("cat", "dog", "bee", "ant", "oak", "mammal", "insect", "plant", "*"), np.array([5, 5, 6, 6, 7, 8, 8, 8, -1], np.int32)
)


def living(text, hierarchy=TREE):
    codes = np.array([TREE.leaves.index(x) for x in text.split()], np.int32)
    return Dataset((Column("w", "quasi", "categorical", codes, TREE.leaves, None, hierarchy),))


def test_a_hierarchy_is_split_along_children_and_small_ones_stay_together():
    release = Mondrian(k=2).anonymize(living("cat cat dog dog bee oak"))

    assert shown(release) == ["cat", "cat", "dog", "dog", "*", "*"]


def test_strict_adds_the_smallest_child_to_what_is_too_small_and_relaxed_a_record_only():
    data = living("cat cat cat cat dog dog bee")

    assert shown(Mondrian(k=2).anonymize(data)) == ["*"] * 7
    assert sorted(shown(Mondrian(k=2, splits="relaxed").anonymize(data))) == ["*", "*", "cat", "cat", "cat", "dog", "dog"]


@pytest.mark.parametrize("splits", ["strict", "relaxed"])
def test_sets_are_cut_in_the_order_that_loses_less(splits):
    release = Mondrian(k=2, splits=splits).anonymize(living("bee bee ant cat cat oak dog", hierarchy=None))

    texts = shown(release)
    assert texts[:2] == ["bee", "bee"]
    assert texts[3:5] == ["cat", "cat"]
    assert set(texts) == {"bee", "cat", "{dog,ant,oak}"}
