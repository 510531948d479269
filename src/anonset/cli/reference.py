"""docs/cli.md, made from the program itself: `python -m anonset.cli.reference > docs/cli.md`."""

from typing import Any

import typer.main

from anonset.cli import build
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
    """The whole page."""
    return "\n".join([OPENING, *_sections(typer.main.get_command(build()), PROGRAM)])


def _sections(command: Any, name: str) -> list[str]:
    """A section for each command that does something, in the order of the program."""
    if hasattr(command, "commands"):
        return [section for word, inner in command.commands.items() for section in _sections(inner, f"{name} {word}")]
    given = [p for p in command.params if p.name != "help"]
    arguments = [p for p in given if p.param_type_name == "argument"]
    usage = " ".join([name, *(_placeholder(p) for p in arguments), "[flags]"])
    rows = [f"| `{_placeholder(p)}` | {_cell(p)} |" for p in arguments]
    rows += [f"| `{_flag(p)}` | {_cell(p)} |" for p in given if p.param_type_name == "option"]
    table = ["| argument or flag | meaning |", "| --- | --- |", *rows]
    sentences = " ".join(command.help.split())
    return ["\n".join([f"## {name}\n", f"```\n{usage}\n```\n", f"{sentences}\n", *table]) + "\n"]


def _placeholder(p: Any) -> str:
    text = (p.metavar or p.name).upper()
    return text if p.required else f"[{text}]"


def _flag(p: Any) -> str:
    text = ", ".join([*sorted(p.opts, key=len, reverse=True), *p.secondary_opts])
    return text if p.is_flag else f"{text} {p.metavar or p.name.upper()}"


def _cell(p: Any) -> str:
    text = (p.help or "").replace("|", "\\|").replace("<", "&lt;")
    if p.param_type_name == "option" and p.required:
        return f"{text} Required."
    is_plain = p.default in (None, False, True, ()) or p.param_type_name == "argument"
    return text if is_plain else f"{text} Default: `{p.default}`."


if __name__ == "__main__":
    print(reference(), end="")
