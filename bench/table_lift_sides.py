"""What `subsets` sets off: matches that a release misses, and false ones, of queries that lift does not answer best.

The estimate of a query is a sum over records. Those that hold the items are missed in part; the others are found in part.
Writes bench/results/lift_sides.md. Run: python bench/table_lift_sides.py [DATASET ...]
"""

import sys
from pathlib import Path

import numpy as np

import table_lift
from anonset.algorithms import make
from anonset.measure.workload import RecordIndex
from table_lift_queries import WORKLOADS, N

OUT = Path(__file__).parent / "results" / "lift_sides.md"
DATASETS = ("bms_webview_1", "bms_webview_2", "t10i4d100k")
TITLES = ("aa", "pcta", "lra", "lift ncp", "lift")
ESTIMATORS = ("subsets", "uniform")
NOTE = f"""# Missed and false matches

The estimate of a query sums over records: of those that hold its five items (`held`, {N} queries, seed 1) something is missed,
and others are found falsely. Both are told as shares of the true count; the error is their difference, query by query.
Whoever publishes nothing misses 1.000 and has no false matches. k = 5, m = 2.
"""


def sides(data, release, workload, truth, estimator):
    """Mean over the queries of the error, of what is missed and of what is found falsely, as shares of the true count."""
    index, found = RecordIndex(data, release, estimator), []
    for query, holders in zip(workload.queries, truth, strict=True):
        records, shares = index.matches(query)
        true = np.isin(records, holders)
        missed, false = len(holders) - shares[true].sum(), shares[~true].sum()
        found.append(np.array([abs(missed - false), missed, false]) / len(holders))
    return np.mean(found, axis=0)


def rows(name):
    data = table_lift.load(name)
    data = type(data)(transactions=data.transactions, item_hierarchy=data.item_hierarchy)
    workload, exact = WORKLOADS["held"](data), RecordIndex(data)
    truth = [exact.matches(query)[0] for query in workload.queries]
    for title in TITLES:
        id, values = table_lift.RUNS[title]
        release = make(id, {"k": 5, "m": 2, **values}).anonymize(data)
        for estimator in ESTIMATORS:
            cells = (f"{value:.3f}" for value in sides(data, release, workload, truth, estimator))
            yield f"| {name} | {estimator} | {title} | {' | '.join(cells)} |"


def main(datasets):
    lines = [NOTE, "| dataset | estimator | algorithm | error | missed | false |", "|---|---|---|---|---|---|"]
    for name in datasets:
        for line in rows(name):
            print(line, flush=True)
            lines.append(line)
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or DATASETS)
