"""What an officer asks of a release: attackers, limits, what is not covered; twelve questions, each answered on the page."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from anonset.algorithms import make
from anonset.attacks import AttackerKnowledge, attack
from anonset.errors import ParameterError
from anonset.measure import measure
from anonset.measure.usefulness import SizedError, usefulness
from anonset.model.cover import ACTORS, Cover
from anonset.model.labels import GeneralizedItems
from anonset.releases.about import about
from anonset.releases.gates import waved_through
from anonset.report.evidence import LIMITS, actor_kinds, measured_risk, not_covered, promised_risk
from anonset.report.findings import Findings
from anonset.report.first_page import large_error
from anonset.report.pages import certificate_page, release_page, release_twin
from anonset.report.words import words_of
from anonset.testing import tiny_datasets
from anonset.verify import verify
from strategies import rt_datasets

WORDS = words_of("en").counting("people")
FRONT = Cover(
    "Patients of two wards",
    "A. Steward",
    "en",
    "2026-01-31",
    recipient="University of Ulm",
    purpose="teaching",
    contact="privacy@example.org",
    valid_until="2027-12-31",
    context="secure room",
    residual_risk="small, and accepted for teaching",
)
SCHEMA = Path(__file__).parents[2] / "docs" / "report.md"


@pytest.fixture(scope="module")
def case():
    data = tiny_datasets()["ordinary"]
    release = make("rmerge-r", {"k": 2, "m": 1, "delta": 1.0, "seed": 1}).anonymize(data)
    attacks = attack(data, release, attackers=8, seed=1)
    found = Findings(verify(data, release), measure(data, release), attacks, useful=usefulness(data, release))
    return data, release, replace(found, command="anonset anonymize x", inputs={"wards.csv": "ab" * 32})


def text_of(html):
    """What a reader sees."""
    return " ".join(unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", html, flags=re.DOTALL)).split())


def certified(data, release, cover=FRONT):
    return certificate_page(data, release, about(release, data, "csv", ()), waved_through(data, release), cover)


QUESTIONS = {  # what an officer asks, and what answers it on the report and on the certificate
    "who is the attacker": ("Who the attacker is the recipient Whoever receives the release",) * 2,
    "what is promised": ("The promise In plain words",) * 2,
    "to whom": ("Who receives it University of Ulm",) * 2,
    "what is not covered": ("What the promise does not cover What the release tells about everybody",) * 2,
    "what was accepted": (
        "What was accepted Nothing was published that is refused otherwise.",
        "say nothing. Accepted by A. Steward, 2026-01-31.",
    ),
    "by whom": ("Prepared by A. Steward",) * 2,
    "when": ("Date 2026-01-31",) * 2,
    "with what data": ("Data wards.csv", "Data records.csv"),
    "how checked": ("It was checked on the written files by a program",) * 2,
    "how risky at most and on average": ("average (the recipient)", "largest (the recipient)"),
    "what remains": ("What risk remains small, and accepted for teaching",) * 2,
    "how to repeat": ("anonset verify checks the files again", "repeats the check on the input with anonset verify"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_officer_finds_the_answer_on_both_pages(case, question):
    data, release, found = case
    pages = text_of(release_page(data, release, found, FRONT)), text_of(certified(data, release))

    for page, answer in zip(pages, QUESTIONS[question], strict=True):
        assert answer in page


def test_what_was_accepted_names_who_accepted_it_and_when(case):
    data, release, found = case
    accepted = waved_through(data, release)
    accepted = replace(accepted, lost={"age-group": 0.97})

    page = text_of(release_page(data, release, replace(found, accepted=accepted), FRONT))

    assert "97 % of age-group say nothing. Accepted by A. Steward, 2026-01-31." in page


def test_fields_that_nobody_filled_in_say_so(case):
    page = text_of(release_page(*case, Cover(date="2026-01-31")))

    assert page.count("not stated") >= 4


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("actor", ACTORS)
def test_each_figure_names_the_actor(case, actor, language):
    data, release, found = case
    cover = replace(FRONT, actor=actor, language=language)
    who = words_of(language)(f"actor.{actor}")

    assert text_of(release_page(data, release, found, cover)).count(f"({who})") == 2
    assert f"({who})" in text_of(certified(data, release, cover))


def test_what_an_actor_holds_decides_which_attackers_are_played():
    data = tiny_datasets()["ordinary"]
    kinds = {actor: actor_kinds(actor, data, 2) for actor in ACTORS}

    assert kinds["public"] == (AttackerKnowledge(True, 0),)
    assert set(kinds["public"]) < set(kinds["acquaintance"]) < set(kinds["recipient"])
    assert {kind.choice for kind in kinds["acquaintance"]} == {"uniform", "rare-first"}
    items_only = replace(data, columns=())
    assert actor_kinds("public", items_only, 2) == (AttackerKnowledge(False, 1),)


def test_an_unknown_actor_is_refused():
    with pytest.raises(ParameterError, match="actor"):
        Cover(actor="neighbour")


def test_the_largest_and_the_average_risk_of_the_actor(case):
    attacks = case[2].attacks
    inside, outside = (measured_risk(attacks, replace(FRONT, actor=actor), WORDS) for actor in ("recipient", "public"))

    assert inside["after"]["maximum"] == max(x.after.prosecutor for x in attacks.linkages)
    assert outside["after"]["maximum"] == max(x.after.journalist for x in attacks.linkages)
    assert inside["after"]["average"] == max(x.after.marketer.value for x in attacks.linkages)
    assert measured_risk(None, FRONT, WORDS) is None


@pytest.mark.parametrize(("k", "within"), [(2, []), (3, ["0.33"]), (5, ["0.2", "0.33"]), (11, ["0.09", "0.2", "0.33"])])
def test_the_limits_are_met_by_their_smallest_groups(k, within):
    found = promised_risk(k, WORDS)

    assert [row["limit"] for row in found["limits"] if row["maximum"]] == within
    assert {row["limit"]: row["k"] for row in found["limits"]} == LIMITS
    assert all(row["source"] for row in found["limits"])
    assert promised_risk(None, WORDS) is None


def shared_by_all(release):
    """The groups of equal columns whose records all share an item that is shown exactly, and all groups, counted slowly."""
    groups = {}
    for r in range(len(release)):
        groups.setdefault(tuple(int(column.codes[r]) for column in release.quasi), []).append(r)
    items = release.items
    shown = [
        {int(a) for a in items.shown[items.offsets[r] : items.offsets[r + 1]] if items.labels.sizes[a] == 1}
        for r in range(len(release))
    ]
    return sum(len(rows) > 1 and bool(set.intersection(*(shown[r] for r in rows))) for rows in groups.values()), len(groups)


@given(data=rt_datasets())
def test_groups_that_share_an_item_are_counted(data):
    release = replace(make("identity", {"k": 1}).anonymize(data), guarantees=())
    if not release.quasi or not isinstance(release.items, GeneralizedItems):
        return
    shared, groups = shared_by_all(release)

    said = not_covered(data, release, WORDS)

    expected = f"In {shared} of {groups} groups" if shared else f"In none of the {groups} groups"
    assert any(expected in sentence for sentence in said) or data.columns_of("sensitive")


def test_nothing_is_counted_in_one_part_of_a_release(case):
    data, release, _ = case

    part = not_covered(data, replace(release, guarantees=()), WORDS, whole=False)

    assert "What the release tells about everybody who looks alike: no promise speaks of it." in part
    assert not any("groups" in sentence or "Rare values" in sentence for sentence in part)


def test_a_sensitive_value_that_a_whole_group_has_is_counted(case):
    data, release, _ = case
    column = next(c for c in release.columns if c.role == "sensitive")
    same = replace(column, codes=np.zeros_like(column.codes))
    release = replace(release, columns=tuple(same if c is column else c for c in release.columns), guarantees=())

    said = " ".join(not_covered(data, release, WORDS))

    assert re.search(rf"In (\d+) of \d+ groups of equal columns all share one value of {column.name}", said)


def test_records_that_may_be_of_one_person_are_no_people(case):
    data, release, _ = case
    numbered = replace(data, people=np.arange(len(data)))

    assert data.unit == "records"
    assert any("no column could tell" in sentence for sentence in not_covered(data, release, WORDS))
    assert not any("several rows" in sentence for sentence in not_covered(numbered, release, WORDS))


def test_common_counts_have_one_figure():
    counts = (SizedError(10, 30, 5, 0.9, 0.9), SizedError(100, 300, 30, 0.06, 0.05), SizedError(300, 1000, 10, 0.14, 0.1))

    low, error = large_error(counts)

    assert (low, error) == (100, pytest.approx(0.08))
    assert large_error(counts[:1]) == (10, pytest.approx(0.9))


def test_the_twin_has_the_keys_that_the_docs_describe(case):
    described = SCHEMA.read_text(encoding="utf-8").partition("## `report.json`")[2].partition("\n## ")[0]
    keys = re.findall(r"^\| `(\w+)` \|", described, re.MULTILINE)

    twin = release_twin(*case, FRONT)

    assert keys == list(twin)
    assert json.loads(json.dumps(twin["limits"]))["after"].keys() == {"maximum", "average"}


def test_no_cell_is_cut(case):
    data, release, found = case
    html = release_page(data, release, found, FRONT)

    assert "text-overflow" not in html
    assert "…" not in html.partition("Ten records")[2].partition("</section>")[0]
