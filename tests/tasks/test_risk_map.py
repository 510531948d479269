"""Runs on the map."""

from anonset.tasks.risk_map import run


def a_run(key, k, are, risk):
    return {"key": key, "algorithm": "aa", "parameters": {"k": k, "seed": 1}, "measures": {"are": are, "risk": risk}}


def test_each_run_is_a_point_of_its_own_and_the_best_is_within_the_limit():
    runs = [a_run("a", 5, 0.5, 0.2), a_run("b", 2, 0.1, 0.5), a_run("c", 10, 0.9, 0.1), a_run("d", 10, 0.95, 0.1)]

    found = run([*runs, {**a_run("e", 3, 1, 1), "measures": {"risk": 0.1}}], "are", "0.2")

    assert found.keys == ("a", "b", "c", "d")
    assert [point.on_frontier for point in found.points] == [True, True, True, False]
    assert found.best == found.points[0]


def test_no_runs_no_points():
    assert run([], "are").points == ()
