import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

from anonset.algorithms import make
from anonset.attacks import attack
from anonset.measure import measure
from anonset.measure.item_error import expected_supports
from anonset.measure.workload import count_queries, random_queries
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset
from anonset.model.policy import Itemsets
from anonset.model.release import Provenance
from anonset.model.transactions import Transactions
from anonset.report import points
from anonset.report.drawing import draw_bars, look, short_label, svg
from anonset.report.release_page import Findings, reading_examples, release_page
from anonset.report.study_page import study_page, write_study
from anonset.report.template import figure
from anonset.study.ru_map import Point
from anonset.study.trial import Trial
from anonset.testing import tiny_datasets
from anonset.verify import verify

MAP = tuple(Point(name, f"{name} k={k}", 10 / k, 1 / k, k / 10, True) for name in ("aa", "pcta") for k in (2, 3, 5, 9))


@pytest.fixture
def case():
    data = tiny_datasets()["ordinary"]
    release = make("identity", {"k": 1}).anonymize(data)
    counts = count_queries(data, release, random_queries(data, 5))
    found = Findings(
        verify(data, release),
        measure(data, release),
        attack(data, release, attackers=5, seed=1),
        counts,
        map=MAP,
        command="anonset x",
    )
    return data, release, found


def test_the_page_tells_verdict_measures_attacks_and_how_to_read(case):
    html = release_page(*case)

    for text in ("The guarantee holds", "What was asked", "ncp-items", "all quasi values", "How to read it", "anonset x"):
        assert text in html
    assert html.count("<svg") >= 6


def test_the_page_groups_attacks_as_regulators_do_and_names_every_axis(case):
    html = release_page(*case)

    for text in (
        "Singling out",
        "Linkability",
        "Inference",
        "journalist",
        "Risk, before and after",
        "Other settings",
        "SHA-256",
    ):
        assert text in html
    for axis in ("attacker knows", "share of records", "records counted", "items behind one"):
        assert f"{axis}</text>" in html


def test_what_labels_mean_is_told_by_kind(case):
    data, release, _ = case

    meanings = {text.split(" = ")[0]: meaning for text, meaning in reading_examples(data, release)}

    assert {meanings[column.name] for column in data.quasi} == {"the value itself"}


def test_dollars_in_labels_are_no_formulas():
    bars = points.Bars("$x", "share", "item", (points.Bar("US$5 or $6", 0.5, 0.5),))

    assert "US$5 or $6" in svg(draw_bars(bars))


def test_a_large_hierarchy_is_drawn_with_narrow_nodes_joined():
    names = [f"i{number:04}" for number in range(600)]
    data = Dataset(transactions=Transactions.from_records([[name] for name in names], names), item_hierarchy=balanced(names, 5))
    release = make("identity", {"k": 1}).anonymize(data)

    blocks = points.cut_blocks(data.item_hierarchy, release, data)

    leaves = [block for block in blocks if block.level == 0]
    assert len(leaves) < 600
    assert all(block.in_cut for block in leaves)
    assert sum(block.stop - block.start for block in leaves) == pytest.approx(1.0)


def test_uncertain_items_have_their_plots_and_counts():
    data = Dataset(transactions=Transactions.from_records(["abc", "abd", "acd", "bcd", "ab", "cd"] * 2))
    release = make("nr-k", {"k": 2, "seed": 1}).anonymize(data)
    found = Findings(
        verify(data, release),
        measure(data, release),
        counts=count_queries(data, release, random_queries(data, 9, kind="items")),
    )

    html = release_page(data, release, found)

    assert "Items that may be wrong in a record" in html
    assert "Error of counts" in html


def test_the_page_needs_nothing_from_outside(case):
    html = re.sub(r'xmlns(:\w+)?="[^"]*"', "", release_page(*case))

    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"', html)
    assert "http" not in re.sub(r"<!DOCTYPE[^>]*>|<rdf:.*?</rdf:RDF>", "", html, flags=re.DOTALL)


def test_the_external_page_holds_nothing_raw(case):
    html = release_page(*case, external=True)

    assert "anonset x" not in html
    assert "The attacker played" not in html
    assert "original" not in re.sub(
        r"<p class=\"lead\">.*?</p>|covers the original one|<style>.*?</style>", "", html, flags=re.DOTALL
    )


def test_the_external_page_names_no_policy_and_no_seed(case):
    data, release, found = case
    asked = {"k": 5, "seed": 4711, "privacy": Itemsets((("a", "secret-item"),))}
    release = replace(release, provenance=Provenance("pcta", asked, "1"))

    assert "secret-item" in release_page(data, release, found)
    external = release_page(data, release, found, external=True)
    assert "secret-item" not in external
    assert "4711" not in external


def test_markup_in_data_is_shown_not_run():
    data = tiny_datasets()["ordinary"]
    trial = Trial("k", "<script>alert(1)</script>", "aa", {}, "done", measures={"are": 0.1, "risk": 0.2})

    html = study_page([trial])

    assert "<script>alert" not in html
    assert len(data) == 8


def test_expected_supports_of_an_exact_release_are_the_supports(case):
    data, release, _ = case

    np.testing.assert_allclose(expected_supports(data, release), data.transactions.supports)


def test_distributions_of_an_exact_release_do_not_move(case):
    data, release, _ = case

    for column in data.quasi:
        bars = points.column_bars(data, release, column.name).bars
        assert all(bar.before == pytest.approx(bar.after) for bar in bars)
        assert sum(bar.before for bar in bars) == pytest.approx(1.0)


def test_a_study_is_written_as_page_map_and_files(tmp_path):
    trials = [Trial(p.label, "d", p.series, {"k": 2}, "done", measures={"are": p.loss, "risk": p.risk}) for p in MAP]

    paths = write_study(trials, tmp_path)

    assert {path.name for path in paths} == {"report.html", "ru_map.html", "ru_map.png", "ru_map.svg", "ru_map.pdf"}
    assert all(path.stat().st_size > 1000 for path in paths)
    assert "Best under a risk of 0.2: aa" in (tmp_path / "report.html").read_text()


def test_a_study_of_several_datasets_has_a_map_for_each(tmp_path):
    trials = [
        Trial(f"{data}{p.label}", data, p.series, {"k": 2}, "done", measures={"are": p.loss, "risk": p.risk})
        for data in ("one.csv", "two.dat")
        for p in MAP
    ]

    names = {path.name for path in write_study(trials, tmp_path)}

    assert {"ru_map_1_one_csv.png", "ru_map_2_two_dat.png"} <= names
    page = (tmp_path / "report.html").read_text()
    assert "releases of one.csv" in page
    assert "releases of two.dat" in page


def test_what_tells_points_of_a_curve_apart_is_written_beside_them():
    assert [short_label(p, MAP[:4]) for p in MAP[:4]] == ["k=2", "k=3", "k=5", "k=9"]


def test_many_series_all_look_different():
    assert len({look(s) for s in range(32)}) == 32


def test_a_study_without_results_says_so(tmp_path):
    assert "there is no map" in study_page([Trial("k", "d", "aa", {}, "failed", "reason")])


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (0.12345, "0.1235"), (1234567.0, "1,234,567"), (1e-12, "1e-12")])
def test_numbers_are_short(value, text):
    assert figure(value) == text
