"""Seconds to verify: every check against one sparse product that counts all pairs of the same records.

Releases are made by `identity` with k = 1, so that nothing is shortened by generalization. CPU seconds and peak memory.
Run: python bench/bench_verify.py
"""

import os
import resource
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from anonset.algorithms.identity import Identity
from anonset.algorithms.nonreciprocal.nr_k import NrKWalks
from anonset.data import read
from anonset.model.dataset import Dataset
from anonset.model.guarantees import CompleteK, Constraints, KAnonymity, KKm, KLm, KmAnonymity, NrK
from anonset.verify import verify
from lookalikes import like_bms_pos

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))


def cpu(job):
    before = time.process_time()
    result = job()
    return time.process_time() - before, result


def pair_product(transactions):
    """The baseline: the supports of all pairs as one sparse product."""
    ones = np.ones(len(transactions.items), np.int32)
    x = sparse.csr_array((ones, transactions.items, transactions.offsets), (len(transactions), len(transactions.domain)))
    return x.T.tocsr() @ x


def line(name, what, seconds, baseline, note):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    ratio = f"{seconds / baseline:8.1f} x pairs" if baseline else " " * 16
    print(f"{name:18} {what:34} {seconds:8.2f} s {ratio}  peak {peak:6.0f} MB  {note}")
    sys.stdout.flush()


def checks(name, data, guarantees):
    """Time each guarantee on the data as they are, then truthfulness."""
    baseline, _ = cpu(lambda: pair_product(data.transactions)) if data.transactions is not None else (0.0, None)
    release = Identity(1, 1).anonymize(data)
    for guarantee in guarantees:
        seconds, verdict = cpu(lambda g=guarantee: verify(data, release, [g], truthful=False))
        finding = verdict.findings[0]
        shown = str(guarantee) if len(str(guarantee)) < 34 else guarantee.id
        line(
            name,
            shown,
            seconds,
            baseline,
            f"holds {finding.holds}, violations {finding.violations:,}, support {finding.support}",
        )
    seconds, verdict = cpu(lambda: verify(data, release, []))
    line(name, "truthful", seconds, baseline, f"holds {verdict.holds}")


def itemsets(transactions, n, size, seed=0):
    """Random sets of items that occur together."""
    rng = np.random.default_rng(seed)
    long = np.flatnonzero(transactions.lengths >= size)
    found = set()
    for r in rng.choice(long, n):
        items = transactions.items[transactions.offsets[r] : transactions.offsets[r + 1]]
        found.add(tuple(transactions.domain[i] for i in sorted(rng.choice(items, size, replace=False))))
    return tuple(found)


def nonreciprocal(name, transactions, k):
    data = Dataset(transactions=transactions)
    release = NrKWalks(k, seed=1).anonymize(data)
    seconds, verdict = cpu(lambda: verify(data, release, [NrK(k)]))
    line(name, f"nr-k (k={k}) and truthful", seconds, None, f"holds {verdict.holds}")


def main():
    if DATA.is_dir():
        for name in ("bms_webview_2", "bms_webview_1", "chess"):
            data = read(DATA / "transactions" / f"{name}.dat.gz")
            listed = Constraints(1, itemsets(data.transactions, 100_000, 2))
            checks(name, data, [KmAnonymity(1, 2), KmAnonymity(1, 3), CompleteK(1), KmAnonymity(1, 1000), listed])
        patients = read(DATA / "rt" / "informs05.csv.gz")
        secret = patients.transactions.domain[::20]
        checks("informs05", patients, [KAnonymity(1), KKm(1, 2), KLm(1, 2, 1, secret)])
        nonreciprocal("chess", read(DATA / "transactions" / "chess.dat.gz").transactions, 10)
    else:
        print(f"the real datasets are not at {DATA}; set ANONSET_DATA to where they are")
    pos = like_bms_pos()
    checks("like BMS-POS", Dataset(transactions=pos), [KmAnonymity(1, 2), KmAnonymity(1, 3), CompleteK(1)])
    nonreciprocal("like BMS-POS, 1/10", pos.take(np.arange(0, len(pos), 10)), 5)


if __name__ == "__main__":
    main()
