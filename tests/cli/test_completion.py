"""A shell completes commands, options and files."""

import os
import shutil
import subprocess
import sys

import pytest

from anonset.cli import main
from anonset.cli.app import COMMANDS

BASH = {"COMP_WORDS": "anonset {line}", "COMP_CWORD": "{last}", "_ANONSET_COMPLETE": "bash_complete"}
ZSH = BASH | {"_ANONSET_COMPLETE": "zsh_complete"}
FISH = {"COMP_WORDS": "anonset {line}", "COMP_CWORD": "{word}", "_ANONSET_COMPLETE": "fish_complete"}


def asked(shell, line):
    words = {"line": line, "last": len(line.split(" ")), "word": line.split(" ")[-1]}
    answer = {name: text.format(**words) for name, text in shell.items()}
    done = subprocess.run([sys.executable, "-m", "anonset"], env=os.environ | answer, capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("shell", [BASH, ZSH, FISH], ids=["bash", "zsh", "fish"])
def test_commands_and_flags_are_completed(shell):
    assert "anonymize" in asked(shell, "an")
    assert "profile" not in asked(shell, "an")
    assert "--accept-loss" in asked(shell, "anonymize --acc")
    assert "build" in asked(shell, "hierarchy b")


def test_everything_is_offered_to_an_empty_line():
    assert {f"plain,{name}" for name in (*COMMANDS, "reproduce")} <= set(asked(BASH, "").split())


def test_shells_complete_files_where_a_path_is_expected():
    assert asked(BASH, "profile pat") == "file,pat\n"
    assert asked(BASH, "profile x.csv --hierarchies hier") == "file,hier\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_asks_the_program(shell, capsys):
    assert main(["completion", shell]) == 0
    assert f"_ANONSET_COMPLETE={shell}_complete" in capsys.readouterr().out


def test_an_unknown_shell_is_named(capsys):
    assert main(["completion", "tcsh"]) == 2
    assert "no shell 'tcsh'" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_itself_completes(tmp_path, capsys):
    main(["completion", "bash"])
    script = capsys.readouterr().out
    program = tmp_path / "anonset"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m anonset "$@"\n')
    program.chmod(0o755)
    asks = 'COMP_WORDS=(anonset ver); COMP_CWORD=1; _anonset_completion anonset; echo "${COMPREPLY[@]}"'

    there = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script + asks], env=there, capture_output=True, text=True)

    assert done.stdout.strip() == "verify"
