"""Careless uses of one made-up table: what is refused and with which words, and what of people's own values is published.

Then what is refused of real data, read without a word about them: nothing should be. Run: python bench/table_careless.py.
"""

import contextlib
import io
import os
import shlex
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from anonset.cli import main
from anonset.data.read import read
from anonset.releases.gates import naming_columns
from careless_people import identifiers, leaked, people, write
from careless_uses import HARMLESS, K_OF_ONE, REFUSED, Use

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
REAL = ("transactions/bms_webview_1", "transactions/bms_webview_2", "transactions/groceries", "transactions/t10i4d100k")
REAL += ("rt/informs05", "rt/synthea_ma", "relational/adult_arx")
LONGEST = 110


def said(table: Path, flags: str, out: Path, k: int = 5) -> tuple[int, str]:
    """The exit code of a run, and the first line it said of what went wrong."""
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        code = main(["anonymize", str(table), "-k", str(k), "-m", "2", *shlex.split(flags), "--no-report", "-o", str(out)])
    lines = [line for line in errors.getvalue().splitlines() if line.startswith("anonset:")]
    return code, lines[0].removeprefix("anonset: ") if lines else ""


def careless(place: Path) -> None:
    """Print the table of uses."""
    rows = people()
    table, values = write(place / "people.csv", rows), identifiers(rows)
    uses = REFUSED | HARMLESS | {"k of one": Use(K_OF_ONE)}
    print("| use | flags | exit | said | identifiers published |\n| --- | --- | --- | --- | --- |")
    for i, (name, use) in enumerate(uses.items()):
        out = place / f"out{i}"
        code, line = said(table, use.flags, out, k=1 if name == "k of one" else 5)
        found = len(leaked(out / "published", values)) if out.exists() else 0
        print(f"| {name} | `{use.flags}` | {code} | {line[:LONGEST].replace('|', '/')} | {found} |", flush=True)


def real() -> None:
    """Print what is refused of real data."""
    print("\n| dataset | records | refused |\n| --- | --- | --- |")
    for name in REAL:
        file = next(DATA.glob(f"{name}.*.gz"), None)
        if file is not None:
            data = read(file)
            refused = "; ".join(map(str, naming_columns(data).values())) or "nothing"
            print(f"| {file.name} | {len(data):,} | {refused} |")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        careless(Path(folder))
    real()
