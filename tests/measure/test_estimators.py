from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.base import provenance
from anonset.algorithms.identity import Identity
from anonset.algorithms.recoding import items_in_groups
from anonset.errors import InputError, ParameterError
from anonset.measure import MEASURES, measure
from anonset.measure.workload import ESTIMATORS, Query, RecordIndex, Workload, are, count_queries
from anonset.model.dataset import Dataset, Transactions
from anonset.model.labels import GeneralizedItems, Labels
from anonset.model.release import Margins, Release
from oracles import estimators as oracle
from release_makers import any_release
from strategies import item_datasets


@st.composite
def cases(draw):
    """A dataset, a release of it with any labels at all and any margins, and items to ask for."""
    data = draw(item_datasets())
    domain = data.transactions.domain
    k = draw(st.integers(1, 3))
    counts = {name: k * draw(st.integers(1, 4)) for name in draw(st.sets(st.sampled_from(domain)))}
    withheld = frozenset(draw(st.sets(st.sampled_from(domain)))) - counts.keys()
    release = replace(draw(any_release(data)), margins=Margins(k, counts, withheld))
    return data, release, tuple(sorted(draw(st.sets(st.sampled_from(domain), min_size=1, max_size=3))))


@pytest.mark.parametrize("estimator", ["expanded", "uniform", "calibrated"])
@given(cases())
def test_estimates_agree_with_the_oracle(estimator, case):
    data, release, items = case

    counts = count_queries(data, release, Workload((Query(items=items), Query(absent=items))), estimator=estimator)

    assert counts.estimate[0] == pytest.approx(oracle.count(release, items, estimator), abs=1e-9)
    assert counts.estimate[1] == pytest.approx(oracle.count(release, items, estimator, absent=True), abs=1e-9)


@given(cases())
def test_expanded_is_the_most_a_release_allows(case):
    data, release, items = case
    asked = Workload((Query(items=items),))

    most = count_queries(data, release, asked, estimator="expanded").estimate[0]

    assert all(count_queries(data, release, asked, estimator=name).estimate[0] <= most + 1e-9 for name in ESTIMATORS)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@given(item_datasets(hierarchy=False))
def test_published_as_is_every_estimator_is_right(estimator, data):
    release = replace(make("identity", {"k": 1}).anonymize(data), margins=Margins(2, {}))
    asked = Workload(tuple(Query(items=(name,)) for name in data.transactions.domain))

    assert are(data, release, asked, estimator=estimator) == 0.0


def merged(baskets, groups, texts, margins=None):
    data = Dataset(transactions=Transactions.from_records(baskets))
    items = items_in_groups(data, np.array(groups, np.int32), texts)
    return data, Release((), items, (), provenance(Identity(k=1)), np.arange(len(data)), margins=margins)


def test_six_records_of_one_label_are_counted_in_four_ways():
    """[001]'s example: a is in four of six records, every one of which shows (a,...,g)."""
    margins = Margins(2, {"a": 4, "b": 4, "e": 2, "f": 2, "c": 2, "g": 2})
    data, release = merged(["abcdef", "abeg", "ae", "bfg", "ab", "cf"], [0] * 7, ["(a,b,c,d,e,f,g)"], margins)

    found = {name: RecordIndex(data, release, name).count(Query(items=("a",))) for name in ESTIMATORS}

    assert found == pytest.approx({"subsets": 6 * 64 / 127, "expanded": 6, "uniform": 6 / 7, "calibrated": 4.5})


def test_a_code_beside_its_chapter_is_not_counted_among_what_the_chapter_hides():
    labels = Labels.from_groups([[0], [0, 1, 2]], ["a", "(a,b,c)"])
    items = GeneralizedItems(
        np.array([0, 2, 3, 4]), np.array([0, 1, 0, 1], np.int32), labels, ("a", "b", "c"), np.zeros(0, np.int32)
    )
    data = Dataset(transactions=Transactions.from_records(["ab", "a", "c"], domain="abc"))
    release = Release((), items, (), provenance(Identity(k=1)), np.arange(3))

    uniform = RecordIndex(data, release, "uniform")

    assert uniform.count(Query(items=("a",))) == pytest.approx(1 + 1 + 1 / 3)
    assert uniform.count(Query(items=("b",))) == pytest.approx(1 / 2 + 1 / 3)
    assert uniform.count(Query(items=("a", "b"))) == pytest.approx(1 / 2 + 1 / 9)


@given(cases())
def test_calibrated_counts_of_single_items_are_their_margins_where_labels_have_room(case):
    data, release, _ = case
    if not release.items.is_global:
        return
    index = RecordIndex(data, release, "calibrated")
    for name in set(data.transactions.domain) - release.margins.withheld:
        showing = oracle.count(release, (name,), "expanded")
        exact = sum(name in oracle.exact_items(record) for record in oracle.published_sets(release))

        expected = release.margins.expected(name)

        assert index.count(Query(items=(name,))) == pytest.approx(min(max(expected, exact), showing), abs=1e-9)


def test_estimators_that_cannot_be_used_say_why():
    data, release = merged(["ab", "b"], [0, 0], ["(a,b)"])
    asked = Workload((Query(items=("a",)),))

    with pytest.raises(ParameterError, match="choose from subsets, expanded, uniform, calibrated"):
        are(data, release, asked, estimator="best")
    with pytest.raises(InputError, match="publishes none"):
        are(data, release, asked, estimator="calibrated")
    uncertain = make("nr-k", {"k": 2, "seed": 1}).anonymize(data)
    with pytest.raises(ParameterError, match="choose from subsets, expanded"):
        are(data, uncertain, asked, estimator="uniform")
    assert are(data, uncertain, asked, estimator="expanded") >= 0.0


def test_a_measure_says_what_it_takes_and_is_handed_it():
    data, release = merged(["ab", "b"], [0, 0], ["(a,b)"])
    asked = Workload((Query(items=("a",)),))

    assert MEASURES["are"].must_have == ("workload",)
    assert "are" not in measure(data, release)
    assert measure(data, release, workload=asked)["are"] == are(data, release, asked)
    assert measure(data, release, ["are"], workload=asked, estimator="expanded") == {"are": 1.0}
    with pytest.raises(ParameterError, match="are needs a workload"):
        measure(data, release, ["are"])
