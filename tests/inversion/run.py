"""All small datasets against an attacker who knows the algorithm: python -m inversion.run [RECORDS [ITEMS]].

Prints a row for each algorithm that protects items and draws no random numbers. Five records over four items take minutes.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields
from multiprocessing import get_context

from anonset.algorithms import ALGORITHMS
from inversion.worlds import invert

K, M = 2, 2
VARIANTS = {"lift": ({}, {"minimize": "ncp"})}
HEADER = ("algorithm", "different releases", "attackers", "with fewer than k candidates", "fewest candidates")


def cases():
    for id, algorithm in ALGORITHMS.items():
        if algorithm.covers == {"items"} and not algorithm.randomized:
            declared = {f.name for f in fields(algorithm)}
            promise = {name: value for name, value in {"k": K, "m": M}.items() if name in declared}
            for variant in VARIANTS.get(id, ({},)):
                yield id, promise, variant


def row(case, records, items):
    id, promise, variant = case
    found = invert(id, promise | variant, records=records, items=items, k=K, m=M)
    name = " ".join([f"`{id}`", *(f"{name} = {value}" for name, value in variant.items())])
    return line((name, f"{found.releases:,}", f"{found.attackers:,}", f"{found.below:,}", found.fewest))


def line(cells):
    return f"| {' | '.join(map(str, cells))} |"


def main(records=5, items=4):
    print(f"All datasets of {records} records over {items} items, k = {K}, m = {M}.\n")
    print(line(HEADER), line(["---"] * len(HEADER)), sep="\n")
    todo = list(cases())
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for text in pool.map(row, todo, [records] * len(todo), [items] * len(todo)):
            print(text, flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
