"""The comparisons of [003] on its click-stream data: pcta, upcta, coat and aa. Writes bench/results/constraints.md.

Run: python bench/table_constraints.py
"""

import os
import re
import time
from pathlib import Path

from anonset.algorithms.constraints.coat import Coat
from anonset.algorithms.constraints.pcta import Pcta
from anonset.algorithms.constraints.upcta import Upcta
from anonset.algorithms.transactions.aa import Aa
from anonset.data import read
from anonset.errors import InfeasibleError
from anonset.measure.are import are
from anonset.measure.ncp_items import ncp_items
from anonset.measure.ul import ul_log2
from anonset.measure.workload import generalized_queries, random_queries
from anonset.model.builders import balanced
from anonset.model.policy import AllItemsets, WholeTransactions
from anonset.model.policy_generators import privacy_set, utility_set
from anonset.verify import verify

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data")) / "transactions"
PREFACE = """# Constraint-based algorithms on click-streams

Made by `python bench/table_constraints.py`; every release was verified.
*log2 UL*: [003] Definition 2, suppressed items with penalty 1. *NCP*: share of the domain behind an item occurrence.
*AvgRE, drawn*: 1,000 queries of 5 items, each from another generalized item of the first release of a block, as in [003];
most count nobody, so an error is the number of records a release wrongly promises (sanity bound 1).
*AvgRE, held*: 1,000 queries of (up to) 5 items of a random record, so that each counts somebody."""
RESULTS = Path(__file__).parent / "results" / "constraints.md"
HEAD = (
    "| policy | k | algorithm | log2 UL | NCP | AvgRE, drawn | AvgRE, held | items published (largest) | suppressed | CPU s |"
)


class Table:
    """Lines of Markdown, written as they come."""

    def __init__(self, path):
        self.out = path.open("w", encoding="utf-8")

    def line(self, text=""):
        self.out.write(text + "\n")
        self.out.flush()
        print(text, flush=True)

    def head(self, title):
        self.line(f"\n## {title}\n\n{HEAD}\n|{'---|' * (HEAD.count('|') - 1)}")


class Comparison:
    """One dataset, its two workloads, and a line for each run."""

    def __init__(self, table, name):
        self.table = table
        data = read(DATA / f"{name}.dat.gz")
        self.data = data.with_item_hierarchy(balanced(data.transactions.domain, 5))  # aa needs one; fanout 5 as in [002]
        self.held = random_queries(self.data, 1000, kind="items", items=5, seed=1)

    def run(self, algorithm, policy, drawn=None):
        """Measure one release and write its line; return the workload drawn from it."""
        before = time.process_time()
        try:
            release = algorithm.anonymize(self.data)
        except InfeasibleError as error:
            needed = re.search(r"at least (\d+ of \d+ items)", str(error))[1]
            refused = f"refused: {needed} would have to go"
            self.table.line(f"| {policy} | {algorithm.k} | {algorithm.name} | {refused} |{' |' * 6}")
            return drawn
        seconds = time.process_time() - before
        assert verify(self.data, release).holds
        drawn = drawn if drawn is not None else generalized_queries(self.data, release, 1000, items=5, seed=1)
        labels = release.items.labels
        cells = [
            policy,
            algorithm.k,
            algorithm.name + (", refined" if getattr(algorithm, "refine", False) else ""),
            f"{ul_log2(self.data, release):.2f}",
            f"{ncp_items(self.data, release):.5f}",
            f"{are(self.data, release, drawn):.4g}",
            f"{are(self.data, release, self.held):.4g}",
            f"{len(labels)} ({labels.sizes.max(initial=0)})",
            len(release.items.suppressed),
            f"{seconds:.2f}",
        ]
        self.table.line("| " + " | ".join(map(str, cells)) + " |")
        return drawn


def all_pairs(case):
    for k in (2, 5, 10, 25, 50):
        drawn = None
        for algorithm in (Pcta(k), Pcta(k, refine=True), Coat(k), Aa(k, 2)):
            drawn = case.run(algorithm, "all pairs", drawn)


def whole_transactions(case):
    drawn = None
    for algorithm in (Pcta(5, privacy=WholeTransactions()), Coat(5, privacy=WholeTransactions())):
        drawn = case.run(algorithm, "whole transactions", drawn)


def utility_constraints(case):
    policies = {"all pairs": AllItemsets(2), "PR5": privacy_set(case.data, "PR5"), "PR9": privacy_set(case.data, "PR9")}
    for name, privacy in policies.items():
        for groups in ("UR1", "UR2", "UR3", "UR4", "UR5"):
            utility = utility_set(case.data, groups, suppression=0.15)
            drawn = None
            for kind in (Upcta, Coat):
                drawn = case.run(kind(5, privacy=privacy, utility=utility), f"{name}, {groups}", drawn)


def main():
    table = Table(RESULTS)
    table.line(PREFACE)
    cases = {}
    for name in ("bms_webview_1", "bms_webview_2"):
        cases[name] = case = Comparison(table, name)
        for kind in (Pcta, Coat):
            kind(5).anonymize(case.data)  # compile
        Aa(5, 2).anonymize(case.data)
        table.head(f"{name}: k^2-anonymity")
        all_pairs(case)
        table.head(f"{name}: complete 5-anonymity")
        whole_transactions(case)
    for name, case in cases.items():
        table.head(f"{name}: utility constraints, k = 5, at most 15 % suppressed")
        utility_constraints(case)


if __name__ == "__main__":
    main()
