"""anonset compare: many algorithms and parameters on the same data, and one map of risk against utility."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import note, print_json, print_table, progress
from anonset.errors import Cancelled, ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anonset.study.ru_map import Point
    from anonset.study.trial import Trial


@flags(reading=Reading, showing=Showing)
def run(
    source: Annotated[Path, typer.Argument(metavar="PLAN.toml|DATA", help="A plan; or data, with --plan.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Where trials and map go; continued if there.")],
    plan: Annotated[Path | None, typer.Option("--plan", metavar="PLAN.toml", help="The plan to run on DATA.")] = None,
    loss: Annotated[str, typer.Option("--loss", metavar="ID", help="The measure behind utility.")] = "are",
    max_risk: Annotated[
        str, typer.Option("--max-risk", metavar="RISK", help="The limit drawn into the map: 0.2, 0.09, k=11, ...")
    ] = "0.2",
    processes: Annotated[int | None, typer.Option("--processes", min=1, help="Runs at the same time.")] = None,
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Run a plan: every setting verified and measured, resumable, with an R-U map at the end."""
    from anonset.study.plan import Data, Plan
    from anonset.study.ru_map import best_under, by_data, promises, risk_limit, ru_points
    from anonset.study.runner import run as run_plan

    limit = risk_limit(max_risk)
    chosen = Plan.from_toml(plan or source)
    if plan is not None:
        chosen = replace(chosen, data=(Data(source, reading.given(), source.name),))
    if processes is not None:
        chosen = replace(chosen, processes=processes)
    if loss != "are" and chosen.measures is not None and loss not in chosen.measures:
        raise ParameterError(f"the map needs {loss!r}, which the plan does not measure")
    try:
        with progress(quiet=showing.quiet) as step:
            trials = run_plan(chosen, output, progress=step("Trials"))
    except KeyboardInterrupt:
        raise Cancelled(f"interrupted; what ended is in {output / 'trials.jsonl'}, and the same command goes on") from None
    maps = {name: ru_points(own, loss) for name, own in by_data(trials).items()}
    best = {name: best_under(points, limit) for name, points in maps.items()}
    files = write_pages(trials, output, loss, limit)
    if showing.json:
        plain = {name: point._asdict() if point else None for name, point in best.items()}
        print_json(
            {
                "trials": [_row(trial) for trial in trials],
                "best": plain if len(plain) > 1 else next(iter(plain.values()), None),
                "files": files,
            }
        )
        return
    _print_trials(trials, several=len(maps) > 1)
    for name, own in by_data(trials).items():
        kinds = promises(own)
        if len(kinds) > 1:
            note(
                f"the settings on {name} promise different things ({', '.join(kinds)}): their risks are not of the same attacks"
            )
    for name, points in maps.items():
        _print_map(points, max_risk, best[name], f" on {name}" if len(maps) > 1 else "")
    note("\n".join(["written:", *(f"  {path}" for path in [output / "trials.jsonl", *files])]), quiet=showing.quiet)


def _print_trials(trials: "Sequence[Trial]", *, several: bool) -> None:
    ids = sorted({id for trial in trials for id in trial.measures})
    rows = [
        [
            *([trial.data] if several else []),
            trial.label,
            trial.outcome,
            *(f"{trial.measures[id]:.4g}" if id in trial.measures else "" for id in ids),
            trial.reason,
        ]
        for trial in trials
    ]
    print_table(rows, [*(["data"] if several else []), "setting", "outcome", *ids, ""])


def _print_map(points: "Sequence[Point]", limit: str, best: "Point | None", where: str) -> None:
    from anonset.study.ru_map import knee

    for name in dict.fromkeys(point.series for point in points):
        turn = knee([point for point in points if point.series == name])
        print(f"knee of {name}{where}: {turn.label if turn else 'none'}")
    print(f"best under a risk of {limit}{where}: {best.label if best else 'none'}")


def write_pages(trials: Any, output: Path, loss: str, limit: float) -> list[Path]:
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
