"""anonset demo: the main job on the made-up sample, command by command."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

PLAN = """\
measures = ["ncp", "ncp-items", "are", "risk"]

[[data]]
path = "sample/patients.csv"
schema = "sample/schema.toml"

[workload]
kind = "random"
n = 200

[[run]]
algorithm = "rmerge-r"
k = [2, 5, 10, 20]
delta = 0.4
items = "pcta"
seed = 1

[[run]]
algorithm = "rmerge-rt"
k = [2, 5, 10, 20]
delta = 0.4
items = "pcta"
seed = 1

[[run]]
algorithm = "rt-search"
k = [2, 5, 10, 20]
seconds = 3
seed = 1
"""


def run(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where everything goes; replaced if a demo is there.")] = Path(
        "demo"
    ),
) -> None:
    """Make a sample, look at it, anonymize, verify, measure, attack and compare it; say where the results are."""
    from anonset.errors import InputError

    plan, sample = folder / "plan.toml", folder / "sample"
    if folder.exists() and any(folder.iterdir()) and not (plan.exists() and sample.is_dir()):
        raise InputError("is not empty, and not a demo: choose another folder", file=folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    plan.write_text(PLAN, encoding="utf-8", newline="\n")
    out = str(folder / "release")
    data, schema = str(sample / "patients.csv"), ["--schema", str(sample / "schema.toml")]
    asked = ["-k", "5", "-m", "2"]
    for words in (
        ["sample", str(sample)],
        ["profile", data, *schema],
        ["anonymize", data, *schema, *asked, "-o", out],
        ["verify", out, "--original", data],
        ["measure", out, "--original", data],
        ["attack", out, "--original", data, "--attackers", "200"],
        ["compare", str(plan), "-o", str(folder / "study")],
        ["report", out, "--original", data, "--study", str(folder / "study"), "--attackers", "200"],
    ):
        _show(words)
    print("\nThe results:")
    for path, what in (
        (folder / "release" / "published", "what may be handed out"),
        (folder / "release" / "report.html", "the report of the release, for you, with the map in it"),
        (folder / "study" / "report.html", "three algorithms compared"),
        (folder / "study" / "ru_map.svg", "the map of risk against utility"),
    ):
        if path.exists():
            print(f"  {path}  {what}")


def _show(words: list[str]) -> None:
    """Run one command as a user would, and stop at the first that fails."""
    from anonset.cli import main

    print(f"\n$ anonset {shlex.join(words)}", flush=True)
    code = main(words)
    sys.stdout.flush()
    if code:
        raise typer.Exit(code)
