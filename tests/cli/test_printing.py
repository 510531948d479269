import json
import sys

import pytest

from anonset.cli import output
from anonset.model.verdict import Finding, Verdict


def test_results_and_notes_go_different_ways(capsys):
    output.print_json({"a": float("nan"), "é": (1,)})
    output.note("said")
    output.note("not said", quiet=True)

    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"a": None, "é": [1]}
    assert "é" in captured.out
    assert captured.err == "said\n"


def test_columns_of_a_table_are_as_wide_as_they_need_be(capsys):
    output.print_table([("a", "one"), ("bbb", "two")], header=("x", "y"))
    output.print_table([])

    assert capsys.readouterr().out == "x    y\na    one\nbbb  two\n"


def test_witnesses_stand_below_what_does_not_hold(capsys):
    verdict = Verdict(
        (
            Finding("k-anonymity", True, worst="5 records"),
            Finding("truthful", False, 1, witnesses=("row 3",)),
            Finding("km", True, checked=False),
        )
    )

    output.print_verdict(verdict)

    assert capsys.readouterr().out == "k-anonymity: holds (5 records)\ntruthful: DOES NOT HOLD\n  row 3\nkm: not checked\n"


@pytest.mark.parametrize(("quiet", "terminal", "shown"), [(False, True, True), (True, True, False), (False, False, False)])
def test_bars_are_drawn_on_a_terminal_alone(quiet, terminal, shown, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)

    with output.progress(quiet=quiet) as phases:
        phases("Reading")(1.0)

    captured = capsys.readouterr()
    assert ("Reading" in captured.err) == shown
    assert captured.out == ""
