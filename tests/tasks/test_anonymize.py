import json

import pytest

from anonset.algorithms import RECOMMENDED
from anonset.data import read
from anonset.errors import InfeasibleError, InputError, ParameterError
from anonset.model.serialization import to_builtins
from anonset.tasks import anonymize
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.anonymize import AnonymizeRequest


def test_a_release_is_written_verified_and_measured(people, tmp_path, phases):
    wanted = AlgorithmChoice("rmerge-r", {"k": 2, "delta": 0.5, "items": "pcta", "seed": 1})
    request = AnonymizeRequest(people, tmp_path / "out", wanted, report=False, command="as typed")

    found = anonymize.run(request, phases)

    assert (found.output, found.algorithm, found.records, found.suppressed_records) == (tmp_path / "out", "rmerge-r", 8, 0)
    assert found.verdict.holds
    assert found.measures["ncp"] == 0.0
    assert {fate.column: fate.role for fate in found.columns}["illness"] == "sensitive"
    assert [phase for phase, done in phases.heard if done == 1.0] == ["Reading", "Anonymizing", "Writing and checking"]
    manifest = json.loads((tmp_path / "out/private/manifest.json").read_text())
    assert manifest["command"] == "as typed"
    assert {"read", "anonymize", "verify"} <= manifest["timings"].keys()


def test_the_result_is_plain_data(shop, made):
    found = to_builtins(made(shop, "pcta", k=2))

    assert json.loads(json.dumps(found)) == found
    assert (found["algorithm"], found["holds"], found["violations"]) == ("pcta", True, 0)
    assert [column["column"] for column in found["columns"]] == ["items"]
    assert found["columns"][0]["fate"]


def test_without_an_algorithm_the_one_that_fits_is_taken_and_said(shop, tmp_path):
    found = anonymize.run(AnonymizeRequest(shop, tmp_path / "out", AlgorithmChoice(parameters={"k": 2}), report=False))

    id, _ = RECOMMENDED["items"]
    assert found.algorithm == id
    assert any(remark.startswith(f"items, no columns that may be known: {id}") for remark in found.remarks)


def test_what_is_wrong_is_told_before_anything_is_read(tmp_path, people):
    gone = type(people)(tmp_path / "gone.csv")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    requests = {
        "no algorithm 'magic'": AnonymizeRequest(gone, tmp_path / "out", AlgorithmChoice("magic")),
        "'sav'": AnonymizeRequest(gone, tmp_path / "out", format="sav"),
        "exists already": AnonymizeRequest(gone, tmp_path / "full"),
        "is not a release": AnonymizeRequest(gone, tmp_path / "full", overwrite=True),
    }

    for message, request in requests.items():
        with pytest.raises((ParameterError, InputError), match=message):
            anonymize.run(request)
    assert not (tmp_path / "out").exists()


def test_nothing_is_left_where_it_cannot_be_done(shop, made, tmp_path):
    with pytest.raises(InfeasibleError, match="k=11 exceeds the 10 records"):
        made(shop, "pcta", k=11)

    assert [path.name for path in tmp_path.iterdir()] == ["shop.dat"]


def test_a_dataset_is_anonymized_in_memory(shop):
    release = anonymize.of_dataset(read(shop.data), "pcta", {"k": 2})

    assert release.provenance.algorithm == "pcta"
    assert len(release) == 10


def test_without_the_extra_for_pages_the_release_is_made_and_it_is_said(shop, tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.tasks.views.find_spec", lambda name: None)

    found = anonymize.run(AnonymizeRequest(shop, tmp_path / "out", AlgorithmChoice("identity", {"k": 2, "m": 1})))

    assert "pip install 'anonset[report]'" in found.remarks[-1]
    assert (tmp_path / "out/published/about.json").is_file()
    assert not (tmp_path / "out/report.html").exists()
