import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.base import provenance
from anonset.algorithms.identity import Identity
from anonset.algorithms.recoding import items_at_nodes, items_in_groups
from anonset.errors import ParameterError
from anonset.measure import MEASURES, measure
from anonset.measure.coded_release import label_counts, occurrence_labels
from anonset.measure.information_loss import ncp_items, ul, ul_log2, ul_record, ul_record_exact0
from anonset.measure.risk import risk_protected
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import CompleteK, Constraints, KmAnonymity
from anonset.model.hierarchy import Hierarchy
from anonset.model.release import Release
from oracles import measures as oracle
from strategies import item_datasets, relational_datasets


@st.composite
def random_releases(draw):
    """A dataset and a release of it by random nodes per occurrence (local recoding), some records left out."""
    data = draw(item_datasets(sensitive=True))
    tree, t = data.item_hierarchy, data.transactions
    nodes = [draw(st.sampled_from(tree.ancestors(int(i)))) for i in t.items]
    kept = np.array([draw(st.integers(0, 4)) > 0 for _ in range(len(data))])
    rows = np.flatnonzero(kept)
    part = data.take(rows)
    where = np.repeat(kept, t.lengths)
    items = items_at_nodes(part, np.array(nodes, np.int32)[where])
    return data, release_of(items, rows)


def release_of(items, rows=None, guarantee=None):
    rows = np.arange(len(items)) if rows is None else rows
    return Release((), items, (guarantee or KmAnonymity(1, 2),), provenance(Identity(k=1)), rows)


@given(random_releases(), st.integers(1, 3))
def test_labels_are_counted_in_pieces_as_they_stand_for_occurrences(case, at_once):
    original, release = case
    labels, d = occurrence_labels(original, release), len(release.items.labels)
    linkable = labels if original.sensitive_items is None else labels[~original.sensitive_items[original.transactions.items]]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.model.sets.AT_ONCE", at_once)
        times = label_counts(original, release)

    for found, names in ((times.all, labels), (times.linkable, linkable)):
        assert found.tolist() == [names.tolist().count(label) for label in (*range(d), -2, -1)]


@given(random_releases())
def test_item_losses_agree_with_the_oracle(case):
    original, release = case

    assert ncp_items(original, release) == pytest.approx(oracle.ncp_items(original, release))
    assert ul_record(original, release) == pytest.approx(oracle.ul_record(original, release))
    assert ul_record_exact0(original, release) == pytest.approx(oracle.ul_record(original, release, 0))
    assert ul(original, release) == pytest.approx(oracle.ul(original, release))


def test_generalizing_a_in_the_example_of_002_loses_two_and_a_half_elevenths():
    t = Transactions.from_records([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    tree = Hierarchy(("a1", "a2", "b1", "b2", "A", "B", "ALL"), np.array([4, 4, 5, 5, 6, 6, -1], np.int32))
    data = Dataset(transactions=t).with_item_hierarchy(tree)
    cut = np.array([4, 4, 2, 3], np.int32)

    release = release_of(items_at_nodes(data, cut[data.transactions.items]))

    assert ncp_items(data, release) == pytest.approx(2.5 / 11)


def test_utility_loss_of_a_pair_in_five_of_six_records_is_example_3_of_003():
    t = Transactions.from_records(["a", "b", "ab", "a", "b", ""], domain="abcdefg")
    data = Dataset(transactions=t)
    texts = ["(a,b)", "c", "d", "e", "f", "g"]

    release = release_of(items_in_groups(data, np.array([0, 0, 1, 2, 3, 4, 5], np.int32), texts))

    assert ul(data, release) == pytest.approx(3 / 127 * 5 / 6)


def test_utility_loss_keeps_its_order_where_floats_end():
    names = [str(i) for i in range(16_470)]
    data = Dataset(transactions=Transactions.from_records([names[:9], names[4:]], domain=names))
    pair = np.arange(len(names), dtype=np.int32)
    pair[1] = 0
    whole = np.zeros(len(names), np.int32)

    exact = ul_log2(data, release_of(items_in_groups(data, np.arange(len(names), dtype=np.int32), names)))
    merged = ul_log2(data, release_of(items_in_groups(data, pair, ["(0,1)", *names[1:]])))
    root = ul_log2(data, release_of(items_in_groups(data, whole, ["all"])))

    assert np.isfinite(exact)
    assert exact < merged < root == 0.0


def test_suppressed_items_lose_everything():
    data = Dataset(transactions=Transactions.from_records(["ab", "a"]))

    release = release_of(items_in_groups(data, np.array([-1, 0], np.int32), ["b"]))

    assert ncp_items(data, release) == pytest.approx(2 / 3)
    assert ul(data, release) == pytest.approx(1 + 1 / 3 * 1 / 2)


@pytest.mark.parametrize(
    ("guarantee", "expected"),
    [
        (KmAnonymity(1, 1), 1 / 2),
        (KmAnonymity(1, 2), 1.0),
        (CompleteK(1), 1.0),
        (Constraints(1, (("a", "b"), ("a", "d"))), 1 / 2),
        (Constraints(1, (("a", "d"),)), 0.0),
    ],
)
def test_protected_risk_is_one_over_the_smallest_support_of_what_is_protected(guarantee, expected):
    data = Dataset(transactions=Transactions.from_records(["abc", "ab", "ac", "bd", "d"]))
    whole = make("identity", {"k": 1}).anonymize(data)

    assert risk_protected(data, Release((), whole.items, (guarantee,), whole.provenance, whole.rows)) == pytest.approx(expected)


@given(relational_datasets(sensitive=True))
def test_published_as_is_loses_nothing(data):
    release = make("identity", {"k": 1}).anonymize(data)

    found = measure(data, release)

    assert found["ncp"] == 0.0
    assert found["c-avg"] >= 1.0
    assert found["discernibility"] >= len(data)
    assert 0.0 < found["risk"] <= 1.0


def test_asking_for_an_unknown_or_unfitting_measure_says_so():
    data = Dataset(transactions=Transactions.from_records(["ab", "a"]))
    release = make("identity", {"k": 1}).anonymize(data)

    with pytest.raises(ParameterError, match="no measure 'nonsense'; choose from ncp"):
        measure(data, release, ["nonsense"])
    with pytest.raises(ParameterError, match="discernibility does not apply"):
        measure(data, release, ["discernibility"])
    assert set(measure(data, release)) <= set(MEASURES)
