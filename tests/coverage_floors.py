"""The floor of branch coverage of each package: `make test COVERAGE=1` fails where a package fell below its floor.

A floor is what the tests reached when it was set, less a point for tests that draw at random.
A small package may miss a few branches more: which ones are taken depends on compiled kernels that were there before.
`make test COVERAGE=1 RAISE=1` sets the floors that are now exceeded by more than a point; none is ever lowered by it.
"""

import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import coverage

FLOORS = Path(__file__).with_name("coverage_floors.json")
SLACK = 1.0  # percent
FEW = 3  # branches


def reached(files):
    """Of each package of anonset the percentage of branches taken (of lines where it has none), and what one of them is."""
    counts = defaultdict(lambda: [0, 0, 0, 0])
    for name, file in files.items():
        parts = Path(name).as_posix().partition("anonset/")[2].split("/")
        package = parts[0].removesuffix(".py") if parts[0] != "__init__.py" else "anonset"
        if {"kernels", "_kernels"} & set(parts[:-1]):
            package = "kernels"  # wherever they are: only the run without a compiler sees them
        found = file["summary"]
        for at, key in enumerate(("covered_branches", "num_branches", "covered_lines", "num_statements")):
            counts[package][at] += found[key]
    return {
        package: (
            round(100 * (branches / all_branches if all_branches else lines / max(1, all_lines)), 1),
            100 / (all_branches or max(1, all_lines)),
        )
        for package, (branches, all_branches, lines, all_lines) in sorted(counts.items())
    }


def main(words):
    """Compare with the floors, or raise them; how many packages are below theirs."""
    data = coverage.Coverage()
    data.load()
    with tempfile.TemporaryDirectory() as folder:
        data.json_report(outfile=f"{folder}/coverage.json")
        files = json.loads(Path(f"{folder}/coverage.json").read_text(encoding="utf-8"))["files"]
    now = reached(files)
    floors = json.loads(FLOORS.read_text(encoding="utf-8")) if FLOORS.exists() else {}
    if "raise" in words:
        floors = {package: max(floors.get(package, 0.0), round(share - SLACK, 1)) for package, (share, _) in now.items()}
        FLOORS.write_text(json.dumps(floors, indent=2) + "\n", encoding="utf-8", newline="\n")
    below = 0
    for package in sorted(now.keys() | floors.keys()):
        (share, one), floor = now.get(package, (None, 0.0)), floors.get(package)
        remark = "no floor yet: RAISE=1 sets it" if floor is None else ""
        if floor is not None and (share is None or share < floor - max(0.0, FEW * one - SLACK)):
            remark = (
                "<- BELOW" if share is not None else "<- is the package gone? then take it out of tests/coverage_floors.json"
            )
            below += 1
        print(
            f"{package:12} {'-' if share is None else share:>6}  floor {'-' if floor is None else floor:>6}  {remark}".rstrip()
        )
    return below


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
