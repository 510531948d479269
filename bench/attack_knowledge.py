"""Other knowledge than items that somebody has: python bench/attack_knowledge.py [PEOPLE [SEED]].

Candidates are published records that fit; each row says how many attackers are left with fewer than k, and the least.
1. Items that a person is known not to have: the ones that exclude most candidates, besides one or two known items.
2. The number of items of the person, besides two known items: a record has at least as many items as labels that share none.
3. Releases of nr-k: all items of a person are known; the guess is the matching record whose base is nearest.
"""

import os
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

import anonset
from anonset.model.labels import UncertainItems

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
K, M, EACH = 5, 2, 15  # sets of known items that are tried for a person
HEAD = ("data", "algorithm", "knowledge", "attackers", "below k", "share", "least", "s")


def groceries():
    return anonset.read(DATA / "transactions" / "groceries.dat.gz")


def informs():
    table = pl.read_csv(DATA / "rt" / "informs05.csv.gz", infer_schema=False)
    return anonset.read(table.select("items").sample(5000, seed=0), items="items", item_separator=" ")


class Shown:
    """The published records as sets of labels, and labels as sets of items."""

    def __init__(self, release):
        items = release.items
        self.members = [frozenset(group.tolist()) for group in items.labels.groups()]
        self.labels = [items.shown[a:b].tolist() for a, b in zip(items.offsets[:-1], items.offsets[1:], strict=True)]
        record = np.repeat(np.arange(len(items)), np.diff(items.offsets))
        self.of_label = [np.sort(record[items.shown == a]) for a in range(len(items.labels))]
        self.n, self.rows = len(items), release.rows
        self.of_item = {}
        for a, group in enumerate(self.members):
            for i in group:
                self.of_item.setdefault(i, []).append(a)

    def having(self, known):
        """Which records show a label for each known item."""
        fitting = np.ones(self.n, bool)
        for i in known:
            holds = np.zeros(self.n, bool)
            for a in self.of_item.get(i, ()):
                holds[self.of_label[a]] = True
            fitting &= holds
        return np.flatnonzero(fitting)

    def worst_absent(self, candidates, held, count):
        """The candidates that are left when the items whose absence excludes most are known not to be held."""
        for _ in range(count):
            exact = {}
            for p in candidates:
                for a in self.labels[p]:
                    if len(self.members[a]) == 1 and not self.members[a] & held:
                        exact.setdefault(a, []).append(p)
            if not exact:
                break
            worst = max(exact.values(), key=len)
            candidates = np.setdiff1d(candidates, worst)
        return candidates

    def least_size(self, p):
        """A number of items that a record has at least: of labels, the narrowest first, that share no item."""
        seen, size = set(), 0
        for a in sorted(self.labels[p], key=lambda a: len(self.members[a])):
            if not self.members[a] & seen:
                seen |= self.members[a]
                size += 1
        return size


def print_row(data, algorithm, knowledge, left, start):
    left = np.array(left)
    below = int((left < K).sum())
    cells = [
        data,
        algorithm,
        knowledge,
        len(left),
        below,
        f"{below / len(left):.2%}",
        left.min(),
        f"{time.perf_counter() - start:.0f}",
    ]
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def attack(name, data, algorithm, settings, people, rng):
    """Negative knowledge and set sizes."""
    release = anonset.anonymize(data, algorithm, k=K, m=M, **settings)
    shown, t, start = Shown(release), data.transactions, time.perf_counter()
    least, most = (
        [shown.least_size(p) for p in range(shown.n)],
        [sum(len(shown.members[a]) for a in labels) for labels in shown.labels],
    )
    least, most = np.array(least), np.array(most)
    left = {
        words: [] for words in ("2 items", "1 item, 1 absent", "2 items, 1 absent", "2 items, 3 absent", "2 items, set size")
    }
    for row in rng.permutation(np.flatnonzero(t.lengths >= 2))[:people]:
        held = t.items[t.offsets[row] : t.offsets[row + 1]].tolist()
        for known in list(combinations(sorted(held, key=lambda i: t.supports[i]), 2))[:EACH]:
            candidates = shown.having(known)
            left["2 items"].append(len(candidates))
            left["1 item, 1 absent"].append(len(shown.worst_absent(shown.having(known[:1]), set(held), 1)))
            left["2 items, 1 absent"].append(len(shown.worst_absent(candidates, set(held), 1)))
            left["2 items, 3 absent"].append(len(shown.worst_absent(candidates, set(held), 3)))
            sized = (least[candidates] <= len(held)) & (most[candidates] >= len(held))
            left["2 items, set size"].append(int(sized.sum()))
    for words, counts in left.items():
        print_row(name, algorithm, words, counts, start)


def guess_assignments(name, data, people, rng):
    """How often the matching record with the nearest base is the person's own, and how often any matching one is."""
    start = time.perf_counter()
    release = anonset.anonymize(data, "nr-k", k=K)
    items, t = release.items, data.transactions
    assert isinstance(items, UncertainItems)
    base = [frozenset(items.base[a:b].tolist()) for a, b in zip(items.base_offsets[:-1], items.base_offsets[1:], strict=True)]
    loose = [
        frozenset(items.distance[a:b].tolist())
        for a, b in zip(items.distance_offsets[:-1], items.distance_offsets[1:], strict=True)
    ]
    place = np.empty(len(data), np.int64)
    place[release.rows] = np.arange(len(release))
    nearest, chance, matching = [], [], []
    for row in rng.permutation(len(data))[:people]:
        held = frozenset(t.items[t.offsets[row] : t.offsets[row + 1]].tolist())
        far = [(p, held ^ base[p]) for p in range(len(base))]
        fits = [(len(gap), p) for p, gap in far if gap <= loose[p] and len(gap) <= items.threshold[p]]
        least = min(fits)[0]
        closest = [p for gap, p in fits if gap == least]
        own = int(place[row])
        nearest.append((own in closest) / len(closest))
        chance.append(1 / len(fits))
        matching.append(len(fits))
    seconds = time.perf_counter() - start
    print(f"{name}, nr-k: own record by nearest base {np.mean(nearest):.1%}, by chance {np.mean(chance):.1%}, "
          f"least matching {min(matching)}, {len(matching)} people, {seconds:.0f} s", flush=True)  # fmt: skip


def main(people=300, seed=1):
    print(f"k = {K}, m = {M}, {people} people, seed {seed}\n\n| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
    for name, read in (("groceries", groceries), ("INFORMS, 5,000", informs)):
        data, rng = read(), np.random.default_rng(seed)
        for algorithm, settings in (("lift", {}), ("pcta", {})):
            attack(name, data, algorithm, settings, people, rng)
        guess_assignments(name, data.take(np.arange(3000)), people, rng)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
