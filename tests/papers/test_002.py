"""[002]: the database of figure 2, its count-tree and the cut that the paper finds."""

import numpy as np
import pytest

from anonset.algorithms import make
from anonset.algorithms.transactions.cut import by_support, shown, whole_problem
from anonset.measure import measure
from anonset.model.dataset import Dataset, Transactions
from anonset.model.hierarchy import Hierarchy
from anonset.verify import verify
from oracles import aa as oracle

a1, a2, b1, b2, A, B, ALL = range(7)
FIGURE_5_ITEMS = {A: 4, B: 4, a2: 3, b1: 3, b2: 3, a1: 2}
FIGURE_5 = {
    A: {B: 4, b1: 3, b2: 3},
    B: {a2: 3, a1: 2},
    a2: {b1: 2, b2: 2, a1: 1},
    b1: {b2: 2, a1: 1},
    b2: {a1: 2},
}


@pytest.fixture
def figure_2():
    tree = Hierarchy(("a1", "a2", "b1", "b2", "A", "B", "ALL"), np.array([A, A, B, B, ALL, ALL, -1], np.int32))
    records = [{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}]
    return Dataset(transactions=Transactions.from_records(records, domain=tree.leaves)).with_item_hierarchy(tree)


def test_items_are_ordered_by_frequency(figure_2):
    db = oracle.Database(figure_2)

    assert db.order == [A, B, a2, b1, b2, a1]


def test_figure_5_the_count_tree(figure_2):
    db = oracle.Database(figure_2)

    tree = oracle.count_tree(db, [a1, a2, b1, b2], [1, 2])

    assert {v: count for v, (count, _) in tree.items()} == FIGURE_5_ITEMS
    assert {v: {w: count for w, (count, _) in kids.items()} for v, (_, kids) in tree.items() if kids} == FIGURE_5


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_figure_5_as_the_kernels_count_it(figure_2, k):
    problem = whole_problem(figure_2, 2)
    view = shown(problem.entries, problem, np.arange(4, dtype=np.int32), by_support(problem), np.ones(7, np.bool_), above=True)

    items, _ = view.rare(1, k, 0, 100)
    pairs, _ = view.rare(2, k, 0, 100)

    assert view.node.tolist() == [A, B, a2, b1, b2, a1]
    assert {int(v) for (v,) in items} == {v for v, count in FIGURE_5_ITEMS.items() if count < k}
    assert {(int(v), int(w)) for v, w in pairs} == {(v, w) for v in FIGURE_5 for w, n in FIGURE_5[v].items() if n < k}


@pytest.mark.parametrize("values", [{"order": "lazy"}, {"order": "paper"}])
def test_the_cut_is_a_b1_b2(figure_2, values):
    release = make("aa", {"k": 2, "m": 2, **values}).anonymize(figure_2)

    texts = release.items.labels.texts
    records = [
        {texts[a] for a in release.items.shown[start:stop]}
        for start, stop in zip(release.items.offsets[:-1], release.items.offsets[1:], strict=True)
    ]
    assert records == [{"A", "b1", "b2"}, {"A", "b1"}, {"A", "b1", "b2"}, {"A", "b2"}]  # figure 2b
    assert measure(figure_2, release, ["ncp-items"]) == {"ncp-items": pytest.approx(2.5 / 11)}
    assert verify(figure_2, release).holds
