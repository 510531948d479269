"""The commands of those who have received a release: nothing but published/ is read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from anonset.cli.app import command
from anonset.cli.options import PATH, OutputOptions, option
from anonset.cli.output import note, print_json, print_table


@command("Count records with bounds, from the published files alone.", show=OutputOptions)
@click.argument("release", metavar="OUT", type=PATH, help="A release folder, or its published folder.")
@click.argument("condition", metavar="CONDITION", default="", help="What to count; all records without it.")
@option("--by", metavar="COLUMN", help="Count each value of this column.")
@option("--estimator", metavar="NAME", help="uniform or calibrated; the latter if the release has margins.")
def count(release: Path, condition: str, by: str | None, estimator: Any, show: OutputOptions) -> None:
    """Count the records of OUT that meet a condition such as "age < 40 and diagnoses contains I10". Only published/ is read."""
    from anonset.tasks.count import CountRequest
    from anonset.tasks.count import run as run_task

    found = run_task(CountRequest(release, condition, by, estimator))
    if show.json:
        print_json(found)
        return
    header = ["low", "estimate", "high", "standard error", *([by] if by else [])]
    rows = [_figures(counted) + ([str(counted[by])] if by else []) for counted in found.counts]
    print_table(rows, header)
    for remark in found.notes:
        note(remark, quiet=show.quiet)


@command("Write a release as a database, with counts as views.", show=OutputOptions)
@click.argument("release", metavar="OUT", type=PATH, help="A release folder, or its published folder.")
@option("--duckdb", required=True, type=PATH, metavar="FILE", help="The DuckDB file to make.")
@option("--estimator", metavar="NAME", help="uniform or calibrated; the latter if the release has margins.")
@option("--overwrite", is_flag=True, help="Replace a file that exists already.")
def export(release: Path, duckdb: Path, estimator: Any, overwrite: bool, show: OutputOptions) -> None:
    """Write the records of OUT, what their labels stand for, and certain, possible and expected counts into a DuckDB file."""
    from anonset.tasks.export import ExportRequest
    from anonset.tasks.export import run as run_task

    found = run_task(ExportRequest(release, duckdb, estimator, overwrite))
    if show.json:
        print_json(found)
    else:
        print(f"{found.file}: {found.records:,} records, tables {', '.join(found.tables)}; views {', '.join(found.views)}")


def _figures(counted: Mapping[str, Any]) -> list[str]:
    """Bounds as whole numbers, the estimate between them with its standard error."""
    low, high, estimate, error = (counted[name] for name in ("low", "high", "estimate", "standard_error"))
    return [f"{low:,}", f"{estimate:,.1f}", f"{high:,}", f"{error:,.1f}"]
