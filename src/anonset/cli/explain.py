"""anonset explain: why a release is as it is."""

from pathlib import Path
from typing import Annotated

import typer

from anonset.cli.options import OutputOptions, flags
from anonset.cli.output import print_json


@flags(showing=OutputOptions)
def run(
    release: Annotated[Path, typer.Argument(metavar="OUT", help="A release folder with its private/ part.")],
    row: Annotated[int | None, typer.Option("--row", min=0, help="The way of one input row, counted from 0.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="Lines at the most.")] = 50,
    *,
    showing: OutputOptions,
) -> None:
    """Tell what forced each generalized item, what each cluster lost, or the way of one record. Private: do not hand it out."""
    from anonset.tasks import explain

    lines = explain.run(explain.ExplainRequest(release, row))
    if showing.json:
        print_json({"lines": lines})
        return
    for line in lines[:most]:
        print(line)
    if len(lines) > most:
        print(f"... and {len(lines) - most} more (--most)")
