"""[000], figures 1 and 2: which release carries which guarantee."""

import pytest

from anonset.model.guarantees import KAnonymity, KKm, KLm, KmAnonymity
from anonset.verify import verify
from papers import figures_000

RELEASES = {
    "1b": figures_000.figure_1b,
    "2a": figures_000.figure_2a,
    "2b": figures_000.figure_2b,
    "2c": figures_000.figure_2c,
    "2d": figures_000.figure_2d,
}


@pytest.mark.parametrize("name", RELEASES)
def test_every_figure_is_true_to_the_original_and_anonymous_part_by_part(name):
    verdict = verify(figures_000.figure_1a(), RELEASES[name](), [KAnonymity(2), KmAnonymity(2, 2)])

    verdict.require()
    assert [finding.support for finding in verdict.findings[:2]] == [6 if name == "2b" else 2, 2]


def test_figure_1b_is_not_anonymous_as_a_whole():
    finding = verify(figures_000.figure_1a(), figures_000.figure_1b(), [KKm(2, 2)], truthful=False).findings[0]

    assert not finding.holds
    assert finding.support == 1
    assert "1 record shows {E} with Age=[55:70], Origin=Africa, Gender=All; 2 are promised" in finding.witnesses
    # alone in their group: E, F, (A,B,C,D), {F, (A,B,C,D)} in the third, E, F and both with (A,B,C,D) in the second
    assert finding.violations == 8


@pytest.mark.parametrize("name", ["2a", "2b", "2c", "2d"])
def test_the_other_figures_are(name):
    assert verify(figures_000.figure_1a(), RELEASES[name](), [KKm(2, 2)]).holds


@pytest.mark.parametrize("name", ["2a", "2b", "2c", "2d"])
def test_with_g_and_h_as_ordinary_items_they_are_not(name):
    data = figures_000.figure_1a()
    ordinary = type(data)(data.columns, data.transactions)

    assert not verify(ordinary, RELEASES[name](), [KKm(2, 2)], truthful=False).holds


def test_figure_2a_hides_whether_g_or_h_was_bought_from_one_in_two():
    verdict = verify(figures_000.figure_1a(), figures_000.figure_2a(), [KLm(2, 2, 2, ("G", "H"))])

    verdict.require()


def test_figure_2b_tells_that_those_without_f_bought_g():
    finding = verify(figures_000.figure_1a(), figures_000.figure_2b(), [KLm(2, 2, 2, ("G", "H"))]).findings[0]

    assert not finding.holds
    assert finding.support == 2
    assert "of the 4 records that show {F} with Age=[19:70], Origin=All, Gender=All, 3 have H; at most 1 in 2 is promised" in (
        finding.witnesses
    )
