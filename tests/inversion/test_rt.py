"""With `protect = inversion` every record of `rt-search` is there k times, so nobody who knows the algorithm excludes it."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonset
from anonset.algorithms import make
from anonset.attacks.inversion import attack_inversion
from anonset.errors import InfeasibleError, ParameterError
from inversion.rt import dataset_of, invert_people, shown_people, tables
from inversion.worlds import binary_tree, subsets

PROTECTED = {"k": 2, "m": 2, "protect": "inversion", "steps": "3+0", "asks": 10, "seed": 1}
PEOPLE = st.tuples(st.sampled_from("pq"), st.sampled_from(list(subsets(tuple("abcd"), 0, 4))))


@settings(max_examples=40, deadline=None)
@given(st.lists(PEOPLE, min_size=2, max_size=9))
def test_every_record_is_there_k_times(table):
    try:
        shown = shown_people(tuple(table), "rt-search", PROTECTED, 4)
    except InfeasibleError:
        return
    if shown is not None:
        assert min(Counter(shown).values()) >= 2


def test_nobody_is_excluded_in_small_worlds():
    found = invert_people("rt-search", PROTECTED, records=3, items=2, seeds=1)

    assert (found.below, found.infeasible) == (0, 0)
    assert found.attackers > 50


def test_a_few_records_without_items_are_refused():
    with pytest.raises(InfeasibleError, match="leave out records without items"):
        make("rt-search", PROTECTED).anonymize(dataset_of((("p", ("a",)), ("p", ("a",)), ("q", ())), 2))


def test_what_would_undo_the_classes_is_refused():
    with pytest.raises(ParameterError, match="leave items as it is"):
        make("rt-search", PROTECTED | {"items": "lift"})
    with pytest.raises(ParameterError, match="l at 1"):
        make("rt-search", PROTECTED | {"l": 2})


def patients():
    rng = np.random.default_rng(1)
    sets = [sorted(set(rng.choice(list("abcdef"), 3).tolist())) for _ in range(40)]
    table = pl.DataFrame({"age": rng.integers(20, 60, 40), "status": rng.choice(["x", "y"], 40), "items": sets})
    return anonset.read(table, quasi=["age"], sensitive=["status"], items="items")


def test_candidates_that_show_the_same_are_never_excluded():
    data = patients()
    release = make("rt-search", PROTECTED | {"k": 3}).anonymize(data)

    found = attack_inversion(data, release, m=2, people=5, seed=1)

    assert found.below == 0
    assert found.left >= 3


def test_labels_that_overlap_are_attacked_too():
    data = patients()
    release = make("rt-search", PROTECTED | {"k": 3, "protect": "no", "items": "lift"}).anonymize(data)

    assert attack_inversion(data, release, m=2, people=5, seed=1).people == 5


def test_there_are_as_many_tables_as_multisets_of_people():
    assert len(tables(3, 2)) == 56  # of 6 kinds of people, 3 at a time
    assert binary_tree(2).leaves == ("a", "b")
