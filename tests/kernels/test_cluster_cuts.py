import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.rt._kernels.cluster_cuts import WORD, ClusterRecords, HierarchyTree, cluster_cuts
from anonset.algorithms.transactions.aa import cut_for
from anonset.algorithms.transactions.cut import frame_of, secrets
from anonset.algorithms.transactions.lift import in_groups
from anonset.kernels.set_walk import SetLimits
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset, Transactions
from anonset.model.sets import offsets_of
from oracles import aa as oracle
from strategies import item_datasets


def cut_in_one_call(data, groups, k, m, l):  # noqa: E741
    """For each group the items of its records and their nodes, or None."""
    shape, rows, bounds = frame_of(data), np.concatenate(groups), offsets_of([len(group) for group in groups])
    records = in_groups(data.linkable.offsets, data.linkable.items, secrets(data), rows, bounds)
    tree = HierarchyTree(*shape, np.argsort(shape.order).astype(np.int32))
    nodes, failed = cluster_cuts(tree, ClusterRecords(*records[:3], *records.secrets), SetLimits(k, m, l))
    for c in range(len(groups)):
        here = slice(*records.offsets[bounds[c : c + 2]])
        yield records.items[here], None if failed[c] else nodes[here]


def expect_the_cuts_of_each_alone(data, groups, k, m, l):  # noqa: E741
    shape, hidden = frame_of(data), secrets(data)
    for rows, (items, nodes) in zip(groups, cut_in_one_call(data, groups, k, m, l), strict=True):
        cut = cut_for(shape, data.linkable, rows, k, m, l, hidden)
        if cut is None:
            assert nodes is None
        else:
            assert nodes.tolist() == cut[items].tolist()


@st.composite
def grouped(draw):
    data = draw(item_datasets(sensitive=True, min_records=2, max_records=20, max_items=9))
    order = np.array(draw(st.permutations(range(len(data)))), np.int64)
    cuts = draw(st.sets(st.integers(1, len(data) - 1), max_size=4))
    return data, np.split(order, sorted(cuts))


@given(grouped(), st.integers(1, 4), st.integers(1, 2), st.integers(1, 3))
@settings(max_examples=300)
def test_many_clusters_are_cut_as_each_is_alone(case, k, m, l):  # noqa: E741
    expect_the_cuts_of_each_alone(*case, k, m, l)


@given(grouped(), st.integers(1, 4), st.integers(1, 2), st.integers(1, 3))
def test_a_cut_protects_its_cluster(case, k, m, l):  # noqa: E741
    data, groups = case
    for rows, (items, nodes) in zip(groups, cut_in_one_call(data, groups, k, m, l), strict=True):
        part = data.take(rows)
        hidden = [set(record) for record in part.transactions.without(~part.sensitive_items).records()]
        cut = np.full(part.item_hierarchy.n_leaves, part.item_hierarchy.root)
        if nodes is not None:
            cut[items] = nodes
        db = oracle.Database(part)
        holds = oracle.is_anonymous(db, k, m, cut.tolist()) and (l == 1 or oracle.is_diverse(db, hidden, m, l, cut.tolist()))
        assert holds == (nodes is not None)


@pytest.mark.parametrize(("size", "k", "l"), [(5, 5, 1), (12, 3, 1), (WORD, 10, 1), (WORD, 4, 2), (30, 3, 3)])
def test_larger_clusters_with_many_ties_are_cut_as_each_is_alone(size, k, l):  # noqa: E741
    rng = np.random.default_rng(size)
    names = [f"i{i:02}" for i in range(60)]
    share = 1 / (1 + np.arange(60))
    records = [rng.choice(60, rng.integers(0, 7), replace=False, p=share / share.sum()) for _ in range(40 * size)]
    transactions = Transactions.from_records([[names[i] for i in record] for record in records], domain=names)
    data = Dataset(transactions=transactions, sensitive_items=np.arange(60) % 17 == 16)
    data = data.with_item_hierarchy(balanced(names, 4))

    expect_the_cuts_of_each_alone(data, np.split(rng.permutation(len(data)), 40), k, 2, l)


def test_a_cluster_of_more_records_than_bits_is_left_to_others():
    data = Dataset(transactions=Transactions.from_records([["a"]] * (WORD + 3), domain=["a", "b"]))
    data = data.with_item_hierarchy(balanced(["a", "b"], 2))

    found = list(cut_in_one_call(data, [np.arange(WORD + 1), np.arange(WORD + 1, WORD + 3)], 2, 2, 1))

    assert found[1][1].tolist() == [0, 0]
