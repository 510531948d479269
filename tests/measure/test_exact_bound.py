"""No release shows more items exactly than the bound says: all small releases, and those of the algorithms."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.base import provenance
from anonset.algorithms.identity import Identity
from anonset.algorithms.recoding import exact_items, items_in_groups
from anonset.algorithms.relational.publication import generalize_columns
from anonset.errors import InfeasibleError
from anonset.measure import measure
from anonset.measure.bounds import cliques, exact_bound
from anonset.measure.coded_release import groups as groups_of
from anonset.measure.information_loss import label_spread
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import CompleteK, Constraints, KAnonymity, KKm, KLm, KmAnonymity
from anonset.model.hierarchy import plant_paths
from anonset.model.release import Release
from oracles import measures as oracle
from release_makers import any_release
from strategies import columns, item_datasets, rt_datasets, transactions

CLOSE = 1e-5  # gains and losses are added up as 32-bit numbers


def promising(data, *guarantees):
    """The data as they are, under guarantees that need not hold."""
    return replace(make("identity", {"k": 1}).anonymize(data), guarantees=guarantees)


@given(transactions(max_records=14), st.integers(1, 4), st.integers(1, 3), st.data())
def test_cliques_of_frequent_pairs_agree_with_trying_all_sets(t, k, m, draw):
    cells = np.array(draw.draw(st.lists(st.integers(0, 2), min_size=len(t), max_size=len(t))))
    records, wanted = list(t.records()), [0] * len(t)
    for cell in set(cells.tolist()):
        inside = np.flatnonzero(cells == cell)
        found = oracle.most_together([records[r] for r in inside], k, m) if len(inside) >= k else [-1] * len(inside)
        for r, n in zip(inside, found, strict=True):
            wanted[r] = n

    assert cliques(t, cells, k, m).tolist() == wanted
    assert cliques(t, None, k, m).tolist() == oracle.most_together(records, k, m)
    assert (cliques(t, cells, k, m, steps=0) >= wanted).all()


@given(st.integers(0, 100), st.integers(4, 5))
@settings(max_examples=15, deadline=None)
def test_cliques_of_more_items_than_a_word_has_bits_agree_too(seed, k):
    rng = np.random.default_rng(seed)
    records = [set(np.flatnonzero(rng.random(100) < 0.75).tolist()) for _ in range(6)]
    t = Transactions.from_records(records, domain=range(100))
    wanted = oracle.most_together(records, k, 2)

    assert cliques(t, None, k, 2, steps=10**7).tolist() == wanted
    assert (cliques(t, None, k, 2, steps=3) >= wanted).all()


def test_the_colours_of_a_record_too_long_to_search_are_counted():
    t = Transactions.from_records([range(300), range(200), range(100, 300)], domain=range(300))

    found = cliques(t, None, 2, 2)

    assert found[1:].tolist() == [200, 200]
    assert 200 <= found[0] < 300


def test_the_worked_example():
    data = Dataset(transactions=Transactions.from_records(["ab", "ab", "ac", "bc", "a"], domain="abc"))

    assert exact_bound(data, promising(data, KmAnonymity(2, 2))) == pytest.approx(7 / 9)
    assert exact_bound(data, promising(data, CompleteK(2))) == pytest.approx(7 / 9)
    assert exact_bound(data, promising(data, KmAnonymity(3, 1))) == pytest.approx(7 / 9)  # c is rare
    assert exact_bound(data, promising(data, KmAnonymity(3, 1), KmAnonymity(6, 2))) == 0.0
    assert exact_bound(data, promising(data, KAnonymity(3), Constraints(2, (("a",),)))) == 1.0


def test_sensitive_items_do_not_count():
    t = Transactions.from_records(["as", "at", "b"], domain="abst")
    data = Dataset(transactions=t, sensitive_items=np.array([False, False, True, True]))

    assert exact_bound(data, promising(data, KmAnonymity(2, 2))) == pytest.approx(2 / 3)


@given(transactions(max_records=5, max_items=3), st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_no_release_of_items_has_more_than_the_bound(t, k, m):
    assume(len(t.items) <= 10)
    data = Dataset(transactions=t)

    most = oracle.most_exact(list(t.records()), k, m)

    assert most <= exact_bound(data, promising(data, KmAnonymity(k, m))) * len(t.items) + CLOSE


@st.composite
def grouped_records(draw):
    """A few records with columns and items, and a group for each."""
    n = draw(st.integers(2, 5))
    quasi = tuple(draw(columns(n, f"q{c}")) for c in range(draw(st.integers(1, 2))))
    data = Dataset(quasi, draw(transactions(min_records=n, max_records=n, max_items=3)))
    return data, np.array(draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)))


@given(grouped_records(), st.integers(1, 3), st.integers(1, 2), st.sampled_from([KKm, KLm]))
@settings(max_examples=150, deadline=None)
def test_no_release_in_groups_has_more_than_the_bound_at_its_loss(case, k, m, promise):
    data, groups = case
    rows = np.flatnonzero(groups >= 0)
    shown = generalize_columns(data, groups)
    of, n_groups = groups_of(shown, len(rows))
    assume((np.bincount(of, minlength=n_groups) >= k).all())
    guarantee = KKm(k, m) if promise is KKm else KLm(k, m, 1, ())
    release = Release(shown, exact_items(data.take(rows)), (guarantee,), provenance(Identity(k=1)), rows)
    records = [list(data.transactions.records())[r] for r in rows]
    parts = [[records[p] for p in np.flatnonzero(of == g)] for g in range(n_groups)]
    assume(all(sum(map(len, part)) <= 9 for part in parts))

    most = sum(oracle.most_exact(part, k, m) for part in parts)

    assert most <= exact_bound(data, release) * len(data.transactions.items) + CLOSE


def test_a_loss_that_only_one_level_of_the_columns_has_is_not_out_of_reach():
    n = 6
    nothing = [Column(f"q{c}", "quasi", "categorical", np.full(n, -1, np.int32), ()) for c in range(2)]
    halves = Column("q2", "quasi", "categorical", np.array([0, 1] * 3, np.int32), ("x", "y"))
    data = Dataset((*nothing, halves), Transactions.from_records(["ab"] * n, domain="ab"))
    shown = generalize_columns(data, np.zeros(n, np.int64))
    release = Release(shown, exact_items(data), (KKm(4, 2),), provenance(Identity(k=1)), np.arange(n))

    assert measure(data, release, ["exact-bound", "ncp"]) == {"exact-bound": 1.0, "ncp": pytest.approx(1 / 3)}


@pytest.mark.parametrize(("work", "most"), [(6_000_000, 128), (0, 8)])
@given(rt_datasets(min_records=4, max_records=12), st.integers(2, 3), st.sampled_from(["rmerge-r", "tmerge-rt"]))
@settings(max_examples=12, deadline=None)
def test_releases_of_columns_and_items_stay_below_it(work, most, data, k, id):
    values = {"k": k, "m": 2, "delta": 0.6}
    try:
        release = make(id, values).anonymize(data)
    except InfeasibleError:
        assume(False)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.measure.bounds.WORK", work)
        patch.setattr("anonset.measure.bounds.MOST", most)
        found = measure(data, release, ["exact-items", "exact-bound"])

    assert found["exact-items"] <= found["exact-bound"] + CLOSE


@pytest.mark.parametrize("id", ["aa", "lift", "pcta", "lra", "vpa", "coat"])
@given(item_datasets(min_records=4, sensitive=True), st.integers(2, 3))
@settings(max_examples=15, deadline=None)
def test_releases_of_items_stay_below_it(id, data, k):
    try:
        release = make(id, {"k": k, "m": 2}).anonymize(data)
    except InfeasibleError:
        assume(False)
    found = measure(data, release, ["exact-items", "exact-bound"])

    assert found["exact-items"] <= found["exact-bound"] + CLOSE


def test_labels_of_one_branch_spread_less_than_strangers():
    data = Dataset(transactions=Transactions.from_records(["ab", "c", "d"], domain="abcd"))
    data = data.with_item_hierarchy(plant_paths([("a", "P"), ("b", "P"), ("c", "Q"), ("d", "Q")]))

    def published(groups, texts):
        items = items_in_groups(data, np.array(groups, np.int32), texts)
        return Release((), items, (KmAnonymity(1, 2),), provenance(Identity(k=1)), np.arange(len(data)))

    assert label_spread(data, published([0, 0, 1, 2], ["P", "c", "d"])) == 0.5
    assert label_spread(data, published([0, 1, 0, 1], ["(a,c)", "(b,d)"])) == 1.0
    assert label_spread(data, published([0, 0, 0, 0], ["*"])) == 0.0  # it says nothing: lost, but nobody is a stranger


@given(st.data())
def test_the_spread_agrees_with_the_oracle(draw):
    data = draw.draw(item_datasets())
    release = draw.draw(any_release(data))
    items = release.items
    assume(items is not None and hasattr(items, "labels"))
    sets = [group.tolist() for group in items.labels.groups()]
    times = np.bincount(items.shown, minlength=len(sets)).tolist()

    assert label_spread(data, release) == pytest.approx(oracle.label_spread(data.item_hierarchy, sets, times))
    flat = replace(data, item_hierarchy=None)
    several = any(n and 1 < len(group) < len(items.domain) for group, n in zip(sets, times, strict=True))
    assert label_spread(flat, release) == float(several)
