from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.data import read
from anonset.measure.information_loss import ncp_items
from anonset.measure.workload import Workload
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset, Transactions
from anonset.samples import zipf_baskets
from anonset_papers.count_tree import count_tree_nodes, tree_writes
from anonset_papers.paper_002 import cut_before, cuts_visited, fold
from anonset_papers.paper_003_time import merges_looked_at
from anonset_papers.trials import questions, timed, trial, with_balanced
from strategies import item_datasets

DATA = with_balanced(Dataset(transactions=zipf_baskets(200, d=20, mean=3.0, longest=10, seed=1)))


def test_a_trial_has_the_figures_of_a_verified_release():
    asked = questions(DATA, 30)

    row = trial(DATA, "aa", {"k": 3, "m": 2}, asked=asked, ids=("risk",))

    assert row["outcome"] == "done"
    assert 0 < row["ncp"] <= 1
    assert row["risk"] <= 1 / 3
    assert row["largest"] >= 2
    assert {"are", "subsets", "drawn", "ul", "cpu", "mb", "suppressed"} <= set(row)


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


def test_folding_numbers_items_by_first_appearance():
    data = Dataset(transactions=Transactions.from_records([["5", "7", "9"], ["1", "7"], ["3", "9"]]))  # odd ids only

    folded = fold(data, 3, 4)

    # 5 7 9 1 3 are 0 1 2 3 0
    assert list(folded.transactions.records()) == [{"0", "1", "2"}, {"3", "1"}, {"0", "2"}]


@pytest.mark.data
def test_on_folded_click_streams_all_three_lose_the_same(real_data):
    """[002] figure 9c; with ids modulo 50 AA and DA would lose more than OA."""
    whole = read(real_data / "transactions" / "bms_webview_2.dat.gz")
    for items, wanted in ((40, 0.1000), (50, 0.0785), (60, 0.0667)):
        data = fold(whole, 10_000, items)
        assert len(np.unique(data.transactions.items)) == items
        for algorithm, more in (("oa", {"limit": 10**9}), ("da", {"order": "paper"}), ("aa", {"order": "paper"}), ("aa", {})):
            release = make(algorithm, {"k": 100, "m": 3, **more}).anonymize(data)
            assert ncp_items(data, release) == pytest.approx(wanted, abs=6e-5)


def test_folding_by_id_takes_ids_modulo_the_domain_without_repeats():
    data = Dataset(transactions=Transactions.from_records([["1", "5", "7"], ["4"], ["2", "6"]]))

    folded = fold(data, 2, 4, by_id=True)

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


@given(item_datasets(max_records=8), st.integers(1, 4), st.booleans())
def test_writes_to_the_count_tree_are_counted(data, m, moved):
    """Against every set of nodes of every record, none above another."""
    tree, t = data.item_hierarchy, data.transactions
    starts = tree.parent[: tree.n_leaves] if moved and len(tree) > tree.n_leaves else np.arange(tree.n_leaves, dtype=np.int32)
    wanted = [0] * m
    for r in range(len(t)):
        nodes = {v for i in t.items[t.offsets[r] : t.offsets[r + 1]] for v in tree.ancestors(int(starts[i]))}
        for size in range(1, m + 1):
            wanted[size - 1] += sum(
                not any(u in tree.ancestors(v)[1:] or v in tree.ancestors(u)[1:] for u, v in combinations(chosen, 2))
                for chosen in combinations(sorted(nodes), size)
            )

    assert tree_writes(data, m, starts) == wanted


def test_merges_are_counted_and_the_algorithm_is_left_as_it_was():
    before = ItemClusters.cheapest_merge

    looked_at = [merges_looked_at(DATA, name, {"k": 5})["steps"] for name in ("coat", "pcta")]

    assert looked_at[0] > 0
    assert looked_at[1] > 0
    assert ItemClusters.cheapest_merge is before
    assert merges_looked_at(DATA, "aa", {"k": 5}) == {}
    assert merges_looked_at(DATA, "pcta", {"k": 10_000}) == {}


def test_leaves_are_put_in_order():
    by_support = with_balanced(DATA, 5, "support").item_hierarchy.leaves
    supports = dict(zip(DATA.transactions.domain, DATA.transactions.supports, strict=True))
    assert [supports[name] for name in by_support] == sorted(supports.values(), reverse=True)
    at_random = with_balanced(DATA, 5, "random").item_hierarchy.leaves
    assert sorted(at_random) == sorted(by_support)
    assert at_random != by_support


def test_cuts_are_counted():
    data = with_balanced(Dataset(transactions=zipf_baskets(60, d=6, mean=3.0, longest=6, seed=1)), 3)
    assert cuts_visited(data, {"k": 1, "m": 1}) == 1  # the leaves will do
    assert cuts_visited(data, {"k": 20, "m": 3}) > 1


def test_the_cut_before_single_items_is_that_of_the_leaves():
    assert cut_before(DATA, 5, 1).tolist() == list(range(20))
    moved = cut_before(DATA, 30, 2)
    assert (moved >= range(20)).all()
    assert count_tree_nodes(DATA, 2, moved) < count_tree_nodes(DATA, 2)


@pytest.mark.parametrize("fanout", [4, 5])
def test_a_balanced_hierarchy_covers_the_items(fanout):
    assert with_balanced(DATA, fanout).item_hierarchy.leaves == DATA.transactions.domain
