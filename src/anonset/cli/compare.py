"""anonset compare: many algorithms and parameters on the same data, and one map of risk against utility."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import note, print_json, print_table, progress


@flags(reading=Reading, showing=Showing)
def run(
    source: Annotated[Path, typer.Argument(metavar="PLAN.toml|DATA", help="A plan; or data, with --plan.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Where trials and map go; continued if there.")],
    plan: Annotated[Path | None, typer.Option("--plan", metavar="PLAN.toml", help="The plan to run on DATA.")] = None,
    loss: Annotated[str, typer.Option("--loss", metavar="ID", help="The measure behind utility.")] = "are",
    max_risk: Annotated[float, typer.Option("--max-risk", min=0.0, max=1.0, help="The limit drawn into the map.")] = 0.2,
    processes: Annotated[int | None, typer.Option("--processes", min=1, help="Runs at the same time.")] = None,
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Run a plan: every setting verified and measured, resumable, with an R-U map at the end."""
    from anonset.study.plan import Data, Plan
    from anonset.study.ru_map import best_under, knee, ru_points
    from anonset.study.runner import run as run_plan

    chosen = Plan.from_toml(plan or source)
    if plan is not None:
        chosen = replace(chosen, data=(Data(source, reading.given(), source.name),))
    if processes is not None:
        chosen = replace(chosen, processes=processes)
    with progress(quiet=showing.quiet) as step:
        trials = run_plan(chosen, output, progress=step("Trials"))
    points = ru_points(trials, loss)
    best = best_under(points, max_risk)
    files = _pages(trials, output, loss, max_risk)
    if showing.json:
        print_json({"trials": [_row(trial) for trial in trials], "best": best._asdict() if best else None, "files": files})
        return
    ids = sorted({id for trial in trials for id in trial.measures})
    rows = [
        [trial.label, trial.outcome, *(f"{trial.measures[id]:.4g}" if id in trial.measures else "" for id in ids), trial.reason]
        for trial in trials
    ]
    print_table(rows, ["setting", "outcome", *ids, ""])
    for name in dict.fromkeys(point.series for point in points):
        turn = knee([point for point in points if point.series == name])
        print(f"knee of {name}: {turn.label if turn else 'none'}")
    print(f"best under a risk of {max_risk:g}: {best.label if best else 'none'}")
    note("\n".join(["written:", *(f"  {path}" for path in [output / "trials.jsonl", *files])]), quiet=showing.quiet)


def _pages(trials: Any, output: Path, loss: str, limit: float) -> list[Path]:
    """The study's pages, where the extra for them is installed; and the trials as Parquet."""
    from anonset.study.table import write_parquet

    table = output / "trials.parquet"
    write_parquet(trials, table)
    try:
        from anonset.report.study_page import write_study
    except ImportError:
        note("pages and maps need the extra: pip install 'anonset[report]'")
        return [table]
    return [table, *write_study(trials, output, loss=loss, limit=limit)]


def _row(trial: Any) -> dict[str, Any]:
    import json

    return dict(json.loads(trial.to_json()))
