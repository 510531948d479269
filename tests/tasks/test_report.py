import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

from anonset.errors import InputError
from anonset.measure.workload import Query, Workload
from anonset.tasks import report
from anonset.tasks.pages import release_pages
from anonset.tasks.report import ReportRequest


def test_the_page_is_made_again_and_what_is_published_stays(shop, made, tmp_path, phases):
    folder = made(shop, "pcta", k=2).output
    before = {path.name: path.read_bytes() for path in (folder / "published").iterdir()}
    (tmp_path / "w.json").write_text(Workload((Query(items=("1",)),)).to_json())

    page = report.run(ReportRequest(folder, shop, workload=tmp_path / "w.json", m=1, attackers=5, seed=1), phases)

    assert page == folder / "report.html"
    assert "km-anonymity" in page.read_text(encoding="utf-8")
    assert {path.name: path.read_bytes() for path in (folder / "published").iterdir()} == before
    assert phases.heard[-1] == ("Reporting", 1.0)


def test_a_study_that_is_none_is_named(shop, made, tmp_path):
    (tmp_path / "study").mkdir()

    with pytest.raises(InputError, match="is no study"):
        report.run(ReportRequest(made(shop, "pcta", k=2).output, shop, study=tmp_path / "study", attackers=5))


def test_what_was_handed_out_alone_has_no_report(shop, made, tmp_path):
    (made(shop, "pcta", k=2).output / "published").rename(tmp_path / "handed_out")

    with pytest.raises(InputError, match="whose record is which"):
        report.run(ReportRequest(tmp_path / "handed_out", shop))


def test_without_the_extra_there_are_no_pages(shop, monkeypatch):
    assert release_pages(shop.read()) is not None
    monkeypatch.setattr("anonset.tasks.pages.find_spec", lambda name: None)
    assert release_pages(shop.read()) is None
