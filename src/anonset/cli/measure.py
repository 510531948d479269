"""anonset measure: what a release lost, and what it still risks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import print_json, print_table

if TYPE_CHECKING:
    from anonset.api import Release
    from anonset.measure.workload import QueryCounts


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
    worst: Annotated[int, typer.Option("--worst", min=0, metavar="N", help="Shows the N queries that come out worst.")] = 0,
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
    counts = None if workload is None else found.counts_of(workload)
    if counts is not None:
        values["are"] = float(counts.relative_errors().mean()) if len(counts.workload) else 0.0
    if frequent is not None:
        values |= {f"itemset-{name}": value for name, value in preserved(found, frequent).items()}
    if showing.json:
        print_json(values | (_drilled(counts, worst) if counts is not None and worst else {}))
        return
    print_table([[id, f"{value:.6g}", MEASURES[id].meaning if id in MEASURES else ""] for id, value in values.items()])
    if counts is not None:
        _print_counts(counts, worst)


def _drilled(counts: "QueryCounts", worst: int) -> dict[str, Any]:
    names = ("query", "actual", "estimate", "error")
    return {
        "worst": [dict(zip(names, (str(query), *figures), strict=True)) for query, *figures in counts.worst(worst)],
        "by_size": {name: {"queries": n, "are": error} for name, (n, error) in counts.errors_by_size().items()},
    }


def _print_counts(counts: "QueryCounts", worst: int) -> None:
    """The error by the size of queries, and the worst of them."""
    print()
    rows = [[name, str(n), f"{error:.4g}"] for name, (n, error) in counts.errors_by_size().items()]
    print_table(rows, ["records counted", "queries", "mean relative error"])
    if worst:
        print()
        found = [
            [f"{actual:g}", f"{estimate:.4g}", f"{error:.4g}", str(q)] for q, actual, estimate, error in counts.worst(worst)
        ]
        print_table(found, ["actual", "estimate", "relative error", "query"])


def preserved(release: "Release", support: float) -> dict[str, float]:
    """Precision, recall and support error of the frequent itemsets."""
    from anonset.measure.itemsets import preserved_itemsets

    found = preserved_itemsets(release.original, release, support=support)
    return {"precision": found.precision, "recall": found.recall, "support-error": found.support_error}
