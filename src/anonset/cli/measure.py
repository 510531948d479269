"""anonset measure: what a release lost, and what it still risks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import Larger, OutputOptions, Reading, flags
from anonset.cli.output import print_json, print_table, progress
from anonset.cli.verify import Aligned

if TYPE_CHECKING:
    from anonset.tasks.measure import Measured


@flags(larger=Larger, reading=Reading, showing=OutputOptions)
def run(
    release: Annotated[Path, typer.Argument(metavar="OUT", help="A release folder, or any anonymized file.")],
    original: Annotated[str, typer.Option("--original", metavar="DATA", help="What it was made of.")],
    measure: Annotated[
        list[str] | None, typer.Option("--measure", metavar="ID", help="A measure; may be repeated. All that apply, if none.")
    ] = None,
    workload: Annotated[
        Path | None, typer.Option("--workload", metavar="FILE.json", help="Queries: adds their average relative error, `are`.")
    ] = None,
    worst: Annotated[int, typer.Option("--worst", min=0, metavar="N", help="Shows the N queries that come out worst.")] = 0,
    frequent: Annotated[
        float | None,
        typer.Option(
            "--frequent", min=0.0, max=1.0, metavar="SHARE", help="Adds how itemsets in that share of records survive."
        ),
    ] = None,
    estimator: Annotated[
        str,
        typer.Option(
            "--estimator", metavar="HOW", help="How items behind labels are counted: subsets, expanded, uniform or calibrated."
        ),
    ] = "subsets",
    predict: Annotated[
        str | None, typer.Option("--predict", metavar="COLUMN", help="Trains a model for this column on the release.")
    ] = None,
    aligned: Aligned = False,
    *,
    larger: Larger,
    reading: Reading,
    showing: OutputOptions,
) -> None:
    """Measure the release in OUT against its original."""
    from anonset.tasks.measure import MeasureRequest
    from anonset.tasks.measure import run as run_task

    what = (measure, workload, worst, frequent, estimator, predict, aligned)
    request = MeasureRequest(release, reading.of(original), *what, larger.pieces())
    with progress(quiet=showing.quiet) as phases:
        result = run_task(request, phases)
    if showing.json:
        print_json(result.as_json())
        return
    meanings = result.meanings
    print_table([[id, f"{value:.6g}", meanings[id]] for id, value in result.values.items()])
    _print_counts(result)
    print("\nWhat it is still good for")
    for sentence in result.usefulness.sentences:
        print(f"  {sentence}")


def _print_counts(result: "Measured") -> None:
    """The error by the size of queries, and the worst of them."""
    if result.counts is None:
        return
    print()
    rows = [[name, str(n), f"{error:.4g}"] for name, (n, error) in result.counts.errors_by_size().items()]
    print_table(rows, ["records counted", "queries", "mean relative error"])
    if result.worst:
        print()
        found = result.counts.worst(result.worst)
        print_table(
            [[f"{actual:g}", f"{estimate:.4g}", f"{error:.4g}", str(q)] for q, actual, estimate, error in found],
            ["actual", "estimate", "relative error", "query"],
        )
