"""anonset report: the page of a release once more, with a study, other queries or more attackers."""

from pathlib import Path
from typing import Annotated

import typer

from anonset.cli.options import Larger, OutputOptions, Reading, Signing, flags
from anonset.cli.output import print_json, progress


@flags(larger=Larger, reading=Reading, signing=Signing, showing=OutputOptions)
def run(
    release: Annotated[Path, typer.Argument(metavar="OUT", help="A release folder; its report.html is replaced.")],
    original: Annotated[str, typer.Option("--original", metavar="DATA", help="What it was made of.")],
    study: Annotated[
        Path | None, typer.Option("--study", metavar="DIR", help="A study on the same data: adds its map.")
    ] = None,
    workload: Annotated[Path | None, typer.Option("--workload", metavar="FILE.json", help="The queries that matter.")] = None,
    m: Annotated[int | None, typer.Option("-m", min=1, help="Items an attacker knows, at most.")] = None,
    attackers: Annotated[int, typer.Option("--attackers", min=1, help="Sampled attackers of each kind.")] = 1000,
    seed: Annotated[int | None, typer.Option("--seed", help="Makes the sample repeatable.")] = None,
    *,
    larger: Larger,
    reading: Reading,
    signing: Signing,
    showing: OutputOptions,
) -> None:
    """Make the report of OUT again. It is for the data owner; what is published stays as it is."""
    from anonset.tasks.report import ReportRequest
    from anonset.tasks.report import run as run_task

    what = (study, workload, m, attackers, seed, signing.given(), larger.pieces())
    request = ReportRequest(release, reading.of(original), *what)
    with progress(quiet=showing.quiet) as phases:
        page = run_task(request, phases)
    if showing.json:
        print_json({"output": page})
    else:
        print(page)
