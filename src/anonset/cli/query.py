"""anonset query: count records by their items, from what is published alone."""

from pathlib import Path
from typing import Annotated

import typer

from anonset.cli.options import OutputOptions, flags, names, pairs
from anonset.cli.output import print_json, print_table


@flags(showing=OutputOptions)
def run(
    release: Annotated[Path, typer.Argument(metavar="OUT", help="A nonreciprocal release, or its published folder.")],
    present: Annotated[str | None, typer.Option("--present", metavar="A,B", help="Items that are all in a record.")] = None,
    absent: Annotated[str | None, typer.Option("--absent", metavar="A,B", help="Items of which none is in a record.")] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", metavar="COLUMN=VALUE", help="Only records with that value; may be repeated.")
    ] = None,
    *,
    showing: OutputOptions,
) -> None:
    """Count the records of OUT that hold some items and not others, with bounds. Nothing but published/ is read."""
    from anonset.tasks import query

    asked = query.QueryRequest(release, names(present or ""), names(absent or ""), pairs(where, {}, flag="--where"))
    answer = query.run(asked)
    if showing.json:
        print_json(answer._asdict())
        return
    rows = [
        ["certain", f"{answer.certain:,}", "records, whatever is wrong in them"],
        ["expected", f"{answer.expected:,.1f}", "records, if all sets that a record may stand for are equally likely"],
        ["possible", f"{answer.possible:,}", "records at the most"],
        ["base", f"{answer.base:,}", "records by what they show, wrong or not"],
    ]
    print_table(rows)
