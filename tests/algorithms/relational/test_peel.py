from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational.distinct_records import distinct_records
from anonset.algorithms.relational.incognito import level_maps
from anonset.algorithms.relational.peel import Peel, cheapest_first
from anonset.measure.information_loss import ncp
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.verify import verify
from strategies import relational_datasets


@given(relational_datasets(max_records=16), st.integers(1, 4), st.integers(1, 6), st.sampled_from(["nodes", "ranges", "sets"]))
def test_releases_verify_however_few_choices_are_tried(data, k, choices, recoding):
    release = Peel(k=min(k, len(data)), choices=choices, recoding=recoding).anonymize(data)

    assert len(release) == len(data)
    assert verify(data, release).holds


@given(relational_datasets())
def test_choices_come_from_the_cheapest_up_and_all_of_them_once(data):
    table = distinct_records(data)
    maps = [level_maps(tree.tree) for tree in table.trees]

    choices = list(cheapest_first(table, maps))

    assert sorted(choices) == sorted(product(*(range(len(levels)) for levels in maps)))
    losses = [table.losses(np.concatenate([maps[j][a] for j, a in enumerate(levels)])) @ table.counts for levels in choices]
    assert (np.diff(losses) >= -1e-9).all()


TREE = Hierarchy(("a", "b", "c", "d", "ab", "cd", "*"), np.array([4, 4, 5, 5, 6, 6, -1], np.int32))


def words(text):
    codes = np.array(["abcd".index(x) for x in text], np.int32)
    return Dataset((Column("w", "quasi", "categorical", codes, tuple("abcd"), None, TREE),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aabbccd", ["a", "a", "b", "b", "cd", "cd", "cd"]),  # d finds no company any more: it joins the cheapest group
        ("aabbcd", ["a", "a", "b", "b", "cd", "cd"]),
        ("aabc", ["a", "a", "*", "*"]),
    ],
)
def test_every_record_stops_at_the_first_level_with_company(text, expected):
    column = Peel(k=2).anonymize(words(text)).columns[0]

    assert [column.labels.texts[c] for c in column.codes] == expected


def test_the_rest_is_partitioned_when_the_choices_run_out():
    data = words("aabcdcdcd")

    few, many = Peel(k=2, choices=1).anonymize(data), Peel(k=2).anonymize(data)

    assert verify(data, few).holds
    assert ncp(data, many) <= ncp(data, few)
