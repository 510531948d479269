import json

import pytest

from anonset.study.ru_map import MapPoint
from anonset_papers.claims import Check, Plot, Reading, Result, RuMap, Series, Table
from anonset_papers.page import count_answers, reproduction_page, write_results

POINTS = tuple(MapPoint("coat", f"coat k={k}", 1.0 / k, 1.0 / k, float(k), True) for k in (2, 5, 10))
RESULTS = [
    Result(
        "001-1",
        "one thing is <less> than another",
        "some data",
        "does not hold",
        (Check("less", "always", "3 of 4", False), Check("memory", "", "not built", None)),
        (
            RuMap("a map", POINTS),
            Plot("lines", "k", "s", (Series("A", (2, 5), (1.0, 2.0)), Series("B", ("x", "y"), (1.0, 3.0)))),
            Plot("on a log scale", "k", "s", (Series("A", (2, 5), (1.0, 100.0)),), log=True),
        ),
        Table(("k", "UL"), ((2, float("-inf")), (5, 0.25))),
        "a note",
        ("BMS-WebView-1: a stand-in",),
        "counted in steps",
        (
            Reading("timed instead", (Check("faster", "less", "7 s", False), Check("alike", "", "1 s", True))),
            Reading("not at all", ()),
        ),
        "ours stands for theirs",
    ),
    Result("002-1", "untested", "nothing", "cannot be tested here", (), note="no such data"),
]


def test_the_page_lists_every_claim_with_its_parts_figures_and_answer():
    page = reproduction_page(RESULTS, titles={"001": "Maps"}, quick=False, command="anonset reproduce")

    for text in ("001-1", "002-1", "one thing is &lt;less&gt;", "[001] Maps", "a stand-in"):
        assert text in page
    assert page.count("does not hold") >= 3
    assert page.count("cannot be tested here") >= 3
    assert page.count("<svg") == 3
    assert "less: 3 of 4" in page
    assert "no such data" in page
    assert "quick" not in page


def test_the_page_says_how_a_claim_was_read_and_what_other_readings_come_to():
    page = reproduction_page(RESULTS, titles={}, quick=False)

    for text in ("counted in steps", "ours stands for theirs", "timed instead", "1 of 2", "faster: 7 s", "not tested"):
        assert text in page
    assert page.count("Read as:") == 1
    assert page.count("Not the paper") == 1


def test_a_quick_run_says_that_it_is_one():
    assert "A quick run" in reproduction_page(RESULTS, titles={}, quick=True)


def test_results_are_plain_json(tmp_path):
    write_results(RESULTS, tmp_path / "results.json", quick=False)

    found = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)

    assert found["counts"] == {"holds": 0, "does not hold": 1, "cannot be tested here": 1} == count_answers(RESULTS)
    assert [(r["paper"], r["answer"]) for r in found["results"]] == [("001", "does not hold"), ("002", "cannot be tested here")]
    assert found["results"][0]["reading"] == "counted in steps"
    assert [other["name"] for other in found["results"][0]["others"]] == ["timed instead", "not at all"]
    assert found["results"][0]["table"]["rows"] == [[2, None], [5, 0.25]]
