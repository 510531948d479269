"""pcta against the time of reading its file and against the literal transcription of Algorithm 1. CPU seconds, warm kernels.

Run: python bench/bench_constraints.py
"""

import os
import resource
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from lookalikes import like_retail

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from anonset.algorithms.constraints.pcta import Coat, Pcta
from anonset.data import read
from anonset.measure.information_loss import ncp_items
from anonset.model.dataset import Dataset
from anonset.model.policy import WholeTransactions
from anonset.verify import verify
from oracles import constraints as literal

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data")) / "transactions"


def cpu(job, times=5):
    """The least CPU time of a few runs, and the result."""
    best, result = float("inf"), None
    for _ in range(times):
        before = time.process_time()
        result = job()
        best = min(best, time.process_time() - before)
    return best, result


def against_reading():
    """All pairs, k = 5, of bms_webview_1 in how many times the time of reading the file."""
    path = DATA / "bms_webview_1.dat.gz"
    data = read(path)
    Pcta(5).anonymize(data)
    reading, data = cpu(lambda: read(path), 9)
    running, release = cpu(lambda: Pcta(5).anonymize(data), 9)
    print(f"bms_webview_1, all pairs, k=5: reading {reading:.4f} s, pcta with publishing {running:.4f} s, ", end="")
    print(f"{running / reading:.2f} times; NCP {ncp_items(data, release):.5f}")


def against_the_literal_transcription():
    """A part of groceries, small enough for the oracle."""
    data = read(DATA / "groceries.dat.gz")
    t = data.transactions
    few = Dataset(transactions=t.take(np.arange(300)))
    code = {name: i for i, name in enumerate(t.domain)}
    records = [frozenset(code[name] for name in record) for record in few.transactions.records()]
    pairs = literal.all_itemsets(frozenset().union(*records), 2)
    Pcta(3).anonymize(few)
    slow, (large, _) = cpu(lambda: literal.anonymize(records, pairs, 3), 1)
    quick, release = cpu(lambda: Pcta(3).anonymize(few))
    same = {tuple(sorted(code[name] for name in row["members"])) for row in release.trace} == large
    print(
        f"groceries, 300 records, all pairs, k=3: literal {slow:.2f} s, pcta {quick:.4f} s, {slow / quick:.0f} times as fast, ",
        end="",
    )
    print(f"the same clusters: {same}")


def large_domain():
    """88,162 records over 16,470 items."""
    data = Dataset(transactions=like_retail())
    for k in (5, 50):
        running, release = cpu(lambda k=k: Pcta(k).anonymize(data), 1)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        verdict = verify(data, release)
        print(f"retail look-alike, {len(data.transactions.domain)} items, all pairs, k={k}: {running:.2f} s, ", end="")
        print(f"{memory:.2f} GB at most, {len(release.items.labels)} published items, holds: {verdict.holds}")


def others():
    """Larger sets, whole transactions, coat."""
    for name in ("bms_webview_1", "bms_webview_2"):
        data = read(DATA / f"{name}.dat.gz")
        for algorithm in (Pcta(5), Pcta(5, m=3), Coat(5), Pcta(5, privacy=WholeTransactions())):
            algorithm.anonymize(data)
            running, release = cpu(partial(algorithm.anonymize, data), 1)
            what = "whole transactions" if algorithm.privacy is not None else f"m={algorithm.m}"
            print(f"{name}, {algorithm.name}, {what}, k=5: {running:.3f} s, NCP {ncp_items(data, release):.5f}")


if __name__ == "__main__":
    against_reading()
    against_the_literal_transcription()
    large_domain()
    others()
