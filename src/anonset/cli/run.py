"""anonset run: do what a project file says."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import COMMAND, OutputOptions, Signing, flags
from anonset.cli.output import note, print_json, print_verdict, progress

if TYPE_CHECKING:
    from anonset.tasks.project import RunResult


@flags(signing=Signing, showing=OutputOptions)
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The project file, as `anonset init` writes it.")] = Path(
        "anonset.toml"
    ),
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DATA", help="Other data of the same columns, instead of those in the file."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also make releases again whose data and decisions are the same.")
    ] = False,
    add_values: Annotated[
        bool,
        typer.Option(
            "--add-values",
            help="Put values that a hierarchy file does not cover below its root, in the file; they count as public.",
        ),
    ] = False,
    *,
    signing: Signing,
    showing: OutputOptions,
) -> None:
    """Make the releases of a project file where data or decisions changed, verify them, and say what is new."""
    from anonset.tasks.project import ProjectRequest
    from anonset.tasks.project import run as run_task

    with progress(quiet=showing.quiet) as phases:
        result = run_task(ProjectRequest(file, data, again, add_values, COMMAND.get(), signing.given()), phases)
    if showing.json:
        print_json(result.as_json())
        return
    print(result.promise)
    for done in result.runs:
        _print(done, quiet=showing.quiet)


def _print(done: "RunResult", *, quiet: bool) -> None:
    for text in done.news:
        print(f"new: {text}")
    if done.made is None:
        print(f"{done.output}: nothing has changed, nothing was done")
        return
    for remark in done.made.remarks:
        note(remark, quiet=quiet)
    print(f"{done.output}: {done.made.records} records, by {done.made.algorithm}")
    print_verdict(done.made.verdict)
    for sentence in done.made.usefulness.sentences if done.made.usefulness is not None else ():
        print(f"  {sentence}")
