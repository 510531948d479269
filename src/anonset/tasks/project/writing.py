"""A project file as commented TOML that a person reads, changes and keeps under version control."""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from anonset.data.files import write_text
from anonset.tasks.project.file import ProjectFile, ProjectRun

OPENING = """\
# What `anonset run` does. Keep this file under version control: it holds every decision about these data.
# Paths are relative to this file. docs/project.md explains each key.
"""
DATA = {"id": "tells people apart: the rows of each become one record", "key": "tells people apart: one record each"}
ROLES = {
    "identifier": "names people: left out",
    "quasi": "somebody may know it: generalized until enough people look alike",
    "sensitive": "worth protecting, not known to others: published as it is",
    "other": "nobody could find a person by it: published as it is",
    "items": "the sets of items, of which somebody may know a few: generalized",
    "left_out": "known, and not published; a column that is not in this part at all is left out too, and every run says so",
    "sensitive_items": "items protected against inference instead of linking: names, or a file with one name a line",
}
HIERARCHIES = """\
# How values generalize: a file, or a builder such as learned:5, balanced:5, ranges:10, prefixes:3,2 or dates.
# `items` is the name for the items. A column that is not here gets ranges or sets of its values.
"""
RUN = {
    "output": "the folder of the release; replaced by the next run on other data",
    "algorithm": "see `anonset algorithms`; without it the one that fits the data is taken",
    "format": "csv, parquet, jsonl or fimi",
    "report": "report.html, for you alone",
    "policy": "privacy and utility constraints",
    "margins": "also publish how often items occur in the whole data, rounded",
    "ends": "of numeric ranges: auto (rounded from four digits on), rounded or exact",
    "accept_exposure": "columns published although they are refused otherwise",
    "accept_loss": "publish even what says next to nothing",
    "accept_repeats": "count records although several are one person's",
}
ALWAYS = frozenset({"output", "format", "report"})


def write_project(project: ProjectFile, path: Path) -> None:
    """Write the project file, whole or not at all; what is there is replaced."""
    write_text(path, project_toml(project))


def project_toml(project: ProjectFile) -> str:
    """The project as TOML with comments; `read_project` gives the same project back."""
    return "\n".join([OPENING + "version = 1\n", *(f"{part}\n" for part in _parts(project))])


def _parts(project: ProjectFile) -> Iterator[str]:
    yield _table("data", project.data, DATA)
    roles = {name: value for name, value in msgspec.to_builtins(project.roles).items() if value or name != "sensitive_items"}
    yield _table("roles", roles, ROLES)
    if project.kinds:
        yield "# Numbers, or codes that only look like numbers.\n" + _table("kinds", project.kinds)
    yield HIERARCHIES + _table("hierarchies", project.hierarchies)
    promise = {name: value for name, value in msgspec.to_builtins(project.promise).items() if value is not None}
    words = "".join(c if c.isprintable() else " " for c in project.sentence)  # a column's name may hold anything
    yield f"# {words}\n" + _table("promise", promise)
    yield "# The first page of report and certificate.\n" + _table("cover", project.cover)
    for run in project.run:
        yield _run(run)


def _run(run: ProjectRun) -> str:
    values = msgspec.to_builtins(run)
    usual = msgspec.to_builtins(ProjectRun(output=run.output))
    shown = {n: v for n, v in values.items() if n != "parameters" and (n in ALWAYS or v != usual[n])}
    said = _table("run", shown, RUN, array=True)
    if not run.algorithm:
        said += '\n# algorithm = "..."  # ' + RUN["algorithm"]
    return said + ("\n" + _table("run.parameters", run.parameters) if run.parameters else "")


def _table(name: str, values: Mapping[str, Any], notes: Mapping[str, str] | None = None, *, array: bool = False) -> str:
    lines = [f"{_key(key)} = {_value(value)}" for key, value in values.items()]
    said = [(notes or {}).get(key, "") for key in values]
    width = min(50, max((len(line) for line in lines), default=0))
    body = [f"{line.ljust(width)}  # {text}" if text else line for line, text in zip(lines, said, strict=True)]
    return "\n".join([f"[[{name}]]" if array else f"[{name}]", *body])


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _value(name)


def _value(value: Any) -> str:
    """A value as TOML spells it; texts as JSON does, of which TOML takes all but one character."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {_value(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
