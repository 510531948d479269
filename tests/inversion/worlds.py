"""All small datasets, what an algorithm publishes of each, and what somebody who knows the algorithm learns from that.

The attacker holds a release, knows the algorithm with its parameters and the hierarchy, and knows at most m items of a person
who is in the data; of the other records nothing is known. Of all worlds (datasets of n records over d items) that lead to the
same release, those in which some record holds the known items are possible; the person may be behind every published record
that belongs to such a record in one of them. Fewer than k candidates break the promise for this attacker, although the release
keeps it for everybody who does not know the algorithm (Wong et al., "Minimality attack in privacy preserving data publishing",
VLDB 2007; Cohen, "Attacks on deidentification's defenses", USENIX Security 2022).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations, combinations_with_replacement, product
from string import ascii_lowercase
from typing import Any

import numpy as np

from anonset.algorithms import make
from anonset.errors import InfeasibleError
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import UncertainItems

Itemset = tuple[str, ...]
World = tuple[Itemset, ...]
Shown = tuple[Itemset, ...]  # the labels of a published record, each as the items that it stands for


@dataclass(frozen=True)
class Tally:
    """How many attackers there are, how many are left with fewer than k candidates, and the worst of them."""

    worlds: int
    infeasible: int
    releases: int
    attackers: int
    below: int
    fewest: int
    example: str


def subsets(items: Itemset, least: int, most: int) -> Iterator[Itemset]:
    return chain.from_iterable(combinations(items, size) for size in range(least, most + 1))


def worlds(records: int, items: int) -> Iterator[World]:
    """Every dataset of that many records, none of them empty, in one order of its records."""
    names = tuple(ascii_lowercase[:items])
    return combinations_with_replacement(tuple(subsets(names, 1, items)), records)


def binary_tree(items: int) -> Hierarchy:
    """A tree that joins neighbours two by two up to one root."""
    labels, parent, level = list(ascii_lowercase[:items]), [-1] * items, list(range(items))
    while len(level) > 1:
        above = []
        for start in range(0, len(level), 2):
            pair = level[start : start + 2]
            if len(pair) == 1:
                above += pair
                continue
            for child in pair:
                parent[child] = len(labels)
            above.append(len(labels))
            labels.append(f"N{len(labels)}")
            parent.append(-1)
        level = above
    return Hierarchy(tuple(labels), np.array(parent, np.int32))


def published(world: World, algorithm: str, parameters: Mapping[str, Any], tree: Hierarchy) -> list[Shown] | None:
    """What is shown of each record of the world, in its order; None where the algorithm finds no release."""
    data = Dataset(transactions=Transactions.from_records(world, domain=tree.leaves)).with_item_hierarchy(tree)
    try:
        release = make(algorithm, parameters).anonymize(data)
    except InfeasibleError:
        return None
    items = release.items
    assert items is not None
    if isinstance(items, UncertainItems):
        return _uncertain(items, release.rows)
    groups = [tuple(items.domain[i] for i in group) for group in items.labels.groups()]
    shown: list[Shown] = [()] * len(world)
    for p, row in enumerate(release.rows):
        shown[row] = tuple(sorted(groups[a] for a in items.shown[items.offsets[p] : items.offsets[p + 1]]))
    return shown


def _uncertain(items: UncertainItems, rows: Rows) -> list[Shown]:
    """Of each record the base, the uncertain items, and how many are wrong at most."""
    shown: list[Shown] = [()] * len(items)
    for p, row in enumerate(rows):
        base = items.base[items.base_offsets[p] : items.base_offsets[p + 1]]
        distance = items.distance[items.distance_offsets[p] : items.distance_offsets[p + 1]]
        names = (tuple(items.domain[i] for i in some) for some in (base, distance))
        shown[row] = (*names, (str(items.threshold[p]),))
    return shown


def draw(
    world: World, algorithm: str, parameters: Mapping[str, Any], tree: Hierarchy, *, times: int, rng: np.random.Generator
) -> Iterator[list[Shown]]:
    """What an algorithm that draws by chance shows of a world, so many times."""
    for seed in rng.integers(2**31, size=times).tolist():
        if (shown := published(world, algorithm, {**parameters, "seed": seed}, tree)) is not None:
            yield shown


def invert(
    algorithm: str,
    parameters: Mapping[str, Any],
    *,
    records: int = 5,
    items: int = 4,
    k: int = 2,
    m: int = 2,
    seeds: int = 0,
) -> Tally:
    """Publish every world, and count the candidates that each attacker is left with.

    With `seeds` the algorithm draws by chance: so many are tried, and what leads to a release with one of them is possible.
    """
    draws: list[dict[str, int]] = [{"seed": seed} for seed in range(seeds)] or [{}]
    tree, total, infeasible = binary_tree(items), 0, 0
    behind: dict[Shown, dict[Itemset, set[Shown]]] = defaultdict(lambda: defaultdict(set))
    for world, seed in product(worlds(records, items), draws):
        total += 1
        shown = published(world, algorithm, {**parameters, **seed}, tree)
        if shown is None:
            infeasible += 1
            continue
        known_to = behind[tuple(sorted(shown))]
        for held, record in zip(world, shown, strict=True):
            for known in subsets(held, 0, m):
                known_to[known].add(record)
    attackers, below, fewest, example = 0, 0, records, ""
    for release, known_to in behind.items():
        times = Counter(release)
        for known, possible in known_to.items():
            candidates = sum(times[record] for record in possible)
            attackers, below = attackers + 1, below + (candidates < k)
            if candidates < min(k, fewest):
                example = f"{release}: who has {known} is one of {candidates}"
            fewest = min(fewest, candidates)
    return Tally(total, infeasible, len(behind), attackers, below, fewest, example)
