"""How much of what a promise allows is shown exactly: `lift` under each hierarchy that can be built, against `exact-bound`.

Run: nice python bench/table_bound.py [DATASET ...] [k=5,10,25]. Writes bench/results/bound.md. Every release is verified.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

from anonset.algorithms import make
from anonset.algorithms.transactions.lift import TREES
from anonset.data import Schema, read
from anonset.measure import measure
from anonset.measure.usefulness import errors_by_size
from anonset.model.builders import Material, build
from anonset.model.dataset import Dataset, Transactions
from anonset.verify import verify

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
OUT = Path(__file__).parent / "results" / "bound.md"
COLUMNS = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income", "SEX", "marry", "poverty")
RECORDS, ITEMS = 4_141, 1_559  # of a food market's baskets, in which no item is common
OTHERS = ("balanced:5,order=id", "learned:5")  # hierarchies that `lift` does not try itself


def flat():
    """Baskets of items that are all rare, drawn one by one."""
    rng = np.random.default_rng(0)
    chance = 1 / (np.arange(ITEMS) + 200.0)
    sizes = np.maximum(1, rng.poisson(4.4, RECORDS))
    return [rng.choice(ITEMS, size, p=chance / chance.sum()).tolist() for size in sizes]


def themed():
    """Baskets of rare items, most of them from one of 150 themes of 14 items."""
    rng = np.random.default_rng(1)
    themes = [rng.choice(ITEMS, 14, replace=False) for _ in range(150)]
    return [
        [
            *rng.choice(themes[rng.integers(150)], min(3, 1 + rng.poisson(1.2)), replace=False).tolist(),
            *rng.integers(0, ITEMS, rng.poisson(2)).tolist(),
        ]
        for _ in range(RECORDS)
    ]


def baskets(records):
    return Dataset(transactions=Transactions.from_records([set(map(str, record)) for record in records]))


def real(name):
    return lambda: read(DATA / "transactions" / f"{name}.dat.gz")


DATASETS = {
    "groceries": real("groceries"),
    "bms_webview_1": real("bms_webview_1"),
    "bms_webview_2": real("bms_webview_2"),
    "informs05": lambda: read(DATA / "rt" / "informs05.csv.gz", schema=Schema(items=("items",), identifier=COLUMNS)),
    "t10i4d100k": real("t10i4d100k"),
    "sparse, flat": lambda: baskets(flat()),
    "sparse, themes": lambda: baskets(themed()),
}


def row(name, data, k, tree):
    """A line of the table; without a tree `lift` chooses."""
    source = data.with_item_hierarchy(build(tree, Material.of_items(data.transactions))) if tree else data
    before = time.process_time()
    release = make("lift", {"k": k, "m": 2}).anonymize(source)
    seconds = time.process_time() - before
    assert verify(source, release).holds
    found = measure(source, release, ["exact-items", "exact-bound", "lost-items"])
    exact, bound = found["exact-items"], found["exact-bound"]
    errors = {sized.low: f"{sized.error:.2f}" for sized in errors_by_size(source, release, pairs=500)}
    cells = [name, k, tree or f"**{release.trace[0]['hierarchy']}**", f"{exact:.3f}", f"{bound:.3f}", f"{exact / bound:.2f}"]
    cells += [f"{found['lost-items']:.3f}", *(errors.get(low, "-") for low in (30, 100, 300)), f"{seconds:.2f}"]
    return f"| {' | '.join(map(str, cells))} |"


def main(words):
    wanted = [word for word in words if not word.startswith("k=")] or list(DATASETS)
    ks = next((word[2:].split(",") for word in words if word.startswith("k=")), ["5", "10", "25"])
    lines = [
        "# Exact items against the most that any release can have",
        "",
        "Made by `bench/table_bound.py`: `lift`, m = 2, items only; every release was verified.",
        "In bold the hierarchy that `lift` takes if none is given (with the time of trying all); then others that were given.",
        "Errors are those of counts of 30 to 99, 100 to 299 and 300 to 999 people (single items and 500 pairs).",
        "",
        "| data | k | hierarchy | exact | at most | share | lost | 30 | 100 | 300 | CPU s |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in wanted:
        data = DATASETS[name]()
        make("lift", {"k": 5, "m": 2}).anonymize(data.take(np.arange(200)))  # compiled kernels
        for k in map(int, ks):
            for tree in ("", *TREES, *OTHERS):
                lines.append(row(name, data, k, tree))
                print(lines[-1], flush=True)
                OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
