"""What the kit holds makes the same release elsewhere: on the command line, in Python, and from the project file."""

import hashlib
import io
import json
import runpy
import shlex
import zipfile

import pytest

from anonset.cli import main
from anonset.samples import write_sample
from anonset.workbench.instructions import hierarchy_files, schema_toml
from anonset.workbench.journal import HierarchyChoice
from anonset.workbench.store import NotFound
from anonset.workbench.worker_requests import Reading, RunRequest


@pytest.fixture
def place(bench, project, done, tmp_path, monkeypatch):
    """A folder with the data and the kit beside them."""
    write_sample(tmp_path / "sample")
    (tmp_path / "sample" / "patients.csv").rename(tmp_path / "patients.csv")
    zipfile.ZipFile(io.BytesIO(bench.releases.kit(project, done.id))).extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def digest(folder):
    return hashlib.sha256((folder / "published" / "records.csv").read_bytes()).hexdigest()


def test_the_command_gives_the_same_records(place, done):
    words = shlex.split((place / "make.sh").read_text())

    assert main([*words[1:], "--no-report", "--quiet"]) == 0
    assert digest(place / "release") == done.digest


def test_python_gives_the_same_records(place, done):
    runpy.run_path(str(place / "make.py"))

    assert digest(place / "release") == done.digest


def test_the_project_file_gives_the_same_records(place, done):
    assert main(["run", "anonset.toml", "--quiet"]) == 0
    assert digest(place / "release") == done.digest


def test_a_run_that_draws_lots_is_made_again_too(bench, project, wait):
    run = wait(bench, project, bench.runs.start(project, "rmerge-r", {"items": "lift"}, pages=False).id)

    assert "seed" not in run.parameters
    assert b"<h1" in bench.releases.report(project, run.id), "its pages are made when they are asked for"
    assert "--seed" in bench.releases.instructions(project, run.id).command


def test_the_notebook_holds_the_same_lines_and_the_kit_no_data(place):
    cells = json.loads((place / "make.ipynb").read_text())["cells"]

    assert cells[0]["source"] == (place / "make.py").read_text()
    assert "P00001" not in "".join(path.read_text() for path in place.iterdir() if path.is_file() and path.suffix != ".csv")


def test_a_column_leads_to_no_other_folder(tmp_path):
    uploaded = HierarchyChoice(upload="ab")
    names = ("age", "../../x", "a/b", "..", "", "-o", "x" * 300)
    reading = Reading(tmp_path, tmp_path, {}, dict.fromkeys(names, uploaded))

    files = hierarchy_files(RunRequest(reading, tmp_path, None))

    assert files["age"] == "hierarchies/age.csv"
    assert files["../../x"] == "hierarchies/hierarchy 2.csv"
    assert len({*files.values()}) == len(names)
    assert not [file for file in files.values() if file.count("/") != 1 or ".." in file]


def test_odd_names_are_spelled_as_toml_has_them(tmp_path):
    reading = Reading(tmp_path, tmp_path, {"quasi": ('a"b', "ü"), "items": (), "multiset": True})

    assert schema_toml(RunRequest(reading, tmp_path, None)) == 'quasi = ["a\\"b", "ü"]\nmultiset = true\n'


def test_a_run_takes_over_the_rules_of_another(bench, project, done, wait):
    run = wait(bench, project, bench.runs.start(project, like=done.id, pages=False).id)

    assert (run.state, run.algorithm) == ("done", "rmerge-r")
    assert run.settings["like"] == done.id
    assert any("labels of release" in remark for remark in run.remarks)
    assert bench.inspection.verdict(project, run.id).holds
    assert f"--like release-{done.id}" in bench.releases.instructions(project, run.id).command


def test_who_holds_an_earlier_release_is_counted(bench, project, done, wait):
    how = {"parameters": {"items": "lift", "delta": 0.4, "seed": 5}, "pages": False, "earlier": [done.id]}

    refused = wait(bench, project, bench.runs.start(project, "rmerge-r", **how).id)
    found = bench.inspection.attack(project, done.id, attackers=1, earlier=[done.id], knows_algorithm=True)

    assert refused.state == "refused"
    assert "fewer than" in refused.reason
    assert found["earlier"][0]["people"] == 1
    assert found["inversion"]["people"] == 1


def test_a_run_without_a_release_is_no_earlier_one(bench, project):
    with pytest.raises(NotFound):
        bench.runs.start(project, like="0" * 16)
