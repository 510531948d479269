"""anonset compare: many algorithms and parameters on the same data, and one map of risk against utility."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import OutputOptions, Reading, flags
from anonset.cli.output import note, print_json, print_table, progress

if TYPE_CHECKING:
    from anonset.tasks.compare import Compared


@flags(reading=Reading, showing=OutputOptions)
def run(
    source: Annotated[Path, typer.Argument(metavar="PLAN.toml|DATA", help="A plan; or data, with --plan.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Where trials and map go; continued if there.")],
    plan: Annotated[Path | None, typer.Option("--plan", metavar="PLAN.toml", help="The plan to run on DATA.")] = None,
    loss: Annotated[
        str | None, typer.Option("--loss", metavar="ID", help="The measure behind utility; the error of queries, if none.")
    ] = None,
    max_risk: Annotated[
        str, typer.Option("--max-risk", metavar="RISK", help="The limit drawn into the map: 0.2, 0.09, k=11, ...")
    ] = "0.2",
    processes: Annotated[int | None, typer.Option("--processes", min=1, help="Runs at the same time.")] = None,
    *,
    reading: Reading,
    showing: OutputOptions,
) -> None:
    """Run a plan: every setting verified and measured, resumable, with an R-U map at the end."""
    from anonset.tasks.compare import CompareRequest
    from anonset.tasks.compare import run as run_task

    given = None if plan is None else reading.of(source)
    with progress(quiet=showing.quiet) as phases:
        result = run_task(CompareRequest(plan or source, output, given, loss, max_risk, processes), phases)
    if showing.json:
        print_json(result.as_json())
        return
    _print_trials(result)
    for remark in result.remarks:
        note(remark)
    _print_maps(result, max_risk)
    note("\n".join(["written:", *(f"  {path}" for path in result.files)]), quiet=showing.quiet)


def _print_trials(result: "Compared") -> None:
    ids = sorted({id for trial in result.trials for id in trial.measures})
    several = len(result.maps) > 1
    rows = [
        [
            *([trial.data] if several else []),
            trial.label,
            trial.outcome,
            *(f"{trial.measures[id]:.4g}" if id in trial.measures else "" for id in ids),
            trial.reason or trial.refusal,
        ]
        for trial in result.trials
    ]
    print_table(rows, [*(["data"] if several else []), "setting", "outcome", *ids, ""])


def _print_maps(result: "Compared", limit: str) -> None:
    for name, best in result.best.items():
        where = f" on {name}" if len(result.maps) > 1 else ""
        for series, knee in result.knees(name).items():
            print(f"knee of {series}{where}: {knee.label if knee else 'none'}")
        print(f"best under a risk of {limit}{where}: {best.label if best else 'none'}")
