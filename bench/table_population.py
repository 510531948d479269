"""What is gained where people of the population are counted: samples of three datasets, with and without their population.

Of each dataset samples of 1, 2, 5 and 10 % are drawn, and the whole is the population. `exact` is the share of items
that are shown exactly (for mondrian: of values), `pairs off by` the mean relative error of counts of pairs that 1 % of the
sample have (a label of n items counts 1/n for each), `fewest` what somebody finds who knows that a person is in the file.
Every release is verified. Run: python bench/table_population.py [DATASET ...]. Writes bench/results/population.md.
"""

import gzip
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from scipy import sparse

import anonset
from anonset.measure.coded_release import members_in_original
from anonset.measure.information_loss import exact_items
from anonset.measure.risk import smallest_protected

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
OUT = Path(__file__).parent / "results" / "population.md"
TREES = {
    "informs05": DATA / "rt" / "informs05_hierarchies" / "items.csv",
    "bms_webview_2": DATA / "hierarchies" / "bms_webview_2.csv",
    "groceries": DATA / "hierarchies" / "groceries.csv",
}
SHARES = (0.01, 0.02, 0.05, 0.1)
KS = (5, 11)
COMMON = 0.01
QUASI = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")


def records(name):
    """The whole dataset as a table."""
    if name == "informs05":
        return pl.read_csv(DATA / "rt" / "informs05.csv.gz", infer_schema=False).select(*QUASI, "items")
    with gzip.open(DATA / "transactions" / f"{name}.dat.gz", "rt") as file:
        return pl.DataFrame({"items": file.read().splitlines()})


def pair_error(data, release):
    """Mean relative error of the counts of common pairs."""
    t, items, labels = data.transactions, release.items, release.items.labels
    held = sparse.csr_array((np.ones(len(t.items)), t.items, t.offsets), (len(t), len(t.domain)))
    pairs = sparse.triu(held.T @ held, k=1).tocoo()
    common = pairs.data >= COMMON * len(t)
    first, second, actual = pairs.row[common], pairs.col[common], pairs.data[common]
    shown = sparse.csr_array((np.ones(len(items.shown)), items.shown, items.offsets), (len(items), len(labels)))
    weights = np.repeat(1.0 / labels.sizes, labels.sizes)
    stands = sparse.csr_array((weights, members_in_original(data, items), labels.offsets), (len(labels), len(t.domain)))
    counts = (shown @ stands).tocsc()
    guess = np.array([(counts[:, [a]] * counts[:, [b]]).sum() for a, b in zip(first, second, strict=True)])
    return float(np.mean(np.abs(guess - actual) / actual)) if len(actual) else float("nan")


def figures(data, algorithm, k):
    """Exact items or values, the error of pairs, the fewest in the file, and the verdict."""
    release = anonset.anonymize(data, algorithm, k=k, **({} if algorithm == "mondrian" else {"m": 2}))
    holds = release.verify().holds
    fewest = smallest_protected(data, release, release.guarantees[0])
    if algorithm == "mondrian":
        return release.measure(["exact-values"])["exact-values"], release.measure(["ncp"])["ncp"], fewest, holds
    return exact_items(data, release), pair_error(data, release), fewest, holds


def rows_of(name, folder, rng):
    """The lines of the table for one dataset."""
    whole = records(name)
    whole.write_csv(folder / "all.csv")
    for share in SHARES:
        sample = whole[np.sort(rng.choice(len(whole), round(share * len(whole)), replace=False))]
        for algorithm in ("lift", "aa", *(["mondrian"] if name == "informs05" else [])):
            given = (
                {"quasi": QUASI, "items": ()} if algorithm == "mondrian" else {"items": "items", "item_hierarchy": TREES[name]}
            )
            given |= {"item_separator": " "}
            alone = anonset.read(sample, **given)
            counted = anonset.read(sample, population=folder / "all.csv", **given)
            for k in KS:
                cells = [figures(data, algorithm, k) for data in (alone, counted)]
                exact = " | ".join(f"{cell[0]:.1%}" for cell in cells)
                errors = " | ".join(f"{cell[1]:.3f}" for cell in cells)
                holds = "yes" if all(cell[3] for cell in cells) else "NO"
                yield f"| {name} | {share:.0%} | {algorithm} | {k} | {exact} | {errors} | {cells[1][2]} | {holds} |"


def main():
    names = sys.argv[1:] or list(TREES)
    lines = [
        "| dataset | sample | algorithm | k | exact | with population | pairs off by (mondrian: NCP) | with population "
        "| fewest in the file | holds |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for line in rows_of(name, Path(folder), np.random.default_rng(37)):
                print(line, flush=True)
                lines.append(line)
    OUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
