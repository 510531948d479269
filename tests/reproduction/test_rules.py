import pytest

from anonset_papers.claims import Check, answer_of
from anonset_papers.figures import Ratio, by_setting, done, lines, pick, ratios, table
from anonset_papers.rules import (
    always,
    at_least,
    at_most,
    lowest,
    ordered,
    reaches,
    stays_within,
    straightness,
    untestable,
)

ROWS = [
    {"data": "WV1", "k": 2, "algorithm": "aa", "are": 6.0, "outcome": "done"},
    {"data": "WV1", "k": 2, "algorithm": "pcta", "are": 2.0, "outcome": "done"},
    {"data": "WV1", "k": 5, "algorithm": "aa", "are": 8.0, "outcome": "done"},
    {"data": "WV1", "k": 5, "algorithm": "pcta", "outcome": "cannot be met"},
]


def check(holds):
    return Check("", "", "", holds)


@pytest.mark.parametrize(
    ("parts", "answer"),
    [
        ([True, True], "holds"),
        ([True, None], "holds"),
        ([True, False, None], "does not hold"),
        ([None], "cannot be tested here"),
        ([], "cannot be tested here"),
    ],
)
def test_a_claim_holds_when_all_its_testable_parts_do(parts, answer):
    assert answer_of([check(part) for part in parts]) == answer


def test_bounds_on_ratios_name_the_extremes():
    found = [Ratio("k=2", 3.0), Ratio("k=5", 8.0)]

    assert at_least("", found, 3.0).holds
    assert not at_least("", found, 3.1).holds
    assert at_most("", found, 8.0).holds
    assert not at_most("", found, 7.9).holds
    assert at_least("", found, 1.0).ours == "3 (k=2) to 8 times (k=5)"
    assert at_least("", [], 1.0).holds is None


def test_bounds_on_one_figure():
    assert reaches("", 0.5, 0.5).holds
    assert not reaches("", 0.4, 0.5).holds
    assert stays_within("", 0.5, 0.5).holds
    assert not stays_within("", 0.6, 0.5).holds
    assert reaches("", None, 1.0).holds is stays_within("", None, 1.0).holds is None


def test_what_fails_somewhere_is_named_there():
    assert always("", "good", {"k=2": True}).holds
    found = always("", "good", {f"k={k}": k > 7 for k in range(9)})
    assert found.holds is False
    assert found.ours == "1 of 9 settings; not: k=0; k=1; k=2; k=3 and 4 more"
    assert always("", "good", {}).holds is None


def test_orders_are_strict_unless_ties_are_allowed():
    figures = {"k=2": {"a": 1.0, "b": 1.0, "c": 2.0}, "k=5": {"a": 1.0}}

    assert ordered("", figures, ("a", "c")).holds
    assert not ordered("", figures, ("a", "b", "c")).holds
    assert ordered("", figures, ("a", "b", "c"), ties=True).holds
    assert not ordered("", figures, ("c", "a")).holds


def test_the_lowest_is_below_all_others_that_are_there():
    assert lowest("", {"k=2": {"a": 1.0, "b": 2.0}, "k=5": {"a": 1.0}}, "a").holds
    assert not lowest("", {"k=2": {"a": 1.0, "b": 1.0}}, "a").holds
    assert lowest("", {"k=5": {"a": 1.0}}, "a").holds is None


def test_points_on_a_line_are_straight():
    assert straightness([1, 2, 3], [2, 4, 6]) == pytest.approx(1.0)
    assert straightness([1, 2, 3, 4], [1, 10, 100, 1000]) < 0.8
    assert untestable("a", "b") == Check("a", "", "b", None)


def test_figures_are_compared_where_both_sides_have_one():
    rows = done(ROWS)

    assert len(rows) == 3
    assert ratios(rows, "are", "aa", "pcta", ("data", "k")) == [Ratio("WV1, k=2", 3.0)]
    assert by_setting(rows, "are", ("k",)) == {"k=2": {"aa": 6.0, "pcta": 2.0}, "k=5": {"aa": 8.0}}


def test_lines_and_tables_show_the_rows():
    plot = lines(done(ROWS), "k", "are", "AvgRE by k")
    assert [(s.name, s.xs, s.ys) for s in plot.series] == [("Apriori (AA)", (2, 5), (6.0, 8.0)), ("PCTA", (2,), (2.0,))]
    assert (plot.x, plot.y) == ("k", "AvgRE")

    shown = table(pick(ROWS, algorithm="pcta"), ("k", "algorithm", "are"))
    assert shown.header == ("k", "algorithm", "AvgRE")
    assert shown.rows == ((2, "PCTA", 2.0), (5, "PCTA", ""))
