"""What bounds rt-search at a bound on NCP: its clusters with less hidden, and half the error of the best of the eight.

Run: python bench/table_rt_floor.py [dataset ...] [k=5 ...]. Reads bench/results/rt_ours.md, writes bench/results/rt_floor.md.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import table_rt_ours
from anonset.algorithms import make
from anonset.algorithms.recoding import exact_columns, exact_items
from anonset.algorithms.rt.label_cuts import LabelCuts
from anonset.algorithms.rt.narrowing import narrowed, published
from anonset.algorithms.rt.preparation import released, tools
from anonset.algorithms.transactions.cutting import with_tree
from anonset.measure.published import groups
from anonset.measure.workload import Query, RecordIndex, count_queries
from table_rt_ours import BOUNDS, ours, workloads

OUT = Path(__file__).parent / "results" / "rt_floor.md"
NOTE = """# What bounds rt-search

Mean relative errors by `uniform`, as in `rt_ours.md`. Of each release of rt-search the same clusters are read again:
with the items as they are, with the values as they are, and with items protected against an attacker who knows one of them
(m = 1: an item that fewer than k records of a cluster hold is hidden there, whatever the item step; nothing else is).
"Missed at least": where fewer than k records of a cluster hold all items of a query, whatever the item step, one of them
stands behind a label of two or more and counts for a half at most; false matches may make up for it, as luck has it.
The last column is half the error of the best of the eight algorithms.
So the quasi values are not what keeps the error up (items exact), nor are rare items alone (m = 1): it is pairs of items,
few of which k records of a cluster hold.

| data | k | bound | queries | rt-search | items exact | values exact | m = 1 | missed at least | half of the eight |
|---|---|---|---|---|---|---|---|---|---|
"""


def with_one_known(data, made, k):
    """The clusters of a release, their items protected by the same step for m = 1."""
    data = with_tree(data)
    group, n = groups(made.columns, len(made))
    clusters = [np.sort(made.rows[group == g]) for g in range(n)]
    algorithm = make("rt-search", {"k": k, "m": 1, "seed": 1, "steps": "0+0"})
    quasi, items = tools(algorithm, data)
    outcomes = items.outcomes(clusters)
    shown = LabelCuts(data, k, 1, 1).cut(narrowed(data.linkable, items, outcomes))
    return released(algorithm, data, quasi, items, dict(enumerate(published(data, items, shown))), (), lambda done: None)


def missed(data, made, workload, k):
    """The mean share of its matches that a query must miss in these clusters: half of those where its items are rare."""
    group, n = groups(made.columns, len(made))
    cluster, index, found = np.empty(len(data), np.int64), RecordIndex(data), []
    cluster[made.rows] = group
    for query in workload.queries:
        here = np.bincount(cluster[index.matches(Query(items=query.items))[0]], minlength=n)
        found.append(0.5 * (here[cluster[index.matches(query)[0]]] < k).mean())
    return float(np.mean(found))


def halves(title, k):
    """By bound half the least errors of the eight within it, as the table of all has them."""
    text = table_rt_ours.OUT.read_text().split(f"\n## {title}, k = {k},")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| 0")]
    eight = [row for row in rows if row[1] in table_rt_ours.NAMES and "(beyond)" not in row[2] and len(row[3]) > 1]
    errors = {b: [[float(error) for error in row[4:10:2]] for row in eight if row[0] == f"{b:g}"] for b in BOUNDS}
    return {b: np.min(rows, axis=0) / 2 if rows else np.full(3, np.nan) for b, rows in errors.items()}


def main():
    wanted = [name for name in sys.argv[1:] if "=" not in name] or ["synthea", "informs5", "informs3"]
    ks = [int(name[2:]) for name in sys.argv[1:] if name.startswith("k=")] or [5]
    kept = [line for line in OUT.read_text().splitlines() if line.startswith("| ")][1:] if OUT.exists() else []
    for name in wanted:
        data = getattr(table_rt_ours, name)()
        title, queries = f"{name}: {len(data):,} records, {', '.join(c.name for c in data.quasi)}", workloads(data)
        for k in ks:
            half = halves(title, k)
            kept = [line for line in kept if not line.startswith(f"| {name} | {k} |")]
            for bound in BOUNDS:
                made = ours(data, k, bound)
                part = data.take(made.rows)
                read = (made, replace(made, items=exact_items(part)), replace(made, columns=exact_columns(part)))
                for q, (kind, workload) in enumerate(queries.items()):
                    errors = [errors_of(data, one, workload) for one in (*read, with_one_known(data, made, k))]
                    cells = [f"{error:.3f}" for error in (*errors, missed(data, made, workload, k), half[bound][q])]
                    kept.append(f"| {name} | {k} | {bound:g} | {kind} | {' | '.join(cells)} |")
                    print(kept[-1], flush=True)
    OUT.write_text(NOTE + "\n".join(kept) + "\n", encoding="utf-8")


def errors_of(data, made, workload):
    return float(count_queries(data, made, workload, estimator="uniform").relative_errors().mean())


if __name__ == "__main__":
    main()
