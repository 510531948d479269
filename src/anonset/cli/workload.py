"""anonset workload: queries to measure a release with, drawn from the data and saved as JSON."""

from pathlib import Path
from typing import Annotated, Any

import typer

from anonset.cli.options import OutputOptions, Reading, flags
from anonset.cli.output import print_json

KINDS = "random: values and items of random records; frequent: itemsets in a share of the records; generalized: items behind \
different published items (needs --release); presence: items that are present, then items that are absent"


@flags(reading=Reading, showing=OutputOptions)
def run(
    data: Annotated[str, typer.Argument(help="What is counted.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.json", help="The workload to write.")],
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help=KINDS + ".")] = "random",
    n: Annotated[int | None, typer.Option("-n", min=1, help="Queries; of presence, of each type.")] = None,
    draw: Annotated[
        str | None,
        typer.Option("--draw", metavar="PART", help="random: relational, items or both; what the data have, if none."),
    ] = None,
    size: Annotated[int | None, typer.Option("--size", min=1, help="Items in a query; frequent: at most.")] = None,
    values: Annotated[int | None, typer.Option("--values", min=0, help="random: quasi columns in a query.")] = None,
    width: Annotated[
        float | None, typer.Option("--width", min=0.0, max=1.0, help="random: a range, as a share of its span.")
    ] = None,
    support: Annotated[
        float | None, typer.Option("--support", min=0.0, max=1.0, help="frequent: the share of records.")
    ] = None,
    absent: Annotated[
        int | None, typer.Option("--absent", min=1, help="presence: items in a query of the second type.")
    ] = None,
    release: Annotated[Path | None, typer.Option("--release", metavar="OUT", help="generalized: the release.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, other queries.")] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there already.")] = False,
    *,
    reading: Reading,
    showing: OutputOptions,
) -> None:
    """Draw counting queries for `measure`, `report`, `compare` and `recommend`."""
    from anonset.tasks.workload import WorkloadRequest
    from anonset.tasks.workload import run as run_task

    given = {"n": n, "draw": draw, "values": values, "width": width, "support": support, "absent": absent, "seed": seed}
    given["longest" if kind == "frequent" else "items"] = size
    asked: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    drawn = run_task(WorkloadRequest(reading.of(data), output, kind, asked, release, overwrite))
    if showing.json:
        print_json({"output": output, "queries": len(drawn)})
    else:
        print(f"{output}: {len(drawn)} queries, e.g. {drawn.queries[0]}")
