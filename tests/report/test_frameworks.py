"""The figures of the report under the headings of documents that ask for them; never a verdict on the law."""

import re

import pytest

from anonset.errors import ParameterError
from anonset.model.cover import Cover
from anonset.report.frameworks import FRAMEWORK_NAMES, FRAMEWORKS, IDENTIFIERS
from anonset.report.pages import framework_page, release_page
from anonset.tasks.report import ReportRequest
from report.test_evidence import FRONT, case, text_of  # noqa: F401 - a fixture


@pytest.fixture(params=FRAMEWORK_NAMES)
def name(request):
    return request.param


def test_every_heading_is_there_in_its_order(case, name):  # noqa: F811
    page = text_of(framework_page(*case, FRONT, name))

    places = [page.find(section.heading) for section in FRAMEWORKS[name].sections]
    assert -1 not in places
    assert FRAMEWORKS[name].source in page


def test_no_page_gives_a_verdict_on_the_law(case, name):  # noqa: F811
    for language in ("en", "de"):
        page = framework_page(*case, Cover(language=language), name)

        assert not re.search(r"compl(y|ies|ian)|konform|erfüllt", page, re.IGNORECASE)
        assert "person" in page.lower()


def test_the_figures_are_those_of_the_report(case, name):  # noqa: F811
    page, report = text_of(framework_page(*case, FRONT, name)), text_of(release_page(*case, FRONT))
    figures = set(re.findall(r"\d+\.\d %", page))

    assert figures
    assert figures <= set(re.findall(r"\d+\.\d %", report))
    for text in (FRONT.residual_risk, "the recipient", "What the promise does not cover"):
        assert text in page


def test_the_checklist_has_eighteen_identifiers_and_nothing_is_ticked(case):  # noqa: F811
    page = text_of(framework_page(*case, FRONT, "hipaa"))

    assert [letter for letter, _ in IDENTIFIERS] == list("ABCDEFGHIJKLMNOPQR")
    assert all(f"({letter}) {words}" in page for letter, words in IDENTIFIERS)
    assert page.count("☐") == 2 * 18
    assert "☑" not in page


def test_no_row_of_the_original_is_on_these_pages(case, name):  # noqa: F811
    assert 'class="records"' not in framework_page(*case, FRONT, name)


def test_an_unknown_framework_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="framework"):
        ReportRequest(tmp_path, None, framework="gdpr")
