"""The report of a release in parts: figures of all records, rows of some."""

import json

import pytest

import anonset
from anonset.tasks import report
from anonset.tasks.inputs import Input, Limits
from anonset.tasks.report import ReportRequest
from engine_data import write_baskets, write_people

PEOPLE = {"quasi": ["age", "income", "region"], "sensitive": ["illness"], "parameters": {"delta": 0.5}, "seed": 0}


@pytest.mark.parametrize(("write", "algorithm", "asked"), [(write_baskets, "aa", {}), (write_people, "rmerge-r", PEOPLE)])
def test_the_report_tells_of_all_and_shows_some(tmp_path, monkeypatch, write, algorithm, asked):
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 200)
    monkeypatch.setattr("anonset.tasks.report.SHOWN", 50)
    folder, out = write(tmp_path / "big", 500), tmp_path / "out"
    done = anonset.anonymize_files(folder, out, algorithm, k=4, m=2, item_hierarchy="balanced:3", accept_loss=True, **asked)

    page = report.run(
        ReportRequest(out, Input(folder), attackers=20, seed=1, cover={"title": "All of them"}, limits=Limits("1GB"))
    )

    twin = json.loads((out / "report.json").read_text())
    assert "All of them" in page.read_text()
    assert "50 of them, drawn at random" in page.read_text()
    assert twin["records"] == {"published": 500, "left_out": 0}
    assert twin["holds"]
    assert twin["measures"]["ncp-items"] == pytest.approx(done.measures["ncp-items"])
    assert max(twin["attacks"]["linkability"][known]["attackers"] for known in twin["attacks"]["linkability"]) == 20
    assert len(twin["rows"]["before"]["rows"]) == len(twin["rows"]["after"]["rows"]) == 10
