import json
from datetime import datetime

import pytest

pytest.importorskip("jinja2")

from anonset.errors import InputError, ParameterError
from anonset.measure.workload import Query, Workload
from anonset.model.cover import Cover
from anonset.tasks import anonymize, report, verify
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.report import ReportRequest
from anonset.tasks.verify import VerifyRequest
from anonset.tasks.views import release_pages


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

    with pytest.raises(InputError, match="no row mapping"):
        report.run(ReportRequest(tmp_path / "handed_out", shop))


def test_without_the_extra_there_are_no_pages(shop, monkeypatch):
    assert release_pages(shop.read()) is not None
    monkeypatch.setattr("anonset.tasks.views.find_spec", lambda name: None)
    assert release_pages(shop.read()) is None


def signed(source, folder, cover):
    return anonymize.run(anonymize.AnonymizeRequest(source, folder, AlgorithmChoice("pcta", {"k": 2}), cover=cover)).output


def test_title_name_language_and_times_are_kept_for_the_next_report(shop, tmp_path):
    folder = signed(shop, tmp_path / "out", Cover("Ten baskets", "A. Steward", "de", "2026-01-31"))
    manifest = json.loads((folder / "private" / "manifest.json").read_text(encoding="utf-8"))

    page = report.run(ReportRequest(folder, shop, attackers=5, cover={"by": "B. Steward"})).read_text(encoding="utf-8")

    for text in ("Ten baskets", "B. Steward", '<html lang="de">'):
        assert text in page
    assert datetime.fromisoformat(manifest["started"]) <= datetime.fromisoformat(manifest["finished"])
    twin = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert (twin["title"], twin["by"], twin["language"], twin["holds"]) == ("Ten baskets", "B. Steward", "de", True)
    assert {(folder / name).stat().st_mode & 0o777 for name in ("report.html", "report.json")} == {0o600}


def test_the_certificate_names_no_file_and_no_time_and_is_the_same_again(shop, tmp_path):
    pages = [
        (signed(shop, tmp_path / name, Cover(date="2026-01-31")) / "published" / "about.html").read_bytes() for name in "ab"
    ]

    assert pages[0] == pages[1]
    assert b"shop" not in pages[0]
    assert b"2026-01-31" in pages[0]


def test_a_language_that_is_not_there_is_told_before_the_work(shop, tmp_path):
    with pytest.raises(ParameterError, match="no language 'xx'"):
        signed(shop, tmp_path / "out", Cover(language="xx"))
    assert not (tmp_path / "out").exists()


def test_the_headings_of_a_framework_get_a_page_of_their_own(shop, tmp_path):
    folder = signed(shop, tmp_path / "out", Cover("Ten baskets", actor="public", date="2026-01-31"))
    before = (folder / "report.html").read_bytes()

    page = report.run(ReportRequest(folder, shop, attackers=5, framework="ema"))

    assert page == folder / "report.ema.html"
    assert page.stat().st_mode & 0o777 == 0o600
    assert "Risk threshold and actual risk of re-identification" in page.read_text(encoding="utf-8")
    assert "the public" in page.read_text(encoding="utf-8")
    assert (folder / "report.html").read_bytes() == before
    assert verify.run(VerifyRequest(folder, shop)).verdict.holds
