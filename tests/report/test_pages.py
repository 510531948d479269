import html
import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("jinja2")

from anonset.algorithms import make
from anonset.attacks import attack
from anonset.measure import measure
from anonset.measure.information_loss import expected_supports
from anonset.measure.usefulness import usefulness
from anonset.measure.workload import count_queries, random_queries
from anonset.model.builders import balanced
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset, Transactions
from anonset.model.policy import Itemsets
from anonset.model.release import Provenance
from anonset.model.serialization import to_builtins
from anonset.releases.about import about
from anonset.releases.gates import Admission, ColumnExposure, waved_through
from anonset.report import points
from anonset.report.findings import Findings
from anonset.report.pages import certificate_page, reading_examples, release_page, release_twin, study_page, write_study
from anonset.report.words import Words, words_of
from anonset.study.ru_map import MapPoint
from anonset.study.trial import Trial
from anonset.testing import tiny_datasets
from anonset.verify import verify

MAP = tuple(MapPoint(name, f"{name} k={k}", 10 / k, 1 / k, k / 10, True) for name in ("aa", "pcta") for k in (2, 3, 5, 9))
COVER = Cover("Eight people", "A. Steward", "en", "2026-01-31")


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
        useful=usefulness(data, release),
    )
    return data, release, found


def certified(data, release, cover=COVER):
    return certificate_page(data, release, about(release, data, "csv", ()), waved_through(data, release), cover)


def test_the_page_tells_what_an_officer_asks_for(case):
    html = release_page(*case, COVER)

    for text in ("Eight people", "A. Steward", "2026-01-31", "The promise is kept", "Who could be found, before and after"):
        assert text in html
    for text in ("What it is good for", "Ten records, before and after", "Sign-off", "Signature", "The technical side"):
        assert text in html


def test_the_page_groups_attacks_as_regulators_do(case):
    html = release_page(*case, COVER)

    for text in ("single out an individual", "link records relating", "inferred concerning", "Opinion 05/2014"):
        assert text in html
    for text in ("What was asked", "ncp-items", "How to read it", "Other settings", "SHA-256", "<pre>anonset x</pre>"):
        assert text in html
    assert html.count("<svg") >= 6


def test_the_page_speaks_german_too(case):
    html = release_page(*case, replace(COVER, language="de"))

    assert '<html lang="de">' in html
    for text in ("Die Zusage ist eingehalten", "Wofür die Daten taugen", "Unterschrift", "könnte bekannt sein"):
        assert text in html
    assert "Sign-off" not in html


def test_what_was_accepted_is_told_in_the_language_of_the_page(case):
    data, release, found = case
    admission = Admission(
        {"note": ColumnExposure("note", "rare", "other", 0.5, 4), "age": ColumnExposure("age", "uncovered")}, {"town": 0.95}
    )
    found = replace(found, accepted=admission)

    english, german = (release_page(data, release, found, replace(COVER, language=name)) for name in ("en", "de"))

    assert "50 % of its values are shared by fewer than 4 records; age is published and no promise covers it" in english
    assert "50 % der Werte kommen in weniger als 4 Datensätzen vor; age wird veröffentlicht" in german
    assert "95 % von town sagen nichts mehr." in german


def test_everything_that_is_drawn_comes_from_the_catalogue(case, monkeypatch):
    """In a language whose every text is marked, what is drawn without a mark is data."""
    marked = Words(
        "xx", {key: text if key.startswith("format.") else f"«{text}»" for key, text in words_of("en").texts.items()}
    )
    for module in ("pages", "drawings"):
        monkeypatch.setattr(f"anonset.report.{module}.words_of", lambda _: marked)
    data, release, _ = case
    of_data = [data.item_column, "to", "are", *data.transactions.domain, *data.item_hierarchy.labels, *(p.label for p in MAP)]
    of_data += [text for column in data.columns for text in (column.name, *column.domain)]

    pages = [release_page(*case, COVER), certified(data, release)]

    drawn = [text for page in pages for text in re.findall(r"<text[^>]*>(.*?)</text>", page)]
    assert sum("«" in text for text in drawn) > 40
    bare = {word.strip(",:()") for text in drawn for word in re.sub(r"«.*»|«.*…", " ", html.unescape(text)).split()}
    assert {word for word in bare.difference(*map(str.split, of_data)) if re.search("[a-z]{2}", word, re.IGNORECASE)} == set()


def test_the_first_page_draws_who_is_found_and_what_is_left(case):
    data, _, found = case
    page = release_page(*case, COVER)

    singled = round(100 * to_builtins(release_twin(*case, COVER))["risk"]["before"]["singled"])
    assert f'aria-label="{singled} of 100 people stand out"' in page
    assert "How far counts of people are off" in page or len(found.useful.counts) < 2
    assert 'aria-label="100 %"' in page
    kept = make("pcta", {"k": 3}).anonymize(Dataset(transactions=data.transactions))
    assert "one person among 3 or more who look alike" in certified(Dataset(transactions=data.transactions), kept)


def test_the_twin_has_the_figures_of_the_page(case):
    data, release, found = case

    twin = to_builtins(release_twin(*case, COVER))

    assert (twin["title"], twin["by"], twin["date"], twin["holds"]) == ("Eight people", "A. Steward", "2026-01-31", True)
    assert [column["name"] for column in twin["columns"]] == [*(c.name for c in data.columns), data.item_column]
    assert twin["measures"] == pytest.approx(found.measures)
    assert twin["attacks"]["worst"] == found.attacks.worst
    assert len(twin["rows"]["before"]["rows"]) == len(release)
    assert len(twin["map"]) == len(MAP)


def test_what_labels_mean_is_told_by_kind(case):
    data, release, _ = case

    meanings = {text.split(" = ")[0]: meaning for text, meaning in reading_examples(data, release, words_of("en"))}

    assert {meanings[column.name] for column in data.quasi} == {"the value itself"}


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

    html = release_page(data, release, found, COVER)

    assert "Items that may be wrong in a record" in html
    assert "Error of counts" in html


def test_the_page_needs_nothing_from_outside_and_runs_nothing(case):
    html = re.sub(r'xmlns="[^"]*"', "", release_page(*case, COVER))

    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"', html)
    assert not re.findall(r"<script| on[a-z]+=", html)
    assert "default-src 'none'" in html
    assert "http:" not in html


def test_the_certificate_names_no_policy_no_seed_no_file_and_no_count(case):
    data, release, _ = case
    asked = {"k": 5, "seed": 4711, "privacy": Itemsets((("a", "secret-item"),))}
    release = replace(release, provenance=Provenance("pcta", asked, "1"))

    html = certified(data, release)

    assert "secret-item" not in html
    assert "4711" not in html
    for text in ("Eight people", "Certificate of anonymization", "Issued by", "Ten records as they are published"):
        assert text in html
    for text in ("before", "original", "attackers found"):
        assert text not in re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)


def test_the_certificate_follows_from_what_is_published_alone():
    """Two originals that differ in what the release does not show have the same certificate."""
    pages = []
    for hidden in ("a", "b"):
        data = Dataset(transactions=Transactions.from_records([hidden, "ab", "ab", "c", "c"], ["a", "b", "c"]))
        pages.append(certified(data, make("pcta", {"k": 4}).anonymize(data)))

    assert "(a,b" in pages[0]
    assert pages[0] == pages[1]


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
        bars = points.column_bars(data, release, column.name, words_of("en")).bars
        assert all(bar.before == pytest.approx(bar.after) for bar in bars)
        assert sum(bar.before for bar in bars) == pytest.approx(1.0)


def test_a_study_is_written_as_page_and_map(tmp_path):
    trials = [Trial(p.label, "d", p.series, {"k": 2}, "done", measures={"are": p.loss, "risk": p.risk}) for p in MAP]

    paths = write_study(trials, tmp_path)

    assert {path.name for path in paths} == {"report.html", "ru_map.svg"}
    assert all(path.stat().st_size > 1000 for path in paths)
    assert "Best under a risk of 0.2: aa" in (tmp_path / "report.html").read_text()


def test_a_study_of_several_datasets_has_a_map_for_each(tmp_path):
    trials = [
        Trial(f"{data}{p.label}", data, p.series, {"k": 2}, "done", measures={"are": p.loss, "risk": p.risk})
        for data in ("one.csv", "two.dat")
        for p in MAP
    ]

    names = {path.name for path in write_study(trials, tmp_path)}

    assert {"ru_map_1_one_csv.svg", "ru_map_2_two_dat.svg"} <= names
    page = (tmp_path / "report.html").read_text()
    assert "releases of one.csv" in page
    assert "releases of two.dat" in page


def test_a_study_without_results_says_so(tmp_path):
    assert "there is no map" in study_page([Trial("k", "d", "aa", {}, "failed", "reason")])
