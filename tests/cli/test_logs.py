"""The log tells what ran and how long it took, and nothing of the data."""

import logging

import pytest

from anonset.cli import main

MARK = "Zanzibarmark"
TABLE = "name,age,town,codes\n" + "".join(f"{MARK}{n},3{n % 2},{MARK}{n % 2}town,{MARK}a {MARK}b\n" for n in range(8))
ROLES = "--identifier name --quasi age,town --items codes -k 2 -m 2"


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(TABLE)
    yield tmp_path
    main(["profile", "people.csv"])  # without a log again


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (f"anonymize people.csv {ROLES} -o out --no-report", 0),
        ("profile people.csv", 0),
        ("init people.csv --yes", 0),
        (f"anonymize people.csv --quasi {MARK}7 -k 2 -o out", 2),
        ("anonymize people.csv --other town --quasi name,age -k 2 -o out --hierarchies .", 2),
        (f"anonymize people.csv --sensitive-items {MARK}9 -k 2 -o out", 2),
    ],
)
def test_nothing_of_the_data_is_in_a_log(desk, line, code, capsys):
    assert main([*line.split(), "--log-level", "debug", "--log-file", "log.txt"]) == code

    log = (desk / "log.txt").read_text()
    assert MARK not in log
    assert f"anonset.cli.errors: InputError, exit code {code}" in log or code == 0
    assert line.split()[0] in log.splitlines()[0]


def test_phases_are_told_with_their_time(desk):
    main([*f"anonymize people.csv {ROLES} -o out --no-report --log-file log.txt".split()])

    log = (desk / "log.txt").read_text()
    assert "INFO anonset: Reading begins" in log
    assert "INFO anonset: Writing and checking took" in log
    assert "DEBUG" not in log


def test_a_level_alone_logs_to_standard_error(desk, capsys):
    main(["profile", "people.csv", "--log-level", "info"])

    assert "INFO anonset: Reading begins" in capsys.readouterr().err


def test_the_next_command_logs_no_more(desk, capsys):
    main(["profile", "people.csv", "--log-level", "info"])
    capsys.readouterr()
    main(["profile", "people.csv"])

    assert capsys.readouterr().err == ""
    assert len(logging.getLogger("anonset").handlers) == 1


def test_a_wrong_level_or_file_is_one_line(desk, capsys):
    assert main(["profile", "people.csv", "--log-level", "loud"]) == 2
    assert "no log level 'loud'" in capsys.readouterr().err
    assert main(["profile", "people.csv", "--log-file", "no/such/log.txt"]) == 2
    assert "cannot be written" in capsys.readouterr().err
