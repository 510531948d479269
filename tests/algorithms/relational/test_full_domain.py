"""incognito, top-down and bottom-up: every value of a column is published in one way."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational import incognito
from anonset.algorithms.relational.base import Constraint
from anonset.algorithms.relational.distinct_records import column_tree, distinct_records
from anonset.algorithms.relational.full_subtree import BottomUp, TopDown, one_step_down, one_step_up, specialize, state
from anonset.algorithms.relational.incognito import Incognito, level_maps
from anonset.errors import InfeasibleError, InputError
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.verify import verify
from oracles.relational import full_domain_losses
from strategies import relational_datasets


def with_trees(data):
    """The same data with a hierarchy for every quasi column."""
    return replace(data, columns=tuple(column_tree(column).column for column in data.columns))


@given(relational_datasets(max_records=10), st.integers(1, 4), st.sampled_from([0.0, 0.1, 0.34]))
def test_no_choice_of_levels_loses_less(data, k, suppression):
    data, k = with_trees(data), min(k, len(data))
    release = Incognito(k=k, suppression=suppression).anonymize(data)
    limit = int(suppression * len(data) + 1e-9)

    best = min(loss for loss, out in full_domain_losses(data, k) if out <= limit)

    assert loss_of(data, release) == pytest.approx(best)
    assert len(data) - len(release) <= limit


def loss_of(data, release):
    """NCP, in which a missing value published as anything loses 1 even where the domain has one value only."""
    table = distinct_records(data)
    levels = release.trace[0]["levels"]
    recoding = np.concatenate([level_maps(t.tree)[levels[t.column.name]] for t in table.trees])
    lost = table.losses(recoding)[table.row_of]
    out = np.setdiff1d(np.arange(len(data)), release.rows)
    lost[out] = 1.0
    return lost.mean()


@pytest.mark.parametrize("algorithm", [Incognito, TopDown, BottomUp])
@given(data=relational_datasets(), k=st.integers(1, 4), suppression=st.sampled_from([0.0, 0.2]))
def test_releases_hold_and_recode_every_value_in_one_way(algorithm, data, k, suppression):
    release = algorithm(k=min(k, len(data)), suppression=suppression).anonymize(data)

    assert len(release) >= (1 - suppression) * len(data) - 1e-9
    assert len(release) == 0 or verify(data, release).holds
    for column in release.quasi:
        original = data.column(column.name).codes[release.rows]
        assert len(set(zip(original.tolist(), column.codes.tolist(), strict=True))) == len(set(original.tolist()))


@pytest.mark.parametrize("algorithm", [TopDown, BottomUp])
@given(data=relational_datasets(), k=st.integers(1, 4), suppression=st.sampled_from([0.0, 0.2]))
def test_no_node_can_be_lowered_any_more(algorithm, data, k, suppression):
    """Lower each node by itself: it leaves out too many records or loses more."""
    k = min(k, len(data))
    table = distinct_records(data)
    constraint, limit = Constraint(k, table.counts), int(suppression * len(data) + 1e-9)
    recoding = algorithm(k=k, suppression=suppression).recode(table, constraint, limit)

    here = state(table, recoding, constraint)
    assert table.counts @ here.weak <= limit
    for j, tree in enumerate(table.trees):
        part = slice(table.first[j], table.first[j + 1])
        for node in set(table.nodes(recoding, j).tolist()) - set(range(tree.tree.n_leaves)):
            lower = recoding.copy()
            lower[part] = np.where(recoding[part] == node, one_step_down(tree.tree, recoding[part]), recoding[part])
            there = state(table, lower, constraint)
            assert table.counts @ there.weak > limit or table.counts @ (there.losses - here.losses) > -1e-9


TREE = Hierarchy(("a", "b", "c", "d", "ab", "cd", "*"), np.array([4, 4, 5, 5, 6, 6, -1], np.int32))


def words(text):
    codes = np.array(["abcd".index(x) for x in text], np.int32)
    return Dataset((Column("w", "quasi", "categorical", codes, tuple("abcd"), None, TREE),))


def shown(release):
    column = release.columns[0]
    return [column.labels.texts[c] for c in column.codes]


def test_full_domain_lifts_a_whole_level_and_subtrees_only_what_they_must():
    data = words("aabbccd")

    assert shown(Incognito(k=2).anonymize(data)) == ["ab"] * 4 + ["cd"] * 3
    assert shown(TopDown(k=2).anonymize(data)) == ["a", "a", "b", "b", "cd", "cd", "cd"]
    assert shown(BottomUp(k=2).anonymize(data)) == ["a", "a", "b", "b", "cd", "cd", "cd"]


@pytest.mark.parametrize("algorithm", [Incognito, TopDown, BottomUp])
def test_a_limit_lets_the_odd_record_go(algorithm):
    release = algorithm(k=2, suppression=0.2).anonymize(words("aabbccd"))

    assert shown(release) == list("aabbcc")
    assert release.rows.tolist() == [0, 1, 2, 3, 4, 5]


def test_cuts_move_one_step():
    cut = np.array([4, 4, 2, 3], np.int32)

    assert one_step_up(TREE, cut).tolist() == [4, 4, 5, 5]
    assert one_step_up(TREE, one_step_up(TREE, cut)).tolist() == [6] * 4
    assert one_step_down(TREE, cut).tolist() == [0, 1, 2, 3]
    assert one_step_down(TREE, np.full(4, 6, np.int32)).tolist() == [4, 4, 5, 5]


def test_numbers_without_a_hierarchy_climb_a_tree_of_pairs():
    column = Column("x", "quasi", "numeric", np.arange(5, dtype=np.int32), tuple("12345"), np.arange(1.0, 6.0))

    tree = column_tree(column).tree

    assert [tree.labels[v] for v in tree.ancestors(2)] == ["3", "[3:4]", "[1:4]", "[1:5]"]
    assert tree.labels[tree.parent[4]] == "[5:5]"


def test_words_without_a_hierarchy_climb_to_one_root_whose_name_is_new():
    column = Column("x", "quasi", "categorical", np.array([0, 1, -1], np.int32), ("*", "b"))

    tree = column_tree(column).tree

    assert tree.labels == ("*", "b", "***", "**", "****")


def test_a_lattice_too_large_is_refused_before_it_is_built(monkeypatch):
    monkeypatch.setattr(incognito, "LARGEST", 2)

    with pytest.raises(InfeasibleError, match="3 choices of levels"):
        Incognito(k=2).anonymize(words("aabb"))


@pytest.mark.parametrize("algorithm", [Incognito, TopDown, BottomUp])
def test_data_without_quasi_columns_are_refused(algorithm):
    data = Dataset((replace(words("ab").columns[0], role="other"),))

    with pytest.raises(InputError, match="quasi"):
        algorithm(k=1).anonymize(data)


def test_specializing_what_is_exact_changes_nothing():
    table = distinct_records(words("abcd"))
    exact = np.arange(4, dtype=np.int32)

    assert specialize(table, exact, Constraint(1, table.counts), 0, lambda done: None) is exact
