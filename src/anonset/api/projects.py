"""A project file done from Python."""

from pathlib import Path

from anonset.api.bars import Listener, listening
from anonset.model.progress import silent
from anonset.tasks.project import ProjectRequest, ProjectResult, run


def run_project(
    file: str | Path = "anonset.toml",
    *,
    data: str | Path | None = None,
    again: bool = False,
    add_values: bool = False,
    title: str | None = None,
    by: str | None = None,
    language: str | None = None,
    progress: Listener = silent,
) -> ProjectResult:
    """Make the releases that a project file asks for where data or decisions changed; what became of each, and what is new.

    `data`: other data of the same columns. `again`: also make what is up to date. `add_values`: put values that a hierarchy
    file does not cover below its root, in the file. `title`, `by` and `language` go before what the file says of the cover.
    """
    given = {"title": title, "by": by, "language": language}
    cover = {name: value for name, value in given.items() if value is not None}
    with listening(progress, "Project") as heard:
        return run(ProjectRequest(Path(file), data, again, add_values, cover=cover), lambda phase: heard)
