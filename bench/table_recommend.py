"""What `recommend` chooses for INFORMS 2005 in a minute, against every run of bench/results/rt_ours.md with the same data.

The workload is that of the table, 400 queries for a quasi value and two items, the estimator `uniform`. Run after
table_rt_ours.py informs5: python bench/table_recommend.py. Writes bench/results/recommend.md.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from algorithms.rt.informs import QUASI
from anonset.algorithms import make
from anonset.data import Schema, read
from anonset.study.recommendation import described, recommend
from table_rt_ours import DATA, OUT, measured, workloads

RESULT = Path(__file__).parent / "results" / "recommend.md"
SOURCE, TREES = DATA / "rt" / "informs05.csv.gz", DATA / "rt" / "informs05_hierarchies"
SCHEMA = Schema(
    quasi=QUASI,
    identifier=("SEX", "marry", "poverty"),
    items=("items",),
    kinds={"RACEX": "categorical"},
    item_hierarchy=str(TREES / "items.csv"),
    hierarchies={"RACEX": TREES / "RACEX.csv"},
)
SECONDS, RISK = 60.0, 0.2


def table_rows():
    """Algorithm and bound, and the errors by `uniform` for two items, one item and common queries, of runs within the risk."""
    section = next(part for part in OUT.read_text().split("\n## ") if part.startswith("informs5") and "k = 5," in part)
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) > 9 and cells[-1] == "yes":
            yield f"{cells[1]}, {cells[0]}", cells[2], [float(cells[i]) for i in (4, 6, 8)]


def main():
    data = read(SOURCE, schema=SCHEMA)
    queries = workloads(data)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "queries.json"
        file.write_text(queries["2 items"].to_json())
        wanted = {"kind": "file", "file": str(file)}
        found = recommend(SOURCE, data, Path(folder), schema=SCHEMA, max_risk=RISK, workload=wanted, seconds=SECONDS)
    release = make(found.best.algorithm, dict(found.best.parameters)).anonymize(data)
    loss, _, errors, _, holds = measured(data, release, queries, 0.0)
    own = [errors[name, "uniform"] for name in queries]
    lines = [
        "# recommend on INFORMS 2005, k = 5, m = 2",
        "",
        f"`recommend` with {SECONDS:g} s, a risk of {RISK:g} at most, and queries for a value and two items as its workload,",
        "against every run of `rt_ours.md` on the same data: mean relative errors by `uniform`.",
        "",
        "| run, bound | NCP | 2 items | 1 item | common |",
        "|---|---|---|---|---|",
        f"| **recommended: {described(found.best)}** | {loss:.4f} | {' | '.join(f'{e:.3f}' for e in own)} |",
    ]
    rows = sorted(table_rows(), key=lambda row: row[2][0])
    lines += [f"| {name} | {ncp} | {' | '.join(f'{e:.3f}' for e in them)} |" for name, ncp, them in rows]
    better = [sum(them[i] < own[i] - 0.0005 for _, _, them in rows) for i in range(3)]
    lines += ["", f"Runs that do better: {', '.join(f'{n} for {name}' for n, name in zip(better, queries, strict=True))}."]
    lines += [f"The recommended release {'keeps' if holds else 'BREAKS'} its promise.", ""]
    lines += [f"- {reason}" for reason in found.reasons]
    RESULT.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
