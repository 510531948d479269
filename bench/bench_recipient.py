"""How far counts of common items and pairs are off, and how often 95 % intervals cover the truth.

    python bench/bench_recipient.py [groceries bms_webview_1 informs05 synthea]

Common is what 1 % of the records have. `naive` counts exact labels only; `completed` combines five completed tables.
"""

import os
import sys
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

import anonset

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared/data"))
SETS = {
    "groceries": ("transactions/groceries.dat.gz", {}),
    "bms_webview_1": ("transactions/bms_webview_1.dat.gz", {}),
    "informs05": ("rt/informs05.csv.gz", {}),
    "synthea": ("rt/synthea_ma.csv.gz", {}),
}
MOST, TABLES = 40, 5


def lists_of(data):
    t = data.transactions
    return [{t.domain[i] for i in t.items[t.offsets[r] : t.offsets[r + 1]]} for r in range(len(t))]


def support(sets, wanted):
    return sum(wanted <= some for some in sets)


def measured(name):
    file, more = SETS[name]
    read = {"identifier": list(pl.read_csv(DATA / file, n_rows=1).columns)} if file.endswith("csv.gz") else {}
    if read:
        items = more.get("items") or next(c for c in read["identifier"] if c in ("items", "conditions"))
        read = {"identifier": [c for c in read["identifier"] if c != items], "items": items, "item_separator": " "}
    data = anonset.read(DATA / file, **read)
    true = lists_of(data)
    common = [item for item in data.transactions.domain if support(true, {item}) >= 0.01 * len(true)]
    common = sorted(common, key=lambda item: -support(true, {item}))[:MOST]
    asked = [(item,) for item in common]
    asked += [pair for pair in combinations(common, 2) if support(true, set(pair)) >= 0.01 * len(true)]
    truth = np.array([support(true, set(some)) for some in asked], float)
    release = anonset.anonymize(data, "lift", k=5, m=2).with_margins()
    with tempfile.TemporaryDirectory() as place:
        release.write(Path(place) / "out", report=False, accept_loss=True)
        opened = anonset.open_published(Path(place) / "out")
        column = opened.columns[-1]
        exact = [set(some) for some in opened.table()[column].to_list()]
        report(name, "naive", asked, truth, [support(exact, set(some)) for some in asked])
        for estimator in ("uniform", "calibrated"):
            counts = [opened.count(items=some, estimator=estimator) for some in asked]
            bounds = [count.interval() for count in counts]
            report(name, estimator, asked, truth, [count.estimate for count in counts], bounds)
            outside = sum(not c.low <= t <= c.high for c, t in zip(counts, truth, strict=True))
            assert outside == 0, "the truth is outside the bounds"
        tables = [list(map(set, table[column].to_list())) for table in opened.complete(TABLES, seed=1)]
        found = []
        for some in asked:
            each = [support(table, set(some)) for table in tables]
            found.append(anonset.combine(each, [0.0] * TABLES))  # all records are there: nothing was sampled
        report(name, "completed", asked, truth, [one.estimate for one in found], [one.interval() for one in found])


def report(name, how, asked, truth, estimates, bounds=None):
    for size, what in ((1, "items"), (2, "pairs")):
        here = np.array([len(some) == size for some in asked])
        if not here.any():
            continue
        error = np.abs(np.array(estimates)[here] - truth[here]) / truth[here]
        covered = ""
        if bounds is not None:
            low, high = np.array(bounds)[here].T
            covered = f", {((low - 1e-9 <= truth[here]) & (truth[here] <= high + 1e-9)).mean():.0%} covered"
        print(f"{name:14} {how:10} {what} {here.sum():4}: relative error {error.mean():.3f}{covered}", flush=True)


if __name__ == "__main__":
    for name in sys.argv[1:] or SETS:
        measured(name)
