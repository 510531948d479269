import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset import threads
from anonset.algorithms.constraints.pcta import Pcta
from anonset.algorithms.identity import Identity
from anonset.algorithms.rt.item_step import AaStep, AnyStep, Items, LabelTable, join, make_step
from anonset.algorithms.transactions.aa import Aa
from anonset.errors import InputError, ParameterError
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset, Transactions
from anonset.testing.tiny import dataset
from oracles.rt import is_km_anonymous, is_lm_diverse, record_ul
from strategies import item_datasets


def published(book, found):
    """Records as sets of member sets."""
    offsets, shown = found
    starts, members = book.members
    groups = [frozenset(members[starts[a] : starts[a + 1]].tolist()) for a in range(len(starts) - 1)]
    return [{groups[a] for a in shown[offsets[p] : offsets[p + 1]]} for p in range(len(offsets) - 1)]


@st.composite
def chosen_rows(draw, **how):
    data = draw(item_datasets(min_records=2, **how))
    return data, np.array(draw(st.lists(st.integers(0, len(data) - 1), unique=True, min_size=1)), np.int64)


@given(chosen_rows(), st.integers(1, 3), st.integers(1, 3))
def test_aa_on_rows_equals_aa_on_a_dataset_of_these_rows(case, k, m):
    data, rows = case
    quick, plain = AaStep(data, k, m, 1), AnyStep(data, Aa(k=k, m=m), k, m, 1)

    found, expected = quick.protect(rows), plain.protect(rows)

    if len(rows) >= k:  # a dataset of fewer is refused, a cluster of fewer is nobody's wish
        assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert published(quick.labels, found) == published(plain.labels, expected)


@given(chosen_rows(sensitive=True), st.integers(1, 3), st.integers(1, 2), st.integers(1, 3))
def test_aa_on_rows_protects_them(case, k, m, l):  # noqa: E741
    data, rows = case
    step = AaStep(data, k, m, l)

    found = step.protect(rows)

    t = data.transactions
    secret = {i for i, s in enumerate(data.sensitive_items) if s}
    original = [frozenset(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in rows]
    hidden = [record & secret for record in original]
    if found is None:  # not even the root of the hierarchy would do
        one = [frozenset("*") if record - secret else frozenset() for record in original]
        assert not (is_km_anonymous(one, k, m) and is_lm_diverse(one, hidden, l, m))
        return
    shown = published(step.labels, found)
    known = [frozenset(map(tuple, map(sorted, (g for g in record if not g <= secret)))) for record in shown]
    assert is_km_anonymous(known, k, m)
    assert is_lm_diverse(known, hidden, l, m)
    for record, labels in zip(original, shown, strict=True):
        assert all(label & record for label in labels)
        assert record <= frozenset().union(*labels)
        assert {label for label in labels if label <= secret} == {frozenset([i]) for i in record & secret}


@given(chosen_rows(), st.integers(1, 3), st.sampled_from([0.0, 1.0]))
def test_an_outcome_knows_what_it_loses(case, k, weight):
    data, rows = case
    step = AaStep(data, k, 2, 1)

    outcome = Items(step, exact_weight=weight).outcome(rows)

    if outcome is not None:
        sizes = [[len(g) for g in record] for record in published(step.labels, outcome[1:3])]
        assert outcome.lost == pytest.approx(sum(record_ul(row, weight) for row in sizes))
        assert outcome.general == sum(size > 1 for row in sizes for size in row)


def test_labels_of_all_clusters_are_published_once_and_in_order():
    data = dataset(["ab", "ab", "cd", "cd", "a", "a"])
    items = Items(AaStep(data, 2, 2, 1), exact_weight=1.0)
    outcomes = items.outcomes([np.array([5, 4]), np.array([2, 3]), np.array([0, 1])])

    shown = items.publish(outcomes)

    assert shown.labels.texts == ("a", "b", "c", "d")
    assert [shown.shown[shown.offsets[r] : shown.offsets[r + 1]].tolist() for r in (0, 2, 4)] == [[0, 1], [2, 3], [0]]
    assert join(outcomes).lost == pytest.approx(sum(outcome.lost for outcome in outcomes))


def test_two_groups_with_one_text_are_told_apart():
    data = dataset(["ab"])
    book = LabelTable(data)
    numbers = book.numbers([np.array([0, 1], np.int32), np.array([0, 2], np.int32)], ["few", "few"])

    shown = book.publish(np.array([0, 1, 2]), numbers)

    assert shown.labels.texts == ("few", "(a,c)")


def test_items_may_be_generalized_without_a_hierarchy():
    whole = dataset(["ab", "ac", "cd", "cd"])
    data = Dataset(whole.columns, whole.transactions)

    step = AnyStep(data, Pcta(k=2, m=2), 2, 2, 1)

    for record in published(step.labels, step.protect(np.arange(4))):
        assert record
    with pytest.raises(InputError, match="pcta"):
        make_step(data, "aa", 2, 2, 1)


def test_what_an_algorithm_promises_is_checked():
    data = dataset(["ab", "ac", "ab"])

    assert AnyStep(data, Identity(k=2), 2, 2, 1).protect(np.array([0, 1])) is None
    assert AnyStep(data, Identity(k=2), 2, 2, 1).protect(np.array([0, 2])) is not None
    with pytest.raises(ParameterError, match="generalizes items; nr-k does not"):
        make_step(data, "nr-k", 2, 2, 1).protect(np.arange(3))
    with pytest.raises(ParameterError, match="no algorithm"):
        make_step(data, "aaa", 2, 2, 1)


@pytest.mark.parametrize(("name", "m", "l"), [("aa", 2, 1), ("aa", 3, 1), ("aa", 2, 2), ("lift", 2, 1)])
def test_outcomes_do_not_depend_on_the_number_of_threads(monkeypatch, name, m, l):  # noqa: E741
    data = people(1200, sensitive=l > 1)
    clusters = np.split(np.arange(len(data)), np.cumsum(np.resize([4, 5, 70, 8], 100))[:55])

    def outcomes(cores):
        monkeypatch.setattr(threads, "THREADS", cores)
        return Items(make_step(data, name, 2, m, l), exact_weight=1.0).outcomes(clusters)

    alone = outcomes(1)
    for cores in (2, 3, 8):
        for one, expected in zip(outcomes(cores), alone, strict=True):
            assert (one is None) == (expected is None)
            if one is not None:
                for found, wanted in zip(one, expected, strict=True):
                    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(("m", "l"), [(1, 1), (2, 1), (3, 1), (2, 2)])
def test_all_clusters_show_by_aa_what_each_shows_alone(monkeypatch, m, l):  # noqa: E741
    monkeypatch.setattr("anonset.algorithms.rt.item_step.WORTH_COMPILING", 8 * threads.THREADS)  # two in a call
    data = people(600, sensitive=l > 1)
    clusters = np.split(np.arange(len(data)), np.cumsum(np.resize([4, 5, 70, 8], 27)))
    items = Items(AaStep(data, 4, m, l), exact_weight=1.0)

    for one, rows in zip(items.outcomes(clusters), clusters, strict=True):
        alone = items.outcome(rows)
        assert (one is None) == (alone is None)
        if alone is not None:
            assert (one.lost, one.general) == (alone.lost, alone.general)
            assert published(items.labels, one[1:3]) == published(items.labels, alone[1:3])


@pytest.mark.parametrize("name", ["aa", "lift", "pcta"])
def test_mean_losses_are_those_of_the_outcomes(name):
    data = people(120, sensitive=True)
    clusters = np.split(np.arange(len(data)), np.cumsum(np.resize([1, 3, 12, 4], 22)))
    items = Items(make_step(data, name, 3, 2, 1), exact_weight=1.0)

    found = items.outcomes(clusters)

    assert len(found) == len(clusters)
    assert [one is None for one in found] == [one is None for one in found[:]]
    assert any(one is None for one in found)
    expected = [1.0 if one is None else one.lost / len(one.rows) for one in found]
    assert items.mean_losses(clusters).tolist() == expected
    assert len(items.mean_losses([])) == len(items.outcomes([])) == 0


def people(n, *, sensitive):
    """Records of one to six of forty items, some much more frequent than others."""
    rng = np.random.default_rng(7)
    names = [f"i{i:02}" for i in range(40)]
    share = 1 / (1 + np.arange(40))
    records = [rng.choice(names, rng.integers(1, 7), replace=False, p=share / share.sum()) for _ in range(n)]
    secret = np.arange(40) % 19 == 18 if sensitive else None
    data = Dataset(transactions=Transactions.from_records(records, domain=names), sensitive_items=secret)
    return data.with_item_hierarchy(balanced(names, 4))
