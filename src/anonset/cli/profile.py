"""anonset profile: what is in a file, how it would be read, and how identifying it is as it stands."""

from pathlib import Path
from typing import Annotated, Any

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import print_json, print_table, progress


@flags(reading=Reading, showing=Showing)
def run(
    data: Annotated[Path, typer.Argument(help="CSV, TSV, Parquet, JSON lines, FIMI or SPMF, also gzipped.")],
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Show the columns of DATA with their roles, and how many records are unique as they stand."""
    from anonset.tasks import profile

    with progress(quiet=showing.quiet) as phases:
        facts = profile.run(reading.of(data), phases).as_json()
    if showing.json:
        print_json(facts)
    else:
        _print(data, facts)


def _print(data: Path, facts: dict[str, Any]) -> None:
    print(f"{data}: {facts['records']} records")
    if facts["columns"]:
        rows = [
            [c["name"], c["role"], c["kind"], str(c.get("values", "")), str(c.get("missing", "")), c["reason"]]
            for c in facts["columns"]
        ]
        print()
        print_table(rows, ("column", "role", "kind", "values", "missing", "why"))
    items = facts["items"]
    if items is not None:
        print(f"\n{items['items']} items, {items['mean']:.3g} a record, at most {items['most']}; {items['empty']} have none")
    print("\nRecords that are unique to somebody who knows")
    print_table(_unique_rows(facts["unique"]))


def _unique_rows(unique: dict[str, Any]) -> list[list[str]]:
    rows = [("the quasi values", unique["quasi"])] if unique["quasi"] is not None else []
    known = ("1 item", "2 items", "3 items")
    rows += list(zip(known, unique["items"] or (), strict=False))
    rows += [
        (f"the quasi values and {text}", share) for text, share in zip(known, unique["quasi_and_items"] or (), strict=False)
    ]
    return [["  " + text, f"{100 * share:.2f} %"] for text, share in rows]
