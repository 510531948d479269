import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational.encoding import encode
from anonset.algorithms.rt.base import form_clusters, join_unprotectable, split
from anonset.algorithms.rt.item_step import AaStep, Items
from anonset.errors import InfeasibleError, ParameterError
from anonset.testing.tiny import dataset
from oracles.rt import cluster_ncp, dataset_ncp
from strategies import rt_datasets


@given(rt_datasets(min_records=3), st.integers(1, 3))
def test_clusters_hold_every_row_once_and_k_of_them_at_least(data, k):
    clusters = form_clusters(data, "cluster", {"k": k, "seed": 1, "recoding": "nodes", "weights": ""})

    assert sorted(np.concatenate(clusters).tolist()) == list(range(len(data)))
    assert all(len(rows) >= k for rows in clusters)
    assert [rows[0] for rows in clusters] == sorted(rows[0] for rows in clusters)


def test_an_algorithm_that_leaves_groups_too_small_forms_no_clusters():
    with pytest.raises(ParameterError, match="forms groups of k=2; identity does not"):
        form_clusters(dataset(["ab", "ab"]), "identity", {"k": 2, "seed": None})


def test_an_unknown_algorithm_is_named():
    with pytest.raises(ParameterError, match="no algorithm 'clustre'"):
        form_clusters(dataset(["ab", "ab"]), "clustre", {"k": 1})


@given(rt_datasets(min_records=2, sensitive=True), st.integers(1, 3), st.integers(1, 2), st.data())
def test_clusters_that_cannot_be_protected_join_until_they_can(data, k, l, draw):  # noqa: E741
    clusters = split(
        np.unique(draw.draw(st.lists(st.integers(0, 4), min_size=len(data), max_size=len(data))), return_inverse=True)[1]
    )
    items = Items(AaStep(data, k, 2, l), exact_weight=1.0)
    try:
        state, outcomes, joined = join_unprotectable(encode(data), items.outcomes, items.relax, clusters, len(data))
    except InfeasibleError:
        assert items.outcome(np.arange(len(data))) is None
        return

    left = [sorted(state.members[c].tolist()) for c in state.alive]
    assert sorted(r for rows in left for r in rows) == list(range(len(data)))
    assert [sorted(outcome.rows.tolist()) for outcome in outcomes] == left
    assert len(left) == len(clusters) - len(joined)
    assert state.lost / len(data) == pytest.approx(dataset_ncp(data, dict(enumerate(left))))
    assert [state.losses[c] for c in state.alive] == pytest.approx([cluster_ncp(data, rows) for rows in left])


def test_clusters_with_too_few_records_that_have_items_join():
    data = dataset(["", "ab", "", "ab", "cd", "abcd"])
    items = Items(AaStep(data, 2, 2, 1), exact_weight=1.0)

    state, outcomes, joined = join_unprotectable(
        encode(data), items.outcomes, items.relax, split(np.array([0, 0, 1, 1, 2, 2])), 6
    )

    assert joined  # {0, 1} and {2, 3} have one record with items each
    assert all(len(outcome.rows) > 2 or (outcome.rows == [4, 5]).all() for outcome in outcomes)
    assert len(state.alive) == len(outcomes)
