"""Random releases of tables with several rows a person, against people counted by brute force from the original rows.

    python bench/check_people.py 20000

Each table is read with its key, published in memory by some algorithm (every 200th to disk), and then looked at as anybody
could: for every group of equal published quasi values, and in it for every set of at most m shown labels, the people behind
the records are counted. Who is behind a record is told from the rows of the table itself, not from what the reader made.
"""

import os
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path

import polars as pl

import anonset
from anonset import threads
from anonset.errors import AnonsetError

COLUMNS_ONLY = ("mondrian", "cluster")
WITH_ITEMS = (("aa", "km"), ("rmerge-r", "k-km"), ("rmerge-t", "k-km"), ("rt-search", "k-km"), ("lift", "km"))
KEYS = ("ref", "x", "customer", "badge", "patient_id", "number")
Place = tuple[object, ...]


def table(rng: random.Random, key: str) -> pl.DataFrame:
    """Rows of people: some values are theirs, others differ from row to row, and some rows lack them."""
    people, rows = rng.randint(8, 24), []
    for person in range(people):
        own = {"age": rng.randint(20, 40), "sex": rng.choice("mf"), "town": rng.choice(("Rome", "Bari", "Pisa"))}
        for _ in range(rng.choice((1, 1, 2, 3, 5))):
            row = {key: f"p{person * 7919 % 1000:03d}", **own, "diag": rng.choice("abcdefg")}
            if rng.random() < 0.1:
                row["age"] = own["age"] + rng.randint(1, 3)
            if rng.random() < 0.1:
                row["town"] = rng.choice(("Rome", "Bari", "Pisa", "Turin", None))
            rows.append(row)
    rng.shuffle(rows)
    return pl.DataFrame(rows)


def release_of(rng: random.Random, frame: pl.DataFrame, key: str) -> tuple[anonset.Release, int, int]:
    """A release of the gathered table, its k and its m (0 without items)."""
    k = rng.choice((2, 3, 4))
    roles = {"quasi": ["age", "sex", "town"]}
    if rng.random() < 0.4:
        data = anonset.read(frame.drop("diag"), key=key, items=[], **roles)
        return anonset.anonymize(data, rng.choice(COLUMNS_ONLY), k=k), k, 0
    algorithm, kind = rng.choice(WITH_ITEMS)
    m = rng.choice((1, 2))
    if kind == "km":
        data = anonset.read(frame.select(key, "diag"), key=key, items=["diag"], item_hierarchy="balanced:2")
        return anonset.anonymize(data, algorithm, k=k, m=m), k, m
    more = {"seconds": 0.05, "seed": 1} if algorithm == "rt-search" else {}
    data = anonset.read(frame, key=key, items=["diag"], item_hierarchy="balanced:2", **roles)
    return anonset.anonymize(data, algorithm, k=k, m=m, **more), k, m


def people_behind(release: anonset.Release, frame: pl.DataFrame, key: str) -> list[str]:
    """The person of each published record: people are numbered in the order in which their first rows come."""
    order = list(dict.fromkeys(frame[key].to_list()))
    return [order[row] for row in release.rows.tolist()]


def shown(release: anonset.Release) -> Iterator[tuple[Place, frozenset[object]]]:
    """What each record shows: quasi values and labels of items."""
    for r in range(len(release)):
        values = tuple(column.labels.texts[column.codes[r]] if column.codes[r] >= 0 else None for column in release.columns)
        items = release.items
        labels = () if items is None else items.shown[items.offsets[r] : items.offsets[r + 1]].tolist()
        yield values, frozenset(labels)


def fewest_people(release: anonset.Release, frame: pl.DataFrame, key: str, m: int) -> int:
    """The fewest distinct people of any group, or of any set of at most m labels in it."""
    at: dict[Place, set[str]] = defaultdict(set)
    for person, (values, labels) in zip(people_behind(release, frame, key), shown(release), strict=True):
        sizes = range(m + 1) if values else range(1, m + 1)
        for size in sizes:
            for some in combinations(sorted(labels, key=str), size):
                at[(values, some)].add(person)
    return min(map(len, at.values()), default=sys.maxsize)


def share_of(wanted: int, seed: int) -> tuple[int, int, int]:
    """So many releases: made, below k, and tables that were refused; threads would only be in each other's way."""
    threads.THREADS = 1
    rng = random.Random(seed)
    made = below = refused = 0
    while made < wanted:
        key = rng.choice(KEYS)
        frame = table(rng, key)
        try:
            release, k, m = release_of(rng, frame, key)
            release.to_polars(accept_loss=True)
            if made % 200 == 0:
                with tempfile.TemporaryDirectory() as folder:
                    release.write(Path(folder) / "out", report=False, accept_loss=True)
        except AnonsetError as error:
            refused += 1
            if refused > 10 + wanted:
                raise SystemExit(f"nearly everything is refused: {error}") from None
            continue
        made += 1
        below += fewest_people(release, frame, key, m) < k
    return made, below, refused


def main(wanted: int) -> int:
    """Make so many releases, a process a core, and say how many were below k."""
    n = os.cpu_count() or 1
    with ProcessPoolExecutor(n, mp_context=get_context("spawn")) as pool:
        shares = [(wanted + p) // n for p in range(n)]
        made, below, refused = (sum(parts) for parts in zip(*pool.map(share_of, shares, range(n)), strict=True))
    print(f"{made:,} releases, {below} below k ({refused:,} tables refused or without a solution)")
    return below


if __name__ == "__main__":
    raise SystemExit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000) else 0)
