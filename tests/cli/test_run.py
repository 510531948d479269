"""`anonset run` tells what is wrong in one line, and what became of each run."""

import json

import pytest

from anonset.cli import main

PROJECT = """
[data]
path = "shop.dat"
[roles]
items = ["items"]
[promise]
k = 2
m = 2
[[run]]
output = "first"
algorithm = "identity"
report = false
[[run]]
output = "second"
algorithm = "lift"
format = "fimi"
report = false
"""


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.dat").write_text("1 2\n1 2\n3\n3\n")
    (tmp_path / "anonset.toml").write_text(PROJECT)
    return tmp_path


def test_every_run_is_made_and_told(desk, capsys):
    assert main(["run", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)

    found = [(run["output"], run["done"], run["holds"]) for run in done["runs"]]
    assert found == [("first", True, True), ("second", True, True)]
    assert (desk / "second" / "published" / "records.dat").is_file()
    assert main(["run", "--json"]) == 0
    assert [run["done"] for run in json.loads(capsys.readouterr().out)["runs"]] == [False, False]


def test_the_cover_of_the_file_is_said_unless_another_is_given(desk):
    pytest.importorskip("jinja2", reason="pages need the report extra")
    file = desk / "anonset.toml"
    one = PROJECT.split('[[run]]\noutput = "second')[0].replace("report = false", "")
    file.write_text(one + '[cover]\ntitle = "Shopping"\nby = "A. Steward"\n')

    assert main(["run"]) == 0
    assert "Shopping – Release report" in (desk / "first" / "report.html").read_text()
    assert main(["run", "--language", "de", "--title", "Einkauf"]) == 0
    german = (desk / "first" / "report.html").read_text()
    assert "Einkauf – Bericht zur" in german
    assert "A. Steward" in german


def test_a_wrong_key_is_one_line_with_file_and_key(desk, capsys):
    (desk / "anonset.toml").write_text(PROJECT.replace("k = 2", "kk = 2"))

    assert main(["run"]) == 2
    assert capsys.readouterr().err.startswith("anonset: anonset.toml: promise: there is no key 'kk'")


def test_no_project_file_is_one_line(desk, capsys):
    assert main(["run", "nothing.toml"]) == 2
    assert capsys.readouterr().err == "anonset: nothing.toml: there is no such file; `anonset init DATA` writes one\n"
