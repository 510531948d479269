import sys

import pytest

from anonset.errors import ParameterError
from anonset.study.ru_map import (
    RISK_LIMITS,
    MapPoint,
    best_under,
    by_data,
    knee,
    knee_by_kneed,
    promises,
    risk_axis,
    risk_limit,
    ru_points,
)
from anonset.study.trial import Trial


def trial(utility, risk, algorithm="aa", outcome="done"):
    return Trial(f"{algorithm}{utility}", "d", algorithm, {"k": 2}, outcome, measures={"are": 1 / utility, "risk": risk})


CURVE = [trial(u, r) for u, r in [(1, 0.01), (2, 0.02), (3, 0.05), (4, 0.1), (4.5, 0.5), (5, 1.0)]]


def test_utility_is_one_over_the_error():
    points = ru_points([trial(4, 0.5), trial(2, 0.2, outcome="failed")])

    assert points == (MapPoint("aa", "aa k=2", 4.0, 0.5, 0.25, True),)


def test_only_points_nobody_beats_on_both_axes_are_on_the_frontier():
    points = ru_points([trial(4, 0.5), trial(3, 0.5), trial(2, 0.2), trial(1.5, 0.3)])

    assert [point.on_frontier for point in points] == [True, False, True, False]


def test_the_knee_is_where_more_utility_begins_to_cost_much_risk():
    assert knee(ru_points(CURVE)).utility == pytest.approx(4)


def test_kneed_finds_a_knee_on_the_same_curve():
    pytest.importorskip("kneed")

    assert knee_by_kneed(ru_points(CURVE)).utility == pytest.approx(4)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_two_points_have_no_knee(n):
    assert knee(ru_points(CURVE[:n])) is None


def test_a_curve_that_only_flattens_has_no_knee():
    assert knee(ru_points([trial(1, 0.1), trial(2, 0.8), trial(3, 0.9)])) is None


def test_the_best_under_a_limit_has_the_highest_utility_within_it():
    points = ru_points(CURVE)

    assert best_under(points, 0.2).utility == pytest.approx(4)
    assert best_under(points, 0.09).utility == pytest.approx(3)
    assert best_under(points, 0.001) is None


def setting(algorithm="aa", are=1.0, risk=0.5, data="d", **parameters):
    key = f"{data}{algorithm}{parameters}"
    promise = ({"id": "k-km", "k": 2, "m": 2},)
    return Trial(key, data, algorithm, parameters, "done", measures={"are": are, "risk": risk}, guarantees=promise)


def test_a_curve_runs_along_k_and_other_choices_are_other_series():
    points = ru_points([setting(k=k, m=m, order="lazy") for m in (1, 2) for k in (2, 5)])

    assert [point.series for point in points] == ["aa m=1", "aa m=1", "aa m=2", "aa m=2"]


def test_a_curve_runs_along_whatever_varies_where_k_does_not():
    points = ru_points([setting(k=5, delta=delta) for delta in (0.1, 0.2)])

    assert [point.series for point in points] == ["aa", "aa"]


def test_seeds_are_one_point_with_the_mean_loss_and_the_largest_risk():
    points = ru_points([setting(are=are, risk=risk, k=2, seed=seed) for are, risk, seed in [(1.0, 0.5, 1), (3.0, 0.4, 2)]])

    assert points == (MapPoint("aa", "aa k=2 (mean of 2 seeds)", 0.5, 0.5, 2.0, True),)


def test_datasets_and_promises_are_told_apart():
    trials = [setting(data="x", k=2), setting(data="y", k=2), setting("pcta", data="y", k=2)]

    assert {name: len(own) for name, own in by_data(trials).items()} == {"x": 1, "y": 2}
    assert promises(trials) == ["k-km"]


@pytest.mark.parametrize(("text", "limit"), [("0.2", 0.2), ("0.09", 1 / 11), ("0.090", 0.09), ("k=11", 1 / 11), ("1", 1.0)])
def test_a_limit_is_a_risk_or_a_smallest_group(text, limit):
    assert risk_limit(text) == pytest.approx(limit, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "k"), [("0.09", 11), ("0.33", 3), ("0.2", 5), ("0.05", 20), ("0.1", 10), ("0.3", 4), ("0.07", 14)]
)
def test_a_rounded_limit_admits_the_group_it_was_rounded_from_and_no_smaller_one(text, k):
    points = ru_points([trial(10 - own / 100, 1 / own) for own in range(2, 60)])

    admitted = [round(1 / point.risk) for point in points if best_under([point], risk_limit(text))]

    assert min(admitted) == k


@pytest.mark.parametrize("text", ["0", "1.5", "k=0", "k=x", "much", "-0.1", "nan"])
def test_what_is_no_limit_is_refused(text):
    with pytest.raises(ParameterError, match="risk limit"):
        risk_limit(text)


def guarded(listed, **measures):
    promise = {"id": "constraints"} if listed else {"id": "k-km", "k": 5, "m": 2}
    return Trial("x", "d", "pcta", {"k": 5}, "done", measures={"are": 0.5} | measures, guarantees=(promise,))


def test_listed_itemsets_are_mapped_by_the_risk_of_what_they_protect_with_the_other_beside():
    measures = {"risk": 1.0, "risk-protected": 0.2}

    (listed,) = ru_points([guarded(True, **measures)])
    (all_sets,) = ru_points([guarded(False, **measures)])

    assert (listed.axis, listed.risk, listed.beside) == ("risk-protected", 0.2, 1.0)
    assert (all_sets.axis, all_sets.risk, all_sets.beside) == ("risk", 1.0, 0.2)
    assert best_under([listed], 0.2) is listed
    assert best_under([all_sets], 0.2) is None
    assert "risk-protected 0.2" in listed.described
    assert "risk 1" in listed.described
    assert all_sets.described == all_sets.label


def test_any_measure_of_risk_may_be_the_axis():
    trials = [guarded(True, risk=1.0, **{"risk-protected": 0.2, "risk-p95": 0.1})]

    assert [point.risk for point in ru_points(trials, risk="risk-p95")] == [0.1]
    assert ru_points(trials, risk="risk-p99") == ()
    assert risk_axis([guarded(True, risk=1.0)]) == "risk"  # the other was not measured
    with pytest.raises(ParameterError, match="risk-above"):
        risk_axis(trials, "risk-above")


def test_every_usual_limit_can_be_typed_and_has_a_source():
    assert all(risk_limit(name) == pytest.approx(limit) and source for name, (limit, source) in RISK_LIMITS.items())


def test_a_flat_curve_has_no_knee():
    flat = ru_points([trial(utility, 0.2) for utility in (1, 2, 3, 4)])

    assert knee(flat) is None


def test_a_flat_curve_has_no_knee_for_kneed_either():
    pytest.importorskip("kneed")
    flat = ru_points([trial(utility, 0.2) for utility in (1, 2, 3, 4)])

    assert knee_by_kneed(flat) is None


def test_kneed_is_installed_by_those_who_use_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "kneed", None)

    with pytest.raises(ParameterError, match="pip install kneed"):
        knee_by_kneed(ru_points(CURVE))


def test_how_far_a_search_by_the_clock_came_makes_no_curve_of_its_own():
    trials = [
        Trial(f"key{k}", "d", "rt-search", {"k": k, "steps": steps}, "done", measures={"are": 1.0 / k, "risk": 1.0 / k})
        for k, steps in ((2, "3+1"), (5, "4+0"), (10, "9+2"))
    ]

    assert {point.series for point in ru_points(trials)} == {"rt-search"}
