"""How far counts are off, and how often 95 % intervals cover the truth: common items, pairs, and cells of cross tables.

    python bench/bench_recipient.py [DATASET[:ALGORITHM] ...]

Common is what 1 % of the records have; of each kind at most 100 questions are asked.
`naive` counts exact values only; `completed` combines five completed tables.
"""

import os
import sys
import tempfile
import time
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

import anonset
from anonset.releases.frames import dataset_frame

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared/data"))
BASKETS = {"algorithm": "lift"}
PEOPLE = {"algorithm": "rt-search", "seed": 1, "seconds": 60}
SETS = {
    "groceries": ("transactions/groceries.dat.gz", {}, BASKETS),
    "bms_webview_1": ("transactions/bms_webview_1.dat.gz", {}, BASKETS),
    "informs05": (
        "rt/informs05.csv.gz",
        {"quasi": ["DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income"], "identifier": ["SEX", "marry", "poverty"]},
        PEOPLE,
    ),
    "synthea": (
        "rt/synthea_ma.csv.gz",
        {"quasi": ["birth_year", "gender", "race", "marital"], "identifier": ["ethnicity", "city", "zip"]},
        PEOPLE,
    ),
    "adult": (
        "relational/adult_arx.csv.gz",
        {"quasi": ["sex", "age", "race", "marital-status", "education", "workclass"], "items": ()},
        {"algorithm": "peel"},
    ),
}
MOST, TABLES, CELLS, GROUPS, ASKED = 40, 5, 12, 5, 100


def read(name):
    file, roles, settings = SETS[name]
    more = {"items": "items", "item_separator": " "} if roles else {}
    return anonset.read(DATA / file, **more | roles), dict(settings)


def groups_of(frame, column):
    """Conditions for the values of a column: ranges of numbers, or the most frequent texts."""
    values = frame[column].drop_nulls()
    if values.dtype.is_numeric():
        cuts = sorted({float(values.quantile(part / GROUPS, "nearest")) for part in range(GROUPS + 1)})
        return [{column: (low, high)} for low, high in pairwise(cuts)]
    return [{column: text} for text in values.value_counts(sort=True)[column].to_list()[:GROUPS]]


def questions(data, frame, opened):
    """What is counted, by kind: (where, items)."""
    least, common = 0.01 * len(data), []
    if data.transactions is not None:
        supports = data.transactions.supports
        order = np.argsort(-supports, kind="stable")
        common = [data.transactions.domain[i] for i in order[:MOST] if supports[i] >= least]
    groups = [groups_of(frame, column.name) for column in data.quasi]
    asked = {"items": [(None, (item,)) for item in common], "pairs": [(None, pair) for pair in combinations(common, 2)]}
    if groups:
        asked["items x columns"] = [(group, (item,)) for some in groups for group in some for item in common[:CELLS]]
        pairs = [(a, b) for first, second in combinations(groups, 2) for a in first for b in second]
        asked["columns x columns"] = [({**a, **b}, ()) for a, b in pairs]
    asked = {kind: [(w, i, opened.count_in(frame, w, items=i)) for w, i in some] for kind, some in asked.items()}
    asked = {kind: [one for one in some if one[2] >= least] for kind, some in asked.items()}
    return {kind: some[:: -(-len(some) // ASKED)] for kind, some in asked.items() if some}


def measured(name, algorithm=None):
    data, settings = read(name)
    settings = {"algorithm": algorithm} if algorithm else settings
    began = time.monotonic()
    promise = {"k": 5} if data.transactions is None else {"k": 5, "m": 2}
    release = anonset.anonymize(data, settings.pop("algorithm"), **promise, **settings)
    release = release if data.transactions is None else release.with_margins()
    print(f"\n{name}: {len(data):,} records, {release.provenance.algorithm}, {time.monotonic() - began:.0f} s", flush=True)
    with tempfile.TemporaryDirectory() as place:
        release.write(Path(place) / "out", report=False, accept_loss=True)
        opened, frame = anonset.open_published(Path(place) / "out"), dataset_frame(data)
        exact, tables = opened.table(), opened.complete(TABLES, seed=1)
        for kind, asked in questions(data, frame, opened).items():
            print(f"{kind} ({len(asked)})", flush=True)
            compare(opened, exact, tables, asked)


def compare(opened, exact, tables, asked):
    truth = np.array([true for *_, true in asked], float)
    report("naive", truth, [opened.count_in(exact, where, items=items) for where, items, _ in asked])
    for estimator in ("uniform", "calibrated") if "margins" in opened.about else ("uniform",):
        counts = [opened.count(where, items=items, estimator=estimator) for where, items, _ in asked]
        outside = sum(not c.low <= t <= c.high for c, t in zip(counts, truth, strict=True))
        assert outside == 0, "the truth is outside the bounds"
        report(estimator, truth, [count.estimate for count in counts], [count.interval() for count in counts])
    found = []
    for where, items, _ in asked:
        each = [opened.count_in(table, where, items=items) for table in tables]
        found.append(anonset.combine(each, [0.0] * TABLES))  # all records are there: nothing was sampled
    report("completed", truth, [one.estimate for one in found], [one.interval() for one in found])


def report(how, truth, estimates, bounds=None):
    error, covered = np.abs(np.array(estimates) - truth) / truth, ""
    if bounds is not None:
        low, high = np.array(bounds).T
        covered = f"{((low - 1e-9 <= truth) & (truth <= high + 1e-9)).mean():8.0%} covered"
    print(f"  {how:10} relative error {error.mean():.3f}{covered}", flush=True)


if __name__ == "__main__":
    for asked in sys.argv[1:] or SETS:
        measured(*asked.split(":"))
