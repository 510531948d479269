"""A guided start at a terminal ends in a project file; `anonset run` makes a verified release of it, again on new rows."""

import io
import json
import sys
from pathlib import Path

import pytest

from anonset.cli import main
from anonset.samples import write_sample

pexpect = pytest.importorskip("pexpect", reason="the dialogue needs pexpect, and a system with terminals")


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_sample(tmp_path, 200, 5)
    return tmp_path


def terminal(*words):
    return pexpect.spawn(sys.executable, ["-m", "anonset", *words], timeout=600, encoding="utf-8", dimensions=(40, 200))


def answer(child, question, text=""):
    child.expect(question)
    child.sendline(text)


def test_a_dialogue_ends_in_a_verified_release_and_new_rows_in_another(desk, capsys):
    child = terminal("init", "patients.csv")
    answer(child, r"patient_id \(.*\[identifier\]:")
    answer(child, r"age \(.*\[quasi\]:")
    answer(child, r"sex \(.*\[quasi\]:", "never mind")
    child.expect("please answer one of")
    answer(child, r"sex \(.*\[quasi\]:", "id")
    answer(child, r"town \(.*\[quasi\]:")
    answer(child, r"schooling \(.*\[quasi\]:", "left out")
    answer(child, r"diagnoses \(.*\[items\]:", "left_out")
    child.expect("are the only ones that fit")
    answer(child, r"age \(.*\[none\]:", "no such file")
    child.expect("there is no such file")
    answer(child, r"age \(.*\[none\]:")
    answer(child, r"town \(.*\[hierarchies/town.csv\]:")
    answer(child, r"k, .*\[5\]:", "0")
    child.expect("a whole number from 1")
    answer(child, r"k, .*\[5\]:", "4")
    child.expect("Someone who knows age, town of a person finds at least 4 records that fit")
    answer(child, r"Is this the guarantee that you want\?")
    child.expect("anonset.toml: written")
    child.expect(pexpect.EOF)

    child = terminal("run")
    child.expect("release: 200 records, by peel")
    child.expect("k-anonymity: holds")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert main(["verify", "release", "--original", "patients.csv"]) == 0
    published = Path("release/published/records.csv").read_text()
    assert published.startswith("age,town")

    with Path("patients.csv").open("a") as file:
        file.writelines(f"N{n},4{n},male,Aldstadt,12,asthma\n" for n in range(9))
    capsys.readouterr()
    assert main(["run"]) == 0
    assert "new: 200 records before, 209 now" in capsys.readouterr().out
    assert main(["run"]) == 0
    assert "nothing has changed, nothing was done" in capsys.readouterr().out


def test_what_is_there_is_replaced_only_when_asked_for(desk):
    Path("anonset.toml").write_text("mine")

    child = terminal("init", "patients.csv")
    answer(child, r"exists already. Replace it\?", "n")
    child.expect("exists already")
    child.expect(pexpect.EOF)

    assert main(["init", "patients.csv", "--yes"]) == 2
    assert Path("anonset.toml").read_text() == "mine"
    assert main(["init", "patients.csv", "--yes", "--overwrite"]) == 0
    assert Path("anonset.toml").read_text() != "mine"


def test_without_a_terminal_every_proposal_is_taken_or_nothing_is(desk, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    given = "--sensitive town --items diagnoses --quasi age"

    assert main(["init", "patients.csv"]) == 2
    assert "--yes accepts every proposal" in capsys.readouterr().err
    assert main(["init", "patients.csv", "--yes", "--json", *given.split()]) == 0
    assert 'left_out = ["sex", "schooling"]' in json.loads(capsys.readouterr().out)["toml"]


def test_ending_the_dialogue_writes_nothing(desk):
    child = terminal("init", "patients.csv")
    child.expect(r"\[identifier\]:")
    child.sendeof()
    child.expect("interrupted; nothing was written")
    child.expect(pexpect.EOF)
    child.close()

    assert child.exitstatus == 130
    assert not Path("anonset.toml").exists()
