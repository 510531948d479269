"""All small datasets against an attacker who knows the algorithm: python -m inversion.run [RECORDS [ITEMS]].

Prints a row for each algorithm that protects items and draws no random numbers, and for nr-k with twelve seeds: five records
over four items take minutes. Then one for each that protects columns and items: four people of two quasi values over three
items, and for some five people of one value over four items; these take longer.
"""

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields
from multiprocessing import get_context

from anonset.algorithms import ALGORITHMS
from inversion.rt import invert_people
from inversion.worlds import invert

K, M = 2, 2
VARIANTS = {"lift": ({}, {"minimize": "ncp"})}
SEARCH = {"steps": "3+2", "asks": 20}
PEOPLE = [
    ("rt-search", SEARCH),
    ("rt-search", SEARCH | {"items": "lift"}),
    ("rt-search", SEARCH | {"protect": "inversion"}),
    *((f"{kind}merge-{by}", {}) for kind in "rt" for by in ("r", "t", "rt")),
    ("r-first", {}),
    ("t-first", {}),
]
SEEDS, DRAWS = 2, 12
HEADER = ("algorithm", "different releases", "attackers", "with fewer than k candidates", "fewest candidates")


def cases():
    for id, algorithm in ALGORITHMS.items():
        if algorithm.covers == {"items"} and not algorithm.randomized:
            declared = {f.name for f in fields(algorithm)}
            promise = {name: value for name, value in {"k": K, "m": M}.items() if name in declared}
            for variant in VARIANTS.get(id, ({},)):
                yield id, promise, variant
    yield "nr-k", {"k": K}, {}


def row(case, records, items):
    id, promise, variant = case
    drawn = {"m": items, "seeds": DRAWS} if id == "nr-k" else {"m": M}  # who attacks nr-k knows all items
    found = invert(id, promise | variant, records=records, items=items, k=K, **drawn)
    name = " ".join([f"`{id}`", *(f"{name} = {value}" for name, value in variant.items())])
    return line((name, f"{found.releases:,}", f"{found.attackers:,}", f"{found.below:,}", found.fewest))


def row_of_people(case, records, items, values, seeds):
    id, variant = case
    start = time.perf_counter()
    found = invert_people(id, variant, records=records, items=items, values=values, seeds=seeds, k=K, m=M)
    name = " ".join([f"`{id}`", *(f"{name} = {value}" for name, value in variant.items() if name not in SEARCH)])
    cells = (name, f"{found.releases:,}", f"{found.attackers:,}", f"{found.below:,}", found.fewest)
    return line((*cells, f"{time.perf_counter() - start:.0f}"))


def line(cells):
    return f"| {' | '.join(map(str, cells))} |"


def print_rows(work, todo, header, *how):
    print(line(header), line(["---"] * len(header)), sep="\n")
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for text in pool.map(work, todo, *([value] * len(todo) for value in how)):
            print(text, flush=True)


def main(records=5, items=4):
    print(f"All datasets of {records} records over {items} items, k = {K}, m = {M}.\n")
    print_rows(row, list(cases()), HEADER, records, items)
    four, three = min(records, 4), min(items, 3)
    print(f"\nAll tables of {four} people of two quasi values over {three} items, seeds 0 to {SEEDS - 1}.\n")
    print_rows(row_of_people, PEOPLE, (*HEADER, "seconds"), four, three, 2, SEEDS)
    print(f"\nAll tables of {records} people of one quasi value over {items} items, seed 0.\n")
    print_rows(row_of_people, PEOPLE[1:4], (*HEADER, "seconds"), records, items, 1, 1)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
