import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms import ALGORITHMS
from anonset.algorithms.rt.base import prepare
from anonset.algorithms.rt.merge import RFirst, RmergeR, RmergeRT, RmergeT, TFirst, TmergeR, TmergeRT, TmergeT, gray_groups
from anonset.errors import InfeasibleError, InputError, ParameterError
from anonset.measure.information_loss import c_avg, discernibility, ncp, ul_record, ul_record_exact0
from anonset.model.dataset import Dataset
from anonset.model.guarantees import KKm, KLm
from anonset.testing.tiny import dataset
from oracles import rt as oracle
from strategies import rt_datasets

RMERGE, TMERGE = [RmergeR, RmergeT, RmergeRT], [TmergeR, TmergeT, TmergeRT]
FORMING = [name for name, cls in ALGORITHMS.items() if cls.needs == {"quasi"}]
GENERALIZING = [name for name, cls in ALGORITHMS.items() if cls.needs in ({"items"}, {"items", "item-hierarchy"})]
GENERALIZING = [name for name in GENERALIZING if not ALGORITHMS[name].guarantee.startswith("nr-")]
ALL = [RFirst, TFirst, *RMERGE, *TMERGE]


def measured_ncp(data, release):
    """NCP, or None where what is measured is not what was bounded."""
    return None if oracle.has_odd_column(data) else pytest.approx(ncp(data, release))


def attempt(algorithm, data):
    try:
        return algorithm.anonymize(data)
    except InfeasibleError as error:
        assert str(error)
        return None


@pytest.mark.parametrize("cls", ALL)
@settings(max_examples=25)
@given(data=rt_datasets(min_records=2, sensitive=True), k=st.integers(1, 3), m=st.integers(1, 3), l=st.integers(1, 2))
def test_releases_are_protected_and_true(cls, data, k, m, l):  # noqa: E741
    l = l if data.sensitive_items.any() else 1  # noqa: E741
    release = attempt(cls(k=k, m=m, l=l), data)

    if release is not None:
        assert oracle.is_protected(data, release, k, m, l)
        assert oracle.is_truthful(data, release)
        names = tuple(n for n, s in zip(data.transactions.domain, data.sensitive_items, strict=True) if s)
        assert release.guarantees == ((KLm(k, m, l, names) if names else KKm(k, m)),)


@pytest.mark.parametrize("cls", [*RMERGE, *TMERGE])
@settings(max_examples=25)
@given(data=rt_datasets(min_records=2), delta=st.floats(0, 1), near=st.sampled_from(["btd", "ul"]), seed=st.integers(0, 3))
def test_the_bound_is_kept_or_the_lowest_reachable_one_is_named(cls, data, delta, near, seed):
    loss = ncp if cls in RMERGE else ul_record
    make = lambda bound: cls(k=2, delta=bound, proximity=near, seed=seed)  # noqa: E731
    try:
        release = make(delta).anonymize(data)
    except InfeasibleError as error:
        found = re.search(r"the lowest \w+ found is ([\d.]+)", str(error))
        if found is None:
            assert "together cannot be protected" in str(error)
            return
        assert float(found[1]) > delta
        release, delta = make(min(1.0, float(found[1]))).anonymize(data), float(found[1])
    assert loss(data, release) <= delta + 1e-6


@pytest.mark.parametrize("rum", ["discernibility", "c-avg"])
@pytest.mark.parametrize("cls", RMERGE)
@settings(max_examples=25)
@given(data=rt_datasets(min_records=4), share=st.floats(0, 1), seed=st.integers(0, 3), refined=st.booleans())
def test_a_bound_on_the_sizes_of_groups_is_kept_in_what_is_published(cls, rum, data, share, seed, refined):
    """Also where clusters come to publish the same values, and so are one group."""
    loss = {"discernibility": discernibility, "c-avg": c_avg}[rum]
    worst = {"discernibility": len(data) ** 2, "c-avg": len(data) / 2}[rum]
    delta = share * worst
    make = lambda bound: cls(k=2, delta=bound, rum=rum, seed=seed, refine=refined)  # noqa: E731
    try:
        release = make(delta).anonymize(data)
    except InfeasibleError as error:
        found = re.search(r"the lowest \w+ found is ([\d.]+)", str(error))
        if found is None:
            assert "together cannot be protected" in str(error)
            return
        assert float(found[1]) > delta
        release, delta = make(float(found[1])).anonymize(data), float(found[1])
    assert loss(data, release) <= delta + 1e-6
    assert oracle.is_protected(data, release, 2, 2)


def test_a_delta_above_1_is_for_measures_of_sizes_only():
    with pytest.raises(ParameterError, match="delta must be a number from 0 to 1"):
        RmergeR(k=2, delta=1.5)
    with pytest.raises(ParameterError, match="delta must be a number from 0 to 1"):
        TmergeR(k=2, delta=1.5)
    assert RmergeR(k=2, delta=1.5, rum="c-avg").delta == 1.5


@pytest.mark.parametrize("cls", [*RMERGE, *TMERGE])
@settings(max_examples=15)
@given(data=rt_datasets(min_records=4))
def test_the_knee_is_a_point_of_the_trade_off(cls, data):
    release = attempt(cls(k=2, seed=1), data)
    if release is None:
        return
    points = [row for row in release.trace if row["action"] == "traded"]

    chosen = [row for row in points if row["chosen"]]

    assert len(chosen) == 1
    assert measured_ncp(data, release) in (None, chosen[0]["ncp"])
    assert chosen[0]["ul"] == pytest.approx(ul_record(data, release))
    assert not any(p["ncp"] < chosen[0]["ncp"] - 1e-9 and p["ul"] < chosen[0]["ul"] - 1e-9 for p in points)


@pytest.mark.parametrize("cls", TMERGE)
@settings(max_examples=25)
@given(data=rt_datasets(min_records=4), exact0=st.booleans())
def test_item_loss_never_rises_as_clusters_merge(cls, data, exact0):
    seen = []
    algorithm = cls(k=2, seed=1, tum="ul-record-exact0" if exact0 else "ul-record")
    try:
        start = prepare(algorithm, data, lambda done: None)
    except InfeasibleError:
        return

    for delta in np.linspace(1.0, 0.0, 9):
        try:
            best = replace(algorithm, delta=float(delta)).solutions(data, start, lambda done: None)[0]
        except InfeasibleError:
            break
        seen.append((best.ul, len(best.steps)))

    assert [steps for _, steps in seen] == sorted(steps for _, steps in seen)
    assert [ul for ul, _ in seen] == sorted((ul for ul, _ in seen), reverse=True)


@settings(max_examples=15)
@given(data=rt_datasets(min_records=4), cls=st.sampled_from(ALL))
def test_the_chosen_loss_of_items_is_the_one_that_is_measured(data, cls):
    release = attempt(cls(k=2, tum="ul-record-exact0"), data)

    if release is not None:
        rows = [row for row in release.trace if row["action"] == "generalized"]
        total = sum(row["records"] * row["ul"] for row in rows) / len(data)
        assert total == pytest.approx(ul_record_exact0(data, release))
        assert measured_ncp(data, release) in (None, sum(row["records"] * row["ncp"] for row in rows) / len(data))


@settings(max_examples=15)
@given(data=rt_datasets(min_records=6), cls=st.sampled_from([*RMERGE, *TMERGE]))
def test_merging_in_parts_is_protected_too(data, cls):
    release = attempt(cls(k=1, delta=1.0 if cls in RMERGE else None, compare=2, seed=1), data)

    assert release is None or oracle.is_protected(data, release, 1, 2)


@pytest.mark.parametrize("clusters", FORMING)
@pytest.mark.parametrize("items", GENERALIZING)
def test_any_algorithm_may_form_clusters_and_any_other_generalize_items(clusters, items):
    data = dataset(["ab", "ab", "abc", "cd", "cd", "d", "abd", "c"] * 2)

    for cls in (RFirst, RmergeT, TmergeR):
        release = cls(k=2, clusters=clusters, items=items, seed=1).anonymize(data)

        assert oracle.is_protected(data, release, 2, 2)
        assert oracle.is_truthful(data, release)


def test_quasi_values_first_keeps_them_and_items_first_keeps_those():
    data = dataset(["ab", "cd", "ab", "cd", "ab", "cd", "ab", "cd"])

    quasi_first, items_first = RFirst(k=2, seed=1).anonymize(data), TFirst(k=2, partition=4).anonymize(data)

    assert ncp(data, quasi_first) < ncp(data, items_first)
    assert set(items_first.items.labels.texts) == set("abcd")


def test_groups_of_similar_items_are_never_too_small():
    data = dataset(["ab", "cd", "ab", "cd", "ab", "cd", "cd"])

    groups = gray_groups(data.linkable, 3)

    assert [rows.tolist() for rows in groups] == [[1, 3, 5, 6], [0, 2, 4]]
    assert [len(rows) for rows in gray_groups(data.linkable, 9)] == [7]


def test_what_is_asked_for_must_fit_the_data():
    data = dataset(["ab", "ab"])
    with pytest.raises(InputError, match="quasi columns and a set-valued"):
        RFirst(k=1).anonymize(Dataset(data.columns))
    with pytest.raises(InputError, match="quasi columns and a set-valued"):
        TFirst(k=1).anonymize(Dataset((), data.transactions, data.item_hierarchy))
    with pytest.raises(ParameterError, match="sensitive items"):
        RmergeR(k=1, l=2).anonymize(data)
    with pytest.raises(InfeasibleError, match="k=3 exceeds the 2"):
        RmergeR(k=3).anonymize(data)
    with pytest.raises(ParameterError, match="delta"):
        RmergeR(k=3, delta=1.5)


def test_weights_of_columns_are_heard():
    data = dataset(["ab"] * 24)

    by_town, by_age = (RFirst(k=2, seed=1, weights=w).anonymize(data) for w in ("age-group=0", "home town=0"))

    assert ncp(data, by_town, weights={"age-group": 0.0, "home town": 1.0}) == 0.0
    assert ncp(data, by_age, weights={"age-group": 1.0, "home town": 0.0}) == 0.0
