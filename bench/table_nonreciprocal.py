"""Error rate and query error of gray-ring, nr-k, cahd and nr-l, as figure 6 of [004] has them.

Run: python bench/table_nonreciprocal.py [RECORDS] > bench/results/nonreciprocal.md. RECORDS cuts the second dataset short.
Every release is verified. Seconds are CPU seconds of the algorithm alone, with warm kernels.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

from anonset.algorithms import make
from anonset.data import read
from anonset.measure.uncertain import actual_counts, answers, draw_queries, er
from anonset.model.dataset import Column, Dataset
from anonset.verify import verify
from lookalikes import like_occupations, like_pumsb

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
VALUES = (2, 4, 8, 16)
PAIRS = (("gray-ring", "nr-k", "k"), ("cahd", "nr-l", "l"))
VARIANT = "nr-k, rings=many"  # ours, beside the paper's pairs


def with_occupations(transactions):
    codes = like_occupations(len(transactions))
    job = Column("occupation", "sensitive", "categorical", codes, tuple(f"occupation {c}" for c in range(470)))
    return Dataset((job,), transactions)


def query_errors(data, release, queries):
    """The error of both types by the base sets, then by the expected counts."""
    actual = np.array(actual_counts(data, release, queries))
    found = answers(release.items, queries)
    errors = {
        estimate: np.abs(actual - np.array([getattr(a, estimate) for a in found])) / len(release)
        for estimate in ("base", "expected")
    }
    half = len(queries) // 2
    return [float(errors[e][part].mean()) for e in errors for part in (slice(half), slice(half, None))]


def row(data, name, letter, value, queries):
    options = {"rings": "many"} if name == VARIANT else {}
    algorithm = make(name.split(",")[0], {letter: value, "seed": 1, **options})
    before = time.process_time()
    release = algorithm.anonymize(data)
    seconds = time.process_time() - before
    verify(data, release).require()
    return [er(data, release), *query_errors(data, release, queries), seconds]


def table(title, data, present, absent):
    queries = draw_queries(data, 500, present=present, absent=absent, seed=0)
    t, most = data.transactions, np.bincount(data.columns[0].codes).max()
    print(f"\n## {title}\n")
    print(f"{len(t):,} records, {len(t.domain):,} items, {t.lengths.mean():.0f} a record; an occupation is in {most} at most.")
    print(f"500 queries for {present} item{'s' * (present > 1)} present, 500 for {absent} absent, of random items.\n")
    print("| | k, l | ER | QE type I | QE type II | QE type I, expected | QE type II, expected | s |")
    print("|---|---|---|---|---|---|---|---|")
    kept = True
    for *names, letter in PAIRS:
        for value in VALUES:
            shown = [*names, VARIANT] if letter == "k" else names
            rows = [row(data, name, letter, value, queries) for name in shown]
            for name, cells in zip(shown, rows, strict=True):
                print(
                    f"| `{name}` | {value} | " + " | ".join(f"{x:.4f}" for x in cells[:5]) + f" | {cells[5]:.1f} |", flush=True
                )
            kept &= all(ours < theirs for theirs, ours in zip(*(cells[:3] for cells in rows[:2]), strict=True))
    said = "in every row" if kept else "not in every row"
    print(f"\nThe order of the paper's curves (nr-k below gray-ring, nr-l below cahd; ER, QE I, QE II) holds {said}.")


def main():
    chess = read(DATA / "transactions" / "chess.dat.gz").transactions
    for *names, letter in PAIRS:
        for name in names:
            make(name, {letter: 2, "seed": 1}).anonymize(with_occupations(chess))
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 49_046
    print("# Nonreciprocal recoding: what is lost\n")
    print("ER: wrong items over true items of a record. QE: error of counts over the number of records, by the base sets.")
    print("Expected: the same by expected counts over all sets that match (ours). Occupations are drawn from 470 values.")
    table("chess", with_occupations(chess), 3, 4)
    table("A look-alike of Pumsb", with_occupations(like_pumsb(records)), 1, 5)


if __name__ == "__main__":
    main()
