"""What `protect = inversion` of rt-search costs on five datasets: python bench/table_protect.py [NAME ...] [SEED].

The errors are mean relative errors of counts by the estimator `uniform`: of 400 queries for a column value and an item that
somebody has together, and of 400 pairs of items that somebody has.
"""

import os
import sys
import time
from pathlib import Path

import polars as pl

import anonset
from anonset.algorithms import make
from anonset.measure.information_loss import exact_items, lost_items, ncp
from anonset.measure.workload import count_queries, random_queries
from anonset.verify import verify

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
HEAD = ("data", "records", "rt-search", "NCP", "exact", "lost", "value and item", "pair", "holds", "s")
SETTINGS = {"default": {}, "items = lift": {"items": "lift"}, "protect = inversion": {"protect": "inversion"}}
QUASI = ["DOBYY", "RACEX", "EDUCYEAR", "SEX"]
ADULT = ["age", "sex", "race"]
ADULT_ITEMS = ["education", "occupation", "workclass", "marital-status", "native-country"]


def informs(*, tree=True):
    how = {"item_hierarchy": DATA / "rt" / "informs05_hierarchies" / "items.csv"} if tree else {}
    table = pl.read_csv(DATA / "rt" / "informs05.csv.gz", infer_schema=False)
    return anonset.read(table, quasi=QUASI, items="items", item_separator=" ", **how)


def synthea():
    table = pl.read_csv(DATA / "rt" / "synthea_ma.csv.gz", infer_schema=False)
    return anonset.read(table, quasi=["birth_year", "gender", "race"], items="items", item_separator=" ")


def adult():
    table = pl.read_csv(DATA / "relational" / "adult_arx.csv.gz", infer_schema=False)
    sets = table.select(items=pl.concat_list(*ADULT_ITEMS).list.unique())
    return anonset.read(pl.concat([table.select(ADULT), sets], how="horizontal"), quasi=ADULT, items="items")


def groceries():
    """Baskets with a made-up column: the number of items, in the place of a column that goes with them."""
    baskets = anonset.read(DATA / "transactions" / "groceries.dat.gz").transactions
    sets = [sorted(record) for record in baskets.records()]
    return anonset.read(pl.DataFrame({"size": list(map(len, sets)), "items": sets}), quasi=["size"], items="items")


READ = {
    "INFORMS 2005": informs,
    "INFORMS 2005, no hierarchy": lambda: informs(tree=False),
    "Synthea": synthea,
    "adult": adult,
    "groceries": groceries,
}


def row(name, data, title, settings, seed):
    start = time.perf_counter()
    release = make("rt-search", {"k": 5, "m": 2, "seed": seed, "seconds": 10.0, **settings}).anonymize(data)
    seconds = time.perf_counter() - start
    workloads = [
        random_queries(data, 400, kind="both", items=1, seed=104),
        random_queries(data, 400, kind="items", items=2, seed=105),
    ]
    errors = [count_queries(data, release, workload, estimator="uniform").relative_errors().mean() for workload in workloads]
    figures = [ncp(data, release), exact_items(data, release), lost_items(data, release), *errors]
    holds = "yes" if verify(data, release).holds else "NO"
    cells = [name, f"{len(data):,}", title, *(f"{figure:.3f}" for figure in figures), holds, f"{seconds:.0f}"]
    return f"| {' | '.join(cells)} |"


def main(*words):
    seed = next((int(word) for word in words if word.isdecimal()), 1)
    print(f"k = 5, m = 2, 10 seconds, seed {seed}\n\n| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
    for name in [name for name in READ if name in words] or READ:
        data = READ[name]()
        for title, settings in SETTINGS.items():
            print(row(name, data, title, settings, seed), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
