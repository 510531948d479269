"""How often an estimate from a sampling share is wrong: samples of real data, compared with the whole they were drawn from.

An estimate says with 95 % confidence that nothing shown fits fewer than k people. In how many of 200 draws does something?
`records` are the records of the file that must show a set instead of k; `exact` is the mean share of exact items.
Run: python bench/check_population.py [DRAWS] [DATASET ...]. Writes bench/results/sampling.md.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import anonset
from anonset.measure.information_loss import exact_items
from anonset.verify import verify
from table_population import TREES, records

OUT = Path(__file__).parent / "results" / "sampling.md"
SETTINGS = ((0.02, 5), (0.02, 11), (0.1, 11))
BUILT = "balanced:5"  # a hierarchy that is built for each sample


def draw(whole, given, share, k, rng, everybody):
    """The number of sets that fit fewer than k people, the records that must show a set, and the exact share."""
    sample = whole[np.sort(rng.choice(len(whole), round(share * len(whole)), replace=False))]
    data = anonset.read(sample, sampling=share, **given)
    release = anonset.anonymize(data, "lift", k=k, m=2)
    (promise,) = release.guarantees
    counted = anonset.read(sample, population=everybody, **given)
    found = verify(counted, release, [replace(promise, population=len(whole), records=0)], truthful=False).findings[0]
    assert release.verify().holds
    return found.violations, promise.records, exact_items(data, release)


def rows_of(name, tree, draws, folder):
    """The lines of the table for one dataset and hierarchy."""
    whole = records(name).select("items")
    whole.write_csv(folder / "all.csv")
    for share, k in SETTINGS:
        rng = np.random.default_rng(37)
        found = []
        for _ in range(draws):
            given = {"items": "items", "item_separator": " ", "item_hierarchy": tree}
            found.append(draw(whole, given, share, k, rng, folder / "all.csv"))
        violations, needed, exact = map(np.array, zip(*found, strict=True))
        counts = f"{(violations > 0).sum()} of {draws} | {violations.sum()} | {needed.min()} to {needed.max()}"
        yield f"| {name}, {Path(tree).name} | {share:.0%} | {k} | {counts} | {exact.mean():.1%} |"


def main():
    draws, names = int(sys.argv[1]) if len(sys.argv) > 1 else 200, sys.argv[2:] or list(TREES)
    lines = ["| dataset, hierarchy | sample | k | draws with a wrong set | wrong sets | records | exact |"]
    lines.append("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for tree in (TREES[name], BUILT):
                for line in rows_of(name, tree, draws, Path(folder)):
                    print(line, flush=True)
                    lines.append(line)
    OUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
