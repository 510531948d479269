import pytest

from anonset.study.ru_map import Point, best_under, knee, knee_by_kneed, ru_points
from anonset.study.trial import Trial


def trial(utility, risk, algorithm="aa", outcome="done"):
    return Trial(f"{algorithm}{utility}", "d", algorithm, {"k": 2}, outcome, measures={"are": 1 / utility, "risk": risk})


CURVE = [trial(u, r) for u, r in [(1, 0.01), (2, 0.02), (3, 0.05), (4, 0.1), (4.5, 0.5), (5, 1.0)]]


def test_utility_is_one_over_the_error():
    points = ru_points([trial(4, 0.5), trial(2, 0.2, outcome="failed")])

    assert points == (Point("aa", "aa k=2", 4.0, 0.5, 0.25, True),)


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
