"""Counts and itemsets that survive: `lift` against the papers' algorithms, by kind of query and estimator.

Every release is verified. Run: python bench/table_lift_queries.py [DATASET ...]. Writes bench/results/lift_queries.md.
"""

import sys
from pathlib import Path

import table_lift
from anonset.measure.itemsets import preserved_itemsets
from anonset.measure.workload import frequent_queries, held_queries
from anonset.measure.workload.estimator import are

OUT = Path(__file__).parent / "results" / "lift_queries.md"
SETTINGS = ((5, 2),)
DATASETS = ("informs05", "groceries", "bms_webview_1", "bms_webview_2", "t10i4d100k")
N, SUPPORT, MANY = 200, 0.01, 200
WORKLOADS = {
    "held": lambda data: held_queries(data, N, items=5, seed=1),
    "frequent": lambda data: frequent_queries(data, N, support=support(data), seed=1),
}

BEHIND = """`lift` is ahead of the five others by `uniform`, and `lift` with `minimize` = ncp by `subsets` and `expanded`, but
for this:

- `frequent` on T10I4D100K: the cut of `aa` shows every item in 2 % of the records as it is.
  That is an error of 0 by any estimator, which can be equalled, not beaten.
  `lift` started from this cut comes to 0 as well, with 65 % exact.
  From the items it is off by a quarter of a percent with 83 % exact, and its error for `held` is lower by a third.
  Another rule, the rarer label first (rare pairs over the root of the support), comes to .0003, and to .009 and .007 on
  click-streams; but INFORMS 2005 goes from .027 to .043, groceries from .068 to .075, and 1 to 3 points fewer are exact.
- `held` on T10I4D100K by `expanded`: `pcta` and `lift` are equal.
- `held` by `subsets` on click-streams and T10I4D100K: the error is what is missed less what is found falsely (`lift_sides.md`).
  On T10I4D100K `lra` misses 66 % and finds 39 % falsely, `lift` 61 % and 4 %: the errors are .577 and .583.
  On BMS-WebView-1 `lra` misses 87 % and finds 59 % falsely, `lift` 91 % and 43 %; on BMS-WebView-2 `aa` 97 % and 21 %, `lift`
  96 % and 25 %.
  False matches that make up for missed ones are no answer; by `uniform`, which has few, `lift` is ahead on all three."""


def support(data):
    """The share of the records that makes an itemset frequent: twice as much where many items are."""
    many = (data.transactions.supports >= SUPPORT * len(data)).sum() > MANY
    return 2 * SUPPORT if many else SUPPORT


def error(kind, estimator):
    return lambda original, release, run: f"{are(original, release, WORKLOADS[kind](original), estimator=estimator):.3f}"


def survival(original, release, run):
    found = preserved_itemsets(original, release, support=support(original), estimator="uniform")
    return f"{found.recall:.2f}, {found.precision:.2f}"


table_lift.COLUMNS = (
    {name: table_lift.COLUMNS[name] for name in ("exact", "lost", "item NCP")}
    | {f"{kind}, {estimator}": error(kind, estimator) for kind in WORKLOADS for estimator in ("subsets", "uniform", "expanded")}
    | {"itemsets: recall, precision": survival}
    | {name: table_lift.COLUMNS[name] for name in ("CPU s", "memory MB", "holds")}
)


def main(datasets):
    head = ["dataset", "k", "m", "algorithm", *table_lift.COLUMNS]
    lines = ["# Local recoding of occurrences: what can be counted", "", "Every release was verified; seed 1."]
    lines += [
        f"`held`: {N} sets of 5 items that some record holds; `frequent`: {N} sets in {SUPPORT:.0%} of the records",
        "(T10I4D100K: 2 %).",
        "Errors are mean relative errors by estimator.",
        "Itemsets are those in that share of the records, expected supports by `uniform`.",
        "A row of dashes took too long, or the workload cannot be drawn.",
        "",
        *BEHIND.splitlines(),
        "",
    ]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name in datasets:
        rows = []
        for k, m in SETTINGS:
            for title in table_lift.titles(name, m):
                cells = table_lift.row_of(name, title, k, m)
                rows.append("| " + " | ".join([name, str(k), str(m), title, *cells]) + " |")
                print(rows[-1], flush=True)
        table_lift.write(OUT, lines, rows, name, DATASETS)


if __name__ == "__main__":
    main(sys.argv[1:] or DATASETS)
