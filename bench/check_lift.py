"""Thousands of small random releases of lift, each checked by brute force: all residues, aims, clusters and sensitive items.

Run: python bench/check_lift.py [RELEASES [SEED]]
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from anonset.algorithms import make
from anonset.errors import InfeasibleError
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.hierarchy import plant
from oracles.lifting import breaches


def random_tree(rng, names):
    """A tree of random groups, some of them of one child."""
    labels, parent, level = list(names), [-1] * len(names), list(range(len(names)))
    while len(level) > 1:
        groups = np.array_split(np.array(level), max(1, int(rng.integers(1, max(2, len(level))))))
        level = []
        for group in groups:
            if len(group) == 1 and rng.random() < 0.5:
                level.append(int(group[0]))
            else:
                for child in group:
                    parent[child] = len(labels)
                level.append(len(labels))
                labels.append(f"N{len(labels)}")
                parent.append(-1)
    return plant(labels, parent, level[0])


def random_dataset(rng, *, quasi):
    """Up to 40 records of up to 10 items, some of them more frequent than others, some sensitive."""
    d, n = int(rng.integers(1, 11)), int(rng.integers(2, 41))
    names = [chr(97 + i) for i in range(d)]
    share = rng.random(d) ** rng.integers(1, 4)
    records = [[name for name, p in zip(names, share, strict=True) if rng.random() < p] for _ in range(n)]
    columns = ()
    if quasi:
        values = np.sort(rng.choice(60, 4, replace=False)).astype(np.float64)
        codes = rng.integers(0, 4, n).astype(np.int32)
        columns = (Column("age", "quasi", "numeric", codes, tuple(f"{v:g}" for v in values), values),)
    data = Dataset(columns, Transactions.from_records(records, names))
    if rng.random() < 0.8:
        data = data.with_item_hierarchy(random_tree(rng, names))
    if rng.random() < 0.5:
        flags = rng.random(d) < 0.25
        data = Dataset(columns, data.transactions, data.item_hierarchy, flags)
    return data


def check(rng):
    """What kind of release was made, and what is wrong with it; nothing where there is none."""
    quasi = bool(rng.random() < 0.4)
    data = random_dataset(rng, quasi=quasi)
    k, m = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    if quasi:
        secret = data.sensitive_items is not None and data.sensitive_items.any()
        l = int(rng.integers(1, 4)) if secret else 1  # noqa: E741 - the papers' letter
        name = str(rng.choice(["r-first", "rmerge-rt", "tmerge-t"]))
        values = {"k": k, "m": m, "l": l, "items": "lift", "seed": 1} | ({"delta": 1.0} if name != "r-first" else {})
        kind, share = f"clusters, l {'> 1' if l > 1 else '= 1'}", 0.0
    else:
        residue, aim = str(rng.choice(["star", "drop"])), str(rng.choice(["queries", "ncp", "ul"]))
        share = float(rng.choice([0.1, 0.5, 1.0])) if residue == "drop" else 0.0
        l, name, kind = 1, "lift", f"{residue}, {aim}"  # noqa: E741
        values = {"k": k, "m": m, "residue": residue, "minimize": aim, "residue_limit": share}
    try:
        release = make(name, values).anonymize(data)
    except InfeasibleError:
        return None
    return kind, breaches(data, release, k, m, l, share)


def main(n=10_000, seed=0):
    made, wrong, s = Counter(), [], 0
    while made.total() < n:
        found = check(np.random.default_rng([seed, s]))
        s += 1
        if found is not None:
            made[found[0]] += 1
            wrong += [(s - 1, text) for text in found[1]]
    print(f"{made.total()} releases of {s} requests, {len(wrong)} breaches")
    for kind, count in sorted(made.items()):
        print(f"- {kind}: {count}")
    for text in wrong[:20]:
        print(text)
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
