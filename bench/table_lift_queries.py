"""Counts and itemsets that survive: `lift` against the papers' algorithms, by kind of query and estimator.

Every release is verified. Run: python bench/table_lift_queries.py [DATASET ...]. Writes bench/results/lift_queries.md.
"""

import sys
from pathlib import Path

import table_lift
from anonset.measure.are import are
from anonset.measure.itemsets import preserved_itemsets
from anonset.measure.workload import frequent_queries, held_queries

OUT = Path(__file__).parent / "results" / "lift_queries.md"
SETTINGS = ((5, 2),)
DATASETS = ("informs05", "groceries", "bms_webview_1", "bms_webview_2", "t10i4d100k")
N, SUPPORT = 200, 0.01
WORKLOADS = {
    "held": lambda data: held_queries(data, N, items=5, seed=1),
    "frequent": lambda data: frequent_queries(data, N, support=SUPPORT, seed=1),
}


def error(kind, estimator):
    return lambda original, release, run: f"{are(original, release, WORKLOADS[kind](original), estimator=estimator):.3f}"


def survival(original, release, run):
    found = preserved_itemsets(original, release, support=SUPPORT, estimator="uniform")
    return f"{found.recall:.2f}, {found.precision:.2f}"


table_lift.COLUMNS = {
    name: table_lift.COLUMNS[name] for name in ("exact", "lost", "item NCP")
} | {
    f"{kind}, {estimator}": error(kind, estimator) for kind in WORKLOADS for estimator in ("subsets", "uniform", "expanded")
} | {"itemsets: recall, precision": survival} | {name: table_lift.COLUMNS[name] for name in ("CPU s", "memory MB", "holds")}


def main(datasets):
    head = ["dataset", "k", "m", "algorithm", *table_lift.COLUMNS]
    lines = ["# Local recoding of occurrences: what can be counted", "", "Every release was verified; seed 1."]
    lines += [
        f"`held`: {N} sets of 5 items that some record holds; `frequent`: {N} sets in {SUPPORT:.0%} of the records; errors are mean",
        "relative errors by estimator. Itemsets are those in that share of the records, expected supports by `uniform`.",
        "A row of dashes took too long, or the workload cannot be drawn.",
        "",
    ]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name in datasets:
        for k, m in SETTINGS:
            for title in table_lift.RUNS:
                cells = table_lift.row_of(name, title, k, m)
                lines.append("| " + " | ".join([name, str(k), str(m), title, *cells]) + " |")
                print(lines[-1], flush=True)
                OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or DATASETS)
