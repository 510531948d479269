import pytest

from anonset.measure.workload import Workload
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset
from anonset.model.transactions import Transactions
from anonset.samples.lookalikes import zipf_baskets
from anonset_papers.count_tree import count_tree_nodes
from anonset_papers.paper_002 import cut_before, fold
from anonset_papers.trials import questions, timed, trial, with_balanced

DATA = with_balanced(Dataset(transactions=zipf_baskets(200, d=20, mean=3.0, longest=10, seed=1)))


def test_a_trial_has_the_figures_of_a_verified_release():
    asked = questions(DATA, 30)

    row = trial(DATA, "aa", {"k": 3, "m": 2}, asked=asked, ids=("risk",))

    assert row["outcome"] == "done"
    assert 0 < row["ncp"] <= 1
    assert row["risk"] <= 1 / 3
    assert row["largest"] >= 2
    assert {"are", "held", "ul", "cpu", "mb", "suppressed"} <= set(row)


def test_what_cannot_be_met_is_an_outcome():
    assert trial(DATA, "pcta", {"k": 10_000})["outcome"] == "cannot be met"
    assert timed(DATA, "pcta", {"k": 10_000})["outcome"] == "cannot be met"
    assert timed(DATA, "pcta", {"k": 2}, repeats=1)["cpu"] >= 0


def test_the_same_questions_are_asked_of_all():
    first, second = questions(DATA, 20), questions(DATA, 20)

    assert first == second
    assert all(len(query.items) == 5 for query in first.drawn.queries)
    held = Workload(first.held.queries)
    records = list(DATA.transactions.records())
    assert all(any(record.issuperset(query.items) for record in records) for query in held.queries)


def test_folding_takes_ids_modulo_the_domain_without_repeats():
    data = Dataset(transactions=Transactions.from_records([["1", "5", "7"], ["4"], ["2", "6"]]))

    folded = fold(data, 2, 4)

    assert list(folded.transactions.records()) == [{"1", "3"}, {"0"}]
    assert folded.transactions.domain == ("0", "1", "2", "3")
    assert folded.item_hierarchy.height == 1


def test_the_count_tree_has_a_node_for_each_set_that_a_record_shows():
    # two records over a tree of a1 a2 | b1 b2: {a1, b1} shows a1 b1 A B *, {a2} shows a2 A *
    names = ("a1", "a2", "b1", "b2")
    data = Dataset(transactions=Transactions.from_records([["a1", "b1"], ["a2"]], domain=names))
    data = data.with_item_hierarchy(balanced(names, 2))

    assert count_tree_nodes(data, 1) == 6  # a1 b1 A B * a2
    assert count_tree_nodes(data, 2) == 6 + 4  # and a1-b1, a1-B, A-b1, A-B
    moved = data.item_hierarchy.parent[:4]
    assert count_tree_nodes(data, 2, moved) == 3 + 1  # A B *, and A-B


def test_the_cut_before_single_items_is_that_of_the_leaves():
    assert cut_before(DATA, 5, 1).tolist() == list(range(20))
    moved = cut_before(DATA, 30, 2)
    assert (moved >= range(20)).all()
    assert count_tree_nodes(DATA, 2, moved) < count_tree_nodes(DATA, 2)


@pytest.mark.parametrize("fanout", [4, 5])
def test_a_balanced_hierarchy_covers_the_items(fanout):
    assert with_balanced(DATA, fanout).item_hierarchy.leaves == DATA.transactions.domain
