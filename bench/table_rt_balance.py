"""The frontier of rt-search over `balance`: NCP against exact items and the error of pairs: bench/results/rt_balance.md.

Run: python bench/table_rt_balance.py [informs] [synthea] [k=5 ...]      informs: 6,000 of the 26,735 patients
The file was put together from runs for informs with k=5, and for synthea with k=5 and k=10.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np

from anonset.algorithms import make
from anonset.measure.information_loss import exact_items, lost_items, ncp
from anonset.measure.workload import RecordIndex, Workload, count_queries, random_queries
from anonset.verify import verify
from table_rt_labels import patients
from table_rt_ours import synthea

OUT = Path(__file__).parent / "results" / "rt_balance.md"
BALANCES = (None, 0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
BOUND = 0.1  # on NCP, where items are to be as exact as possible
COMMON, RECORDS, STEPS = 20, 6_000, "14+14"


def some_patients():
    data = patients()
    return data.take(np.sort(np.random.default_rng(0).permutation(len(data))[:RECORDS]))


READ = {"informs": some_patients, "synthea": synthea}


def common_pairs(data):
    """Queries for two items that 20 records or more have together."""
    index, drawn = RecordIndex(data), random_queries(data, 4000, kind="items", seed=7)
    return Workload(tuple(query for query in drawn.queries if index.count(query) >= COMMON)[:400])


def row(data, k, pairs, values):
    release = make("rt-search", {"k": k, "m": 2, "seed": 1, "steps": STEPS} | values).anonymize(data)
    error = count_queries(data, release, pairs, estimator="uniform").relative_errors().mean()
    shares = (ncp(data, release), exact_items(data, release), lost_items(data, release), float(error))
    assert verify(data, release).holds
    return " | ".join(f"{share:.3f}" for share in shares)


def main():
    lines = ["| data | k | setting | NCP | exact items | lost items | error of pairs |", f"|{'---|' * 7}"]
    named = [name for name in READ if name in sys.argv[1:]]
    sizes = [int(word[2:]) for word in sys.argv[1:] if word.startswith("k=")]
    for name in named or READ:
        data = READ[name]()
        pairs = common_pairs(data)
        for k in sizes or (5, 10):
            asked = [(f"balance={b:g}" if b is not None else "default", {} if b is None else {"balance": b}) for b in BALANCES]
            asked.append((f"balance=1, delta={BOUND:g}", {"balance": 1.0, "delta": BOUND}))
            for title, values in asked:
                lines.append(f"| {name} | {k} | {title} | {row(data, k, pairs, values)} |")
                print(lines[-1], flush=True)
    text = ["# rt-search over balance", "", f"m = 2, seed 1, steps {STEPS}; every release is verified.", "", *lines, ""]
    OUT.write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main()
