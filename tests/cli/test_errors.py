"""A command that fails says so in one line, and in one JSON object where JSON was asked for."""

import json

import pytest

from anonset.cli import main
from anonset.cli.errors import print_error
from anonset.errors import GuaranteeViolated, InfeasibleError


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (GuaranteeViolated("no\nmore"), "GuaranteeViolated", 3),
        (InfeasibleError("no more"), "InfeasibleError", 4),
        (KeyboardInterrupt(), "Cancelled", 130),
        (MemoryError(), "MemoryError", 1),
        (ValueError("secret 42"), "InternalError", 1),
        (OSError(36, "File name too long", "a" * 5000), "InputError", 2),
        (OSError("secret 42"), "InternalError", 1),
    ],
)
def test_kind_message_and_code(error, kind, code, capsys):
    assert print_error(error, as_json=True) == code

    captured = capsys.readouterr()
    printed = json.loads(captured.out)["error"]
    assert (printed["kind"], printed["exit_code"]) == (kind, code)
    assert captured.err == f"anonset: {printed['message']}\n"
    assert "secret" not in captured.out + captured.err
    assert len(captured.err) < 300


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("profile nothing.csv --json", "InputError"),
        ("profile --json", "UsageError"),
        ("profile nothing.csv --colour red --json", "UsageError"),
        ("anonymize nothing.csv -a nothing -o out --json", "ParameterError"),
    ],
)
def test_every_error_of_a_command_is_one_object(line, kind, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert main(line.split()) == 2

    assert json.loads(capsys.readouterr().out)["error"]["kind"] == kind


def test_a_hierarchy_with_complaints_is_one_object_too(tmp_path, capsys):
    (tmp_path / "bad.csv").write_text("a;x;*\na;y;*\n")

    assert main(["hierarchy", "check", str(tmp_path / "bad.csv"), "--json"]) == 2
    assert len(json.loads(capsys.readouterr().out)["complaints"]) == 1


def test_without_json_only_the_line(capsys):
    assert print_error(InfeasibleError("no")) == 4
    assert capsys.readouterr().out == ""
