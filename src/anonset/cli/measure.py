"""anonset measure: what a release lost, and what it still risks."""

from pathlib import Path
from typing import Annotated

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import print_json, print_table


@flags(reading=Reading, showing=Showing)
def run(
    release: Annotated[Path, typer.Argument(metavar="OUT", help="A release folder.")],
    original: Annotated[Path, typer.Option("--original", metavar="DATA", help="What it was made of.")],
    measure: Annotated[
        list[str] | None, typer.Option("--measure", metavar="ID", help="A measure; may be repeated. All that apply, if none.")
    ] = None,
    workload: Annotated[
        Path | None, typer.Option("--workload", metavar="FILE.json", help="Queries: adds their average relative error, `are`.")
    ] = None,
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Measure the release in OUT against its original."""
    from anonset.api import load
    from anonset.measure import MEASURES

    found = load(release, original, reading.given())
    values = found.measure(measure)
    if workload is not None:
        values["are"] = found.error_of(workload)
    if showing.json:
        print_json(values)
    else:
        print_table([[id, f"{value:.6g}", MEASURES[id].meaning if id in MEASURES else ""] for id, value in values.items()])
