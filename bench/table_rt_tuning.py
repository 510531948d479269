"""What other values of the tuned constants of rt-search would give: the measurements behind `anonset.algorithms.rt.tuning`.

Run: python bench/table_rt_tuning.py [constant ...]      prints a Markdown table; bench/results/rt_tuning.md has one
6,000 patients of INFORMS 2005 drawn with a fixed seed, five quasi columns, k = 5, m = 2. Errors are those of 400 queries of
another seed than the search draws, for one value and one item, read by `uniform`. Runs are counted in steps, so the speed of
the machine does not matter.
"""

import os
import sys
import time
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from algorithms.rt.informs import informs
from anonset.algorithms.rt.search import RtSearch
from anonset.measure.information_loss import ncp
from anonset.measure.workload import count_queries, random_queries

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
ALIGNED = {"items": "align", "steps": "1+0"}
LIFTED = {"items": "lift", "steps": "1+0"}
ROUNDS = {"items": "lift", "steps": "1+16"}
# constant: the module that uses it, the values to try, and the run that shows its effect
CONSTANTS = {
    "LENGTH_PENALTY": ("alignment", (0.0, 1.5, 3.0), ALIGNED),
    "RECORDS_COMPARED": ("alignment", (512, 1024, 2048), ALIGNED),
    "FIRST_PRICE": ("candidates", (4, 6, 8, 10, 12), ALIGNED),
    "FIRST_SIZE": ("candidates", (1, 2, 3, 4, 5), LIFTED),
    "CUTS_TRIED": ("cluster_labels", (0, 100, 400), LIFTED),
    "NEIGHBOUR_RANKS": ("search", (1, 4, 8), ROUNDS),
    "WORTH_OF_NCP_WON_BACK": ("search", (0.0, 0.5, 1.0), ROUNDS | {"delta": 0.1}),
}


def measured(data, queries, values):
    """NCP, the error of queries, and the CPU seconds of one run."""
    start = time.process_time()
    release = RtSearch(k=5, m=2, values=1, seed=1, **values).anonymize(data)
    seconds = time.process_time() - start
    error = float(count_queries(data, release, queries, estimator="uniform").relative_errors().mean())
    return ncp(data, release), error, seconds


def main(names):
    data = informs(DATA, n=6000, item_hierarchy=DATA / "rt" / "informs05_hierarchies" / "items.csv")
    queries = random_queries(data, 400, kind="both", items=1, seed=104)
    for values in (ALIGNED, LIFTED):
        measured(data, queries, values)  # compile, or load, the kernels
    print("| constant | value | NCP | error | CPU s |\n|---|---|---|---|---|", flush=True)
    for name in names or CONSTANTS:
        module_name, tried, values = CONSTANTS[name]
        module = import_module(f"anonset.algorithms.rt.{module_name}")
        chosen = getattr(module, name)
        for value in tried:
            setattr(module, name, value)
            lost, error, seconds = measured(data, queries, values)
            mark = " (chosen)" if value == chosen else ""
            print(f"| {name} | {value:g}{mark} | {lost:.3f} | {error:.3f} | {seconds:.1f} |", flush=True)
        setattr(module, name, chosen)


if __name__ == "__main__":
    main(sys.argv[1:])
