"""Policies on the command line: made, checked, followed and compared."""

import json

import pytest

from anonset.cli import main
from anonset.data.policies import read_policies, read_utility

ROWS = ["1 2 3 4 5 6", "1 2 5 7", "1 5", "2 6 7", "1 2", "3 6"]
GROUPS = 'utility = [["1"], ["2", "3"], ["4", "5", "6"], ["7"]]\n'


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.dat").write_text("\n".join(ROWS) + "\n")
    (tmp_path / "policy.toml").write_text('privacy = [["2", "5", "6"], ["7"]]\n' + GROUPS)
    return tmp_path


def run(line, code=0):
    assert main(line.split()) == code


@pytest.mark.parametrize(
    ("asked", "key", "size"),
    [
        ("--privacy PR5", "itemsets", 6),
        ("--privacy pairs:1", "itemsets", 21),
        ("--utility neighbours:3", "groups", 3),
        ("--utility level:1 --hierarchy balanced:4", "groups", 2),
        ("--utility UR1 --privacy all:3", "groups", 1),
        ("--privacy transactions", "itemsets", 0),
    ],
)
def test_policies_are_made_for_a_file_and_can_be_read(work, capsys, asked, key, size):
    run(f"policy make shop.dat {asked} -o made.toml --json")

    assert json.loads(capsys.readouterr().out)[key] == size
    made = read_policies("made.toml")
    assert (made.privacy is not None, made.utility is not None) == ("--privacy" in asked, "--utility" in asked)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("", "neither privacy nor utility"),
        ("--privacy all:x", "all:M needs a whole number"),
        ("--privacy all:0", "at least 1 item"),
        ("--privacy pairs:2", "a share from 0 to 1"),
        ("--privacy PR0", "no set of privacy constraints"),
        ("--utility level:1", "needs a hierarchy"),
        ("--utility neighbours:0", "at least 1 item"),
        ("--privacy PR5 --suppression 0.5", "pass --utility"),
    ],
)
def test_what_cannot_be_made_is_told_in_one_line(work, capsys, asked, said):
    run(f"policy make shop.dat {asked} -o made.toml", 2)

    assert said in capsys.readouterr().err
    assert not (work / "made.toml").exists()


def test_a_check_says_what_is_open_and_fails_where_nothing_can_be_done(work, capsys):
    run("policy check policy.toml shop.dat -k 2")
    assert "note: 1 of 2 privacy constraints are open for k=2: 1 with support 1" in capsys.readouterr().out

    run("policy check policy.toml shop.dat -k 3", 4)
    assert "infeasible: the privacy constraint (7) reaches 2 of the k=3 required records" in capsys.readouterr().out

    (work / "typo.toml").write_text('privacy = [["2", "x"]]\n')
    run("policy check typo.toml shop.dat", 2)
    assert "error: " in capsys.readouterr().out


def test_a_run_tells_what_is_open_before_it_starts(work, capsys):
    run("anonymize shop.dat -a upcta -k 2 --policy policy.toml --no-report -o out")
    assert "note: 1 of 2 privacy constraints are open for k=2" in capsys.readouterr().err

    run("anonymize shop.dat -a upcta -k 2 --policy policy.toml --no-report -o out --overwrite --json")
    assert json.loads(capsys.readouterr().out)["remarks"][0].startswith("note: 1 of 2")

    run("anonymize shop.dat -a upcta -k 2 --policy policy.toml --no-report -o out --overwrite -q")
    assert "open" not in capsys.readouterr().err


def test_one_half_of_a_policy_may_be_a_file_of_lines(work, capsys):
    run("policy make shop.dat --utility neighbours:4 -o groups.csv")
    run("anonymize shop.dat -a coat -k 2 --set utility=groups.csv --no-report -o out")

    assert "utility-constraints: holds" in capsys.readouterr().out
    assert read_utility("groups.csv").groups == (("1", "2", "3", "4"), ("5", "6", "7"))


def test_a_study_compares_policies_by_the_names_of_their_files(work, capsys):
    run("policy make shop.dat --utility neighbours:4 -o four.csv")
    run("policy make shop.dat --utility neighbours:7 -o seven.csv")
    (work / "plan.toml").write_text(
        'measures = ["ncp-items"]\n[[data]]\npath = "shop.dat"\n'
        '[[run]]\nalgorithm = "upcta"\nk = 2\nutility = ["four.csv", "seven.csv"]\n'
    )
    run("compare plan.toml -o study -q")
    (work / "four.csv").write_text((work / "seven.csv").read_text())  # another policy under the same name is another trial
    run("compare plan.toml -o study -q")

    trials = [json.loads(line) for line in (work / "study" / "trials.jsonl").read_text().splitlines()]
    assert [trial["parameters"]["utility"] for trial in trials] == ["four.csv", "seven.csv", "four.csv"]
    assert all(trial["outcome"] == "done" for trial in trials)
    assert trials[2]["measures"] == trials[1]["measures"] != trials[0]["measures"]
