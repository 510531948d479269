"""anonset profile: what is in a file, how it would be read, and how identifying it is as it stands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import print_json, print_table, progress

if TYPE_CHECKING:
    from anonset.data.guessing import Guess
    from anonset.measure.identifiability import Identifiability
    from anonset.model.dataset import Dataset


@flags(reading=Reading, showing=Showing)
def run(
    data: Annotated[Path, typer.Argument(help="CSV, TSV, Parquet, JSON lines, FIMI or SPMF, also gzipped.")],
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Show the columns of DATA with their roles, and how many records are unique as they stand."""
    from anonset.data import read_and_guess
    from anonset.measure.identifiability import identifiability

    with progress(quiet=showing.quiet) as step:
        dataset, guess = read_and_guess(data, schema=reading.given(), progress=step("Reading"))
        unique = identifiability(dataset, progress=step("Looking for unique records"))
    facts = profile(dataset, guess, unique)
    if showing.json:
        print_json(facts)
    else:
        _print(data, facts)


def profile(dataset: "Dataset", guess: "Guess", unique: "Identifiability") -> dict[str, Any]:
    """Everything the command shows."""
    return {
        "records": len(dataset),
        "columns": [_column(dataset, note) for note in guess.notes],
        "items": _items(dataset),
        "unique": {"quasi": unique.quasi, "items": unique.items, "quasi_and_items": unique.both},
    }


def _column(dataset: "Dataset", note: Any) -> dict[str, Any]:
    facts = {"name": note.column, "role": note.role, "kind": note.kind, "given": note.given, "reason": note.reason}
    known = next((column for column in dataset.columns if column.name == note.column), None)
    if known is not None:
        there = known.codes[known.codes >= 0]
        facts |= {"values": len(set(there.tolist())), "missing": len(known) - len(there)}
    return facts


def _items(dataset: "Dataset") -> dict[str, Any] | None:
    t = dataset.transactions
    if t is None:
        return None
    lengths = t.lengths
    return {
        "items": int((t.supports > 0).sum()),
        "mean": float(lengths.mean()) if len(t) else 0.0,
        "most": int(lengths.max()) if len(t) else 0,
        "empty": int((lengths == 0).sum()),
        "sensitive": 0 if dataset.sensitive_items is None else int(dataset.sensitive_items.sum()),
        "hierarchy": None if dataset.item_hierarchy is None else dataset.item_hierarchy.height,
    }


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
