"""Seconds to measure: risks, workloads and usefulness against one sparse product that counts all pairs of the same records.

CPU seconds, after one run on a few records that loads what is compiled. Run: python bench/bench_measures.py
"""

import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse

from anonset.algorithms import make
from anonset.data import read
from anonset.measure.risk import record_risks
from anonset.measure.usefulness import usefulness
from anonset.measure.workload import ESTIMATORS, are, held_queries
from anonset.model.guarantees import CompleteK
from anonset.releases.margins import with_margins

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))


def pair_product(t):
    """The baseline: the supports of all pairs as one sparse product."""
    x = sparse.csr_array((np.ones(len(t.items), np.int32), t.items, t.offsets), (len(t), len(t.domain)))
    return x.T.tocsr() @ x


def cpu(job):
    before = time.process_time()
    job()
    return time.process_time() - before


def jobs(data):
    """Name and work of everything that is measured."""
    exact = make("identity", {"k": 1}).anonymize(data)
    coarse = with_margins(data, make("pcta", {"k": 5, "m": 2}).anonymize(data))
    rings = make("gray-ring", {"k": 5, "seed": 1}).anonymize(data)
    asked = held_queries(data, 1000, items=min(3, int(data.transactions.lengths.max())))
    for m in (1, 2, 3):
        yield f"risk, m = {m}", lambda m=m: record_risks(data, exact, m)
    yield "risk, all items", lambda: record_risks(data, replace(exact, guarantees=(CompleteK(1),)))
    yield "risk of uncertain items", lambda: record_risks(data, rings)
    for name in ESTIMATORS:
        yield f"are of 1000 queries, {name}", lambda name=name: are(data, coarse, asked, estimator=name)
    yield "usefulness", lambda: usefulness(data, coarse)


def main():
    for name in ("bms_webview_1", "bms_webview_2"):
        data = read(DATA / "transactions" / f"{name}.dat.gz")
        for _, job in jobs(data.take(np.arange(200))):
            job()
        baseline = cpu(lambda data=data: pair_product(data.transactions))
        print(f"{name}: all pairs by a sparse product {baseline:.2f} s")
        for what, job in jobs(data):
            seconds = cpu(job)
            print(f"  {what:36} {seconds:7.2f} s  {seconds / baseline:6.1f} times the product")


if __name__ == "__main__":
    main()
