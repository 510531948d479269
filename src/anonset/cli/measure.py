"""anonset measure: what a release lost, and what it still risks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import print_json, print_table

if TYPE_CHECKING:
    from anonset.api import Release


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
    frequent: Annotated[
        float | None,
        typer.Option(
            "--frequent", min=0.0, max=1.0, metavar="SHARE", help="Adds how itemsets in that share of records survive."
        ),
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
    if frequent is not None:
        values |= {f"itemset-{name}": value for name, value in preserved(found, frequent).items()}
    if showing.json:
        print_json(values)
    else:
        print_table([[id, f"{value:.6g}", MEASURES[id].meaning if id in MEASURES else ""] for id, value in values.items()])


def preserved(release: "Release", support: float) -> dict[str, float]:
    """Precision, recall and support error of the frequent itemsets."""
    from anonset.measure.itemsets import preserved_itemsets

    found = preserved_itemsets(release.original, release, support=support)
    return {"precision": found.precision, "recall": found.recall, "support-error": found.support_error}
