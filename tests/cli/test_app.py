"""The program: commands from their modules and from other packages, groups of options as values, help in panels."""

from importlib import import_module

import click
import pytest
from click.testing import CliRunner

from anonset.cli import app, main
from anonset.cli.app import COMMANDS, SECTIONS, command, program, typed_line
from anonset.cli.options import PANELS, AcceptOptions, Option, OutputOptions
from anonset.plugins import Plugin

TARGETS = {"say": "package:say", "broken": "no_such_module:run"}


@command("Say what came.", accept=AcceptOptions, show=OutputOptions)
@click.argument("source")
def say(source: str, accept: AcceptOptions, show: OutputOptions) -> None:
    """Say what came in."""
    click.echo(f"{source} {accept.accept_exposure} {accept.accept_loss} {show.json} {typed_line()}")


def commands_of(found):
    return (
        [inner for below in found.commands.values() for inner in commands_of(below)] if hasattr(found, "commands") else [found]
    )


@pytest.fixture
def added(monkeypatch):
    """The program with a command of another package."""
    ours, broken = (Plugin(app.COMMAND_GROUP, id, "other", "1", target) for id, target in TARGETS.items())
    monkeypatch.setattr(app, "plugins", lambda group: (ours, broken))
    monkeypatch.setattr(Plugin, "load", lambda self: say if self is ours else import_module("no_such_module"))


def test_a_command_receives_each_group_as_one_value():
    done = CliRunner().invoke(say, ["x", "--accept-exposure", "a", "--accept-exposure", "b", "--json"])

    assert done.output == "x ('a', 'b') False True \n"


def test_a_package_may_add_a_command(added, capsys):
    assert main(["say", "postgresql://me:secret@host/db", "-q"]) == 0
    assert capsys.readouterr().out.endswith(" anonset say 'postgresql://me:***@host/db' -q\n")
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert "say         Say what came.\n" in text
    assert "broken      (cannot be loaded: ModuleNotFoundError)\n" in text


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [("profil x", "Did you mean 'profile'?"), ("sai", "Did you mean 'say'?"), ("profile x --qasi a", "'--quasi'")],
)
def test_something_similar_is_suggested(added, words, suggestion, capsys):
    assert main(words.split()) == 2
    assert suggestion in capsys.readouterr().err


def test_every_command_is_listed_in_the_section_of_its_module(capsys):
    main(["--help"])
    text = capsys.readouterr().out

    for title, names in SECTIONS.values():
        section = text.partition(f"\n{title}:\n")[2].partition("\n\n")[0]
        assert [line.split()[0] for line in section.splitlines()] == list(names)


def test_every_option_is_described_and_in_a_known_panel():
    context = click.Context(program)
    found = [inner for name in COMMANDS for inner in commands_of(program.get_command(context, name))]
    options = [option for inner in found for option in inner.params if isinstance(option, click.Option)]

    assert len(found) == len(COMMANDS) + 10  # three of them are groups, of 3, 2 and 8 commands
    assert [option.name for option in options if not option.help] == []
    assert {option.panel for option in options if isinstance(option, Option)} == set(PANELS)


def test_options_of_a_panel_are_together(capsys):
    assert main(["anonymize", "--help"]) == 0
    titles = [line for line in capsys.readouterr().out.splitlines() if line and not line.startswith(" ")]

    assert titles[1:] == ["Positional arguments:", *(f"{panel}:" for panel in PANELS)]


def test_no_arguments_print_the_help_and_are_a_mistake(capsys):
    assert main(["hierarchy"]) == 2
    assert capsys.readouterr().err.startswith("Usage: anonset hierarchy [OPTIONS] COMMAND")
