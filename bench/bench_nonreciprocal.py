"""Speed of nonreciprocal recoding: walks against backtracking, the steps on a Pumsb look-alike, growth with the records.

CPU seconds with warm kernels. The walks see a ring and never the items, so chess times x is a ring of x * 3,196 places.
Run: python bench/bench_nonreciprocal.py [RECORDS] > bench/results/nonreciprocal_speed.md. RECORDS (500,000) is the largest.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

from anonset.algorithms import make
from anonset.algorithms.nonreciprocal._kernels.voting import vote
from anonset.algorithms.nonreciprocal.order import gray_tsp_tour
from anonset.algorithms.nonreciprocal.rings import Chance, Rings, walked_assignments
from anonset.data import read
from anonset.kernels.gray import gray_order
from anonset.model.dataset import Column, Dataset, Transactions
from lookalikes import like_occupations, like_pumsb, zipf

WALKS = ("halving", "closed", "backtracking")
DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))


def silent(share):
    pass


def cpu(job, times=1):
    best = float("inf")
    for _ in range(times):
        before = time.process_time()
        job()
        best = min(best, time.process_time() - before)
    return best


def walking(n, k, walk, times=1):
    rings = Rings.of([np.arange(n)])
    return cpu(lambda: walked_assignments(rings, k, walk, Chance(1), silent), times)


def head(title, *columns):
    print(f"\n## {title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")


def line(*cells):
    print(
        "| " + " | ".join(f"{c:,}" if isinstance(c, int) else f"{c:.2f}" if isinstance(c, float) else c for c in cells) + " |",
        flush=True,
    )


def walks():
    head(
        "Walks, k = 16, chess times 1 to 16 ([004] figure 7b)",
        "records",
        *WALKS,
        "backtracking / closed",
        "backtracking / halving",
    )
    for times in (1, 2, 4, 8, 16):
        n = 3_196 * times
        halving, closed, back = (walking(n, 16, walk, 3) for walk in WALKS)
        line(n, halving, closed, back, back / closed, back / halving)
    head("Walks, 49,046 records ([004] figure 7a)", "k", *WALKS, "backtracking / closed", "backtracking / halving")
    for k in (2, 4, 8, 16):
        halving, closed, back = (walking(49_046, k, walk) for walk in WALKS)
        line(k, halving, closed, back, back / closed, back / halving)


def steps():
    t, k = like_pumsb(), 16
    n = len(t)
    members = ((np.arange(n)[:, None] - np.arange(k)) % n).astype(np.int32).ravel()
    head("Steps on a look-alike of Pumsb, k = 16", "step", "s")
    line("Gray order", cpu(lambda: gray_order(t.offsets, t.items), 3))
    line("Gray order and one round of local search", cpu(lambda: gray_tsp_tour(t, 1, silent)))
    line("Gray order and three rounds", cpu(lambda: gray_tsp_tour(t, 3, silent)))
    line("halving", walking(n, k, "halving"))
    line("closed walks", walking(n, k, "closed"))
    line("bit voting", cpu(lambda: vote(t.offsets, t.items, np.arange(n + 1) * k, members, 2 * t.supports > n)))


def growth(largest):
    head(
        "Growth, 20 items a record of 1,000, k = 5",
        "records",
        "nr-k, rounds=1",
        "nr-k",
        "nr-l (l = 5)",
        "nr-k, s / 100,000 records",
    )
    for n in [largest // 16, largest // 8, largest // 4, largest // 2, largest]:
        data = baskets(n)
        once, thrice, diverse = (
            cpu(lambda name=name, values=values, data=data: make(name, {**values, "seed": 1}).anonymize(data))
            for name, values in (("nr-k", {"k": 5, "rounds": 1}), ("nr-k", {"k": 5}), ("nr-l", {"l": 5}))
        )
        line(n, once, thrice, diverse, 1e5 * thrice / n)


def baskets(n):
    """Records of 20 different items, most of them from the third of the domain that their kind prefers."""
    rng = np.random.default_rng(n)
    first = rng.integers(0, 900, n)
    rows = np.sort((first[:, None] + np.cumsum(1 + zipf(rng, 30, n * 20, 0.0).reshape(n, 20), axis=1)) % 1_000, axis=1)
    t = Transactions(np.arange(n + 1, dtype=np.int64) * 20, rows.astype(np.int32).ravel(), tuple(map(str, range(1_000))))
    job = Column("occupation", "sensitive", "categorical", like_occupations(n), tuple(map(str, range(470))))
    return Dataset((job,), t)


def diversity():
    chess = read(DATA / "transactions" / "chess.dat.gz").transactions
    head(
        "l = 6, chess times 1 to 16, copies with one item in twenty changed ([004] figure 7c)",
        "records",
        "cahd",
        "nr-l",
        "nr-l / cahd",
    )
    for times in (1, 2, 4, 8, 16):
        data = copies(chess, times)
        theirs, ours = (
            cpu(lambda name=name, data=data: make(name, {"l": 6, "seed": 1}).anonymize(data)) for name in ("cahd", "nr-l")
        )
        line(len(data), theirs, ours, ours / theirs)


def copies(t, times):
    rng = np.random.default_rng(times)
    bits = np.zeros((len(t), len(t.domain)), np.bool_)
    bits[np.repeat(np.arange(len(t)), t.lengths), t.items] = True
    bits = np.tile(bits, (times, 1))
    bits[len(t) :] ^= rng.random(bits[len(t) :].shape) < 0.025
    record, item = np.nonzero(bits)
    offsets = np.searchsorted(record, np.arange(len(bits) + 1)).astype(np.int64)
    job = Column("occupation", "sensitive", "categorical", like_occupations(len(bits)), tuple(map(str, range(470))))
    return Dataset((job,), Transactions(offsets, item.astype(np.int32), t.domain))


def main():
    print("# Nonreciprocal recoding: how fast")
    warm = baskets(2_000)
    for walk in WALKS:
        walking(100, 6, walk)
    for name, letter in (("nr-k", "k"), ("nr-l", "l"), ("cahd", "l")):
        make(name, {letter: 4}).anonymize(warm)
    walks()
    steps()
    diversity()
    growth(int(sys.argv[1]) if len(sys.argv) > 1 else 500_000)


if __name__ == "__main__":
    main()
