"""docs/cli.md, made from the program itself: `python -m anonset.cli.reference > docs/cli.md`."""

import click

from anonset.cli.app import COMMANDS, program
from anonset.cli.errors import PROGRAM

OPENING = """# Command line

This page is made from the program by `python -m anonset.cli.reference`; a test holds it to what the program says.
Results go to standard output, progress and notes to standard error.
`--json` prints one JSON object instead of text; an error is `{"error": {"kind": ..., "message": ..., "exit_code": ...}}`.
`--log-level debug --log-file run.log` keeps a log of what ran and how long it took, with nothing of the data in it.
`eval "$(anonset completion bash)"` makes a shell complete commands and flags (also zsh and fish).
`python -m anonset` is the same program.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 2 | bad input or usage: one line that names file, line, column and what was expected |
| 3 | the guarantee does not hold |
| 4 | the request cannot be met on this data |
| 130 | interrupted; nothing was written |
| 1 | an error that nobody foresaw; `--traceback` shows it |

No error shows a traceback unless `--traceback` is given.
"""


def reference() -> str:
    """Return the whole page."""
    context = click.Context(program, info_name=PROGRAM)
    commands = [(name, program.get_command(context, name)) for name in COMMANDS]
    sections = [section for name, found in commands if found is not None for section in _sections(found, f"{PROGRAM} {name}")]
    return "\n".join([OPENING, *sections])


def _sections(command: click.Command, name: str) -> list[str]:
    """Return a section for each command that does something, in the order of the program."""
    if isinstance(command, click.Group):
        return [section for word, inner in command.commands.items() for section in _sections(inner, f"{name} {word}")]
    context = click.Context(command, info_name=name)
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    options = [p for p in command.params if isinstance(p, click.Option)]
    usage = " ".join([name, *(p.make_metavar(context) for p in arguments), "[options]"])
    rows = [f"| `{p.make_metavar(context)}` | {_escaped(p.help)} |" for p in arguments]
    rows += [f"| `{_names(p, context)}` | {_meaning(p)} |" for p in options]
    table = ["| argument or option | meaning |", "| --- | --- |", *rows]
    sentences = " ".join((command.help or "").split())
    return ["\n".join([f"## {name}\n", f"```\n{usage}\n```\n", f"{sentences}\n", *table]) + "\n"]


def _names(option: click.Option, context: click.Context) -> str:
    """Return the names of an option, the longest first, and the placeholder of its value."""
    text = ", ".join([*sorted(option.opts, key=len, reverse=True), *option.secondary_opts])
    return text if option.is_flag else f"{text} {option.make_metavar(context)}"


def _meaning(option: click.Option) -> str:
    """Return what an option means, whether it is required, and its default."""
    if option.required:
        return f"{_escaped(option.help)} Required."
    default = None if option.is_flag or option.multiple else option.to_info_dict()["default"]
    return _escaped(option.help) + ("" if default in (None, "") else f" Default: `{default}`.")


def _escaped(text: str | None) -> str:
    return (text or "").replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    print(reference(), end="")
