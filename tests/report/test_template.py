import pytest

pytest.importorskip("jinja2")

from anonset.report.pages import render
from anonset.study.trial import Trial


def test_a_page_escapes_what_it_is_given_and_writes_figures():
    trial = Trial("k", "d", "<b>aa</b>", {}, "done", seconds=12345.6)

    page = render("study.html", trials=[trial], measures=[], loss="are", limit="0.2", maps=[], several=False)

    assert "<b>aa" not in page
    assert "12,346" in page
