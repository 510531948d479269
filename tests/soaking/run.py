"""Random releases against brute force: python -m soaking.run SECONDS [SEED [RELEASES]] (with tests/ on the path).

Small random data, every algorithm with random parameters, written whole; an attacker who shares nothing with the product
reads the files and must find k people or nobody, and every published value must hold the one it stands for.
A process a core; RELEASES ends it before SECONDS do.
"""

import csv
import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random, SystemRandom

import anonset
from anonset import threads
from anonset.algorithms import ALGORITHMS
from anonset.errors import AnonsetError, GuaranteeViolated
from anonset.model.parameters import parameters
from anonset.model.release import Accepted
from anonset.releases.publish import publish
from attacker import fewest_candidates, holds_truly, published_records


def people(random):
    """Random records of two columns and up to four items, with as many different values as make groups small."""
    n, towns, items = random.randint(6, 26), random.randint(1, 6), "abcdefgh"[: random.randint(2, 8)]
    ages = random.randint(1, 9)
    return [
        {
            "age": str(20 + random.randrange(ages)),
            "town": f"t{random.randrange(towns)}",
            "codes": {random.choice(items) for _ in range(random.randint(0, 4))},
        }
        for _ in range(n)
    ]


def rows_of(random, everybody):
    """The rows of people who have several, each with some of the items, in any order: (person, codes)."""
    found = []
    for number, person in enumerate(everybody):
        parts = [set() for _ in range(random.randint(1, 3))]
        for item in person["codes"]:
            random.choice(parts).add(item)
        found += [(number, part) for part in parts]
    random.shuffle(found)
    return found


def chosen(random, name, k, m):
    """Random values for what the algorithm takes: its size, its choices and its switches."""
    values = {}
    for p in parameters(ALGORITHMS[name]):
        if p.name in ("k", "l") and (p.required or p.name == "k"):
            values[p.name] = k
        elif p.name == "m":
            values["m"] = m
        elif p.name == "seconds":
            values["seconds"] = 0.05
        elif p.name == "seed":
            values["seed"] = random.randrange(100)
        elif p.choices and random.random() < 0.4:
            values[p.name] = random.choice(p.choices)
        elif p.kind is bool and random.random() < 0.3:
            values[p.name] = random.random() < 0.5
        elif p.name == "delta":
            values["delta"] = round(random.random(), 2)
    return values


def released(random, name, everybody, folder, k, m, format="jsonl"):
    """Write the people to t.csv and a release of them to out/: values chosen, quasi columns, column of items, rows' people.

    Half of the tables have several rows a person, tied by a number that the data are read with as their key.
    """
    several = random.random() < 0.5
    rows_ = rows_of(random, everybody) if several else [(n, p["codes"]) for n, p in enumerate(everybody)]
    ill = [random.randrange(4) for _ in everybody]
    covered = ALGORITHMS[name].covers
    quasi, items = ("age", "town") if "quasi" in covered else (), "codes" if "items" in covered else None
    secret = any(p.name == "l" and p.required for p in parameters(ALGORITHMS[name]))
    with (folder / "t.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["nr", "age", "town", "codes", "ill"])
        facts = [(n, everybody[n]["age"], everybody[n]["town"], "|".join(sorted(part)), ill[n]) for n, part in rows_]
        rows.writerows(facts)
    roles = {"quasi": quasi, "items": (items,) if items else (), "sensitive": ("ill",) if secret else ()}
    roles["identifier"] = [c for c in ("age", "town", "codes", "ill") if c not in (*quasi, items, *roles["sensitive"])]
    more = {"item_hierarchy": "balanced:2", "item_separator": "|"} if items else {}
    more |= {"key": "nr"} if several else {}
    values = chosen(random, name, k, m)
    data = anonset.read(folder / "t.csv", kinds={"age": "numeric"} if quasi else {}, **roles, **more)
    release, accepted = anonset.anonymize(data, name, **values), Accepted(loss=True)
    publish(data, release, folder / "out", format=format, overwrite=True, measures=(), accepted=accepted)
    return values, quasi, items, list(dict.fromkeys(n for n, _ in rows_))


def soak_once(random, folder, tally):
    """One release: what became of it, or what is wrong with it."""
    k, m = random.randint(2, 4), random.randint(1, 3)
    name = random.choice([name for name in ALGORITHMS if name != "identity"])
    everybody = people(random)
    try:
        values, quasi, items, people_of = released(random, name, everybody, folder, k, m)
    except AnonsetError as error:
        tally[f"refused: {type(error).__name__}"] += 1
        if isinstance(error, GuaranteeViolated):  # fails closed, and should not have come to that
            print(f"{name} k={k} m={m} on {everybody}: {error}", file=sys.stderr, flush=True)
        return ""
    tally["releases"] += 1
    records = published_records(folder / "out")
    rows = [int(row) for row in (folder / "out/private/rows.csv").read_text().split()[1:]]
    whose = [people_of[row] for row in rows]  # people are numbered in the order of their first rows
    found = fewest_candidates(everybody, records, quasi=quasi, items=items, m=m, whose=whose)
    told = f"{name} {values} on {everybody}"
    if found < k:
        return f"BREACH: {found} candidates: {told}"
    names = (*quasi, items) if items else quasi
    if not all(holds_truly(record, everybody[who], names) for record, who in zip(records, whose, strict=True)):
        return f"UNTRUE: {told}"
    return ""


def soak(seconds, seed, most=10**9):
    """How many releases were made, so many at most, and refused, and everything that is wrong."""
    random, tally, wrong = Random(seed), Counter(), []
    until, told_at = time.monotonic() + seconds, time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        while time.monotonic() < until and tally["releases"] < most:
            if told := soak_once(random, Path(place), tally):
                wrong.append(told)
            if time.monotonic() > told_at + 60:
                told_at = time.monotonic()
                print(f"{tally['releases']:,} releases, {len(wrong)} wrong", file=sys.stderr, flush=True)
    return tally, wrong


def share_of(seconds, seed, most):
    """What one of several processes does: threads would only be in each other's way."""
    threads.THREADS = 1
    return soak(seconds, seed, most)


def soak_side_by_side(seconds, seed, most):
    """The same by a process a core, each with a seed of its own."""
    n = os.cpu_count() or 1
    tally, wrong = Counter(), []
    with ProcessPoolExecutor(n, mp_context=get_context("spawn")) as pool:
        for found, bad in pool.map(share_of, [seconds] * n, [f"{seed}/{p}" for p in range(n)], [-(-most // n)] * n):
            tally += found
            wrong += bad
    return tally, wrong


if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3_600.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else SystemRandom().randrange(10**9)
    tally, wrong = soak_side_by_side(seconds, seed, int(sys.argv[3]) if len(sys.argv) > 3 else 10**9)
    print(f"seed {seed}: {tally['releases']:,} releases, {len(wrong)} of them breached or untrue")
    print(*(f"  {count:,} {what}" for what, count in sorted(tally.items()) if what != "releases"), *wrong[:10], sep="\n")
    sys.exit(bool(wrong))
