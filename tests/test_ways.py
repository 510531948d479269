import ast
from pathlib import Path

import pytest

import anonset
from anonset.errors import ON_COMMAND_LINE, setting, way

SOURCE = Path(anonset.__file__).parent
SPEAK_OF_COMMANDS = {"errors.py", "cli", "server", "web", "workbench", "releases/about.py"}


@pytest.fixture
def on_command_line():
    outer = ON_COMMAND_LINE.set(True)
    yield
    ON_COMMAND_LINE.reset(outer)


def test_python_is_told_parameters():
    said = way("accept_exposure", ["a", "b"]), way("accept_loss", True), way("quasi"), way("item_hierarchy", "balanced:5")

    assert said == ("accept_exposure=['a', 'b']", "accept_loss=True", "quasi=...", "item_hierarchy='balanced:5'")
    assert setting("items", "lift") == "items='lift'"


@pytest.mark.usefixtures("on_command_line")
def test_the_command_line_is_told_flags_as_a_shell_takes_them():
    said = way("accept_exposure", ["a", "b c"]), way("accept_loss", True), way("quasi"), way("item_hierarchy", "balanced:5")

    assert said == ("--accept-exposure 'a,b c'", "--accept-loss", "--quasi", "--hierarchy balanced:5")
    assert (setting("items", "lift"), setting("weights", "a b=1")) == ("--set items=lift", "--set 'weights=a b=1'")


def test_no_message_that_python_may_hear_names_a_flag():
    """They are said by `way` instead."""
    found = []
    for path in SOURCE.rglob("*.py"):
        inside = path.relative_to(SOURCE).as_posix()
        if not any(inside == name or inside.startswith(f"{name}/") for name in SPEAK_OF_COMMANDS):
            texts = (n.value for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Constant))
            found += [f"{inside}: {text}" for text in texts if isinstance(text, str) and _names_a_flag(text)]

    assert found == []


def _names_a_flag(text):
    return any(word.strip("(`;,.)").startswith("--") and word.strip("(`;,.)-")[:1].isalpha() for word in text.split())
