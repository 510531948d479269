"""The comparisons of [003] on its click-stream data: pcta, upcta, coat and aa. Writes bench/results/constraints.md.

Run: python bench/table_constraints.py
"""

import os
import re
import time
from functools import partial
from pathlib import Path

from anonset.algorithms.constraints.pcta import Coat, Pcta, Upcta
from anonset.algorithms.transactions.aa import Aa
from anonset.data import read
from anonset.errors import InfeasibleError
from anonset.measure.information_loss import ncp_items, ul_log2
from anonset.measure.workload import are, held_queries
from anonset.model.builders import balanced
from anonset.model.policy import AllItemsets, WholeTransactions, privacy_set, utility_set
from anonset.verify import verify

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data")) / "transactions"
PREFACE = """# Constraint-based algorithms on click-streams

Made by `python bench/table_constraints.py`; every release was verified.
*log2 UL*: [003] Definition 2, suppressed items with penalty 1. *NCP*: share of the domain behind an item occurrence.
*AvgRE*: 1,000 queries for 5 items that a random record holds, so that each counts somebody; *expanded*: each generalized item
replaced with all its items, as in [003]; *subsets*: by the share of subsets behind a generalized item.
coat generalizes the commonest item of a constraint; the papers do not say which, so the rarest is shown as well."""
RESULTS = Path(__file__).parent / "results" / "constraints.md"
HEAD = "| policy | k | algorithm | log2 UL | NCP | AvgRE, expanded | subsets | items published (largest) | suppressed | CPU s |"


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
    """One dataset, its workload, and a line for each run."""

    def __init__(self, table, name):
        self.table = table
        data = read(DATA / f"{name}.dat.gz")
        self.data = data.with_item_hierarchy(balanced(data.transactions.domain, 5))  # aa needs one; fanout 5 as in [002]
        self.held = held_queries(self.data, 1000, items=5, seed=1)

    def run(self, algorithm, policy):
        """Measure one release and write its line."""
        shown = algorithm.name + (", refined" if getattr(algorithm, "refine", False) else "")
        shown += ", rarest" if getattr(algorithm, "pick", "") == "rarest" else ""
        before = time.process_time()
        try:
            release = algorithm.anonymize(self.data)
        except InfeasibleError as error:
            needed = re.search(r"at least (\d+ of \d+ items)", str(error))[1]
            refused = f"refused: {needed} would have to go"
            self.table.line(f"| {policy} | {algorithm.k} | {shown} | {refused} |{' |' * 6}")
            return
        seconds = time.process_time() - before
        assert verify(self.data, release).holds
        labels = release.items.labels
        cells = [
            policy,
            algorithm.k,
            shown,
            f"{ul_log2(self.data, release):.2f}",
            f"{ncp_items(self.data, release):.5f}",
            f"{are(self.data, release, self.held, estimator='expanded'):.4g}",
            f"{are(self.data, release, self.held):.4g}",
            f"{len(labels)} ({labels.sizes.max(initial=0)})",
            len(release.items.suppressed),
            f"{seconds:.2f}",
        ]
        self.table.line("| " + " | ".join(map(str, cells)) + " |")


def all_pairs(case):
    for k in (2, 5, 10, 25, 50):
        for algorithm in (Pcta(k), Pcta(k, refine=True), Coat(k, pick="commonest"), Coat(k, pick="rarest"), Aa(k, 2)):
            case.run(algorithm, "all pairs")


def whole_transactions(case):
    privacy = WholeTransactions()
    for algorithm in (
        Pcta(5, privacy=privacy),
        Coat(5, privacy=privacy, pick="commonest"),
        Coat(5, privacy=privacy, pick="rarest"),
    ):
        case.run(algorithm, "whole transactions")


def utility_constraints(case):
    policies = {"all pairs": AllItemsets(2), "PR5": privacy_set(case.data, "PR5"), "PR9": privacy_set(case.data, "PR9")}
    for name, privacy in policies.items():
        for groups in ("UR1", "UR2", "UR3", "UR4", "UR5"):
            utility = utility_set(case.data, groups, suppression=0.15)
            for kind in (Upcta, partial(Coat, pick="commonest"), partial(Coat, pick="rarest")):
                case.run(kind(5, privacy=privacy, utility=utility), f"{name}, {groups}")


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
