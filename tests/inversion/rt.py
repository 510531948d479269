"""The same for columns and items together: all small tables of a quasi column and a set of items.

The attacker knows the algorithm, the quasi value of
a person and at most m of the items. Where an algorithm draws by chance, several seeds are tried, and tables that lead to a
release with one of them are possible.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from anonset.algorithms import ALGORITHMS, make
from anonset.errors import InfeasibleError
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.hierarchy import plant_paths
from inversion.worlds import Itemset, Tally, binary_tree, subsets

Person = tuple[str, Itemset]
Shown = tuple[tuple[str, ...], tuple[Itemset, ...]]
VALUES = plant_paths([("p",), ("q",)])


def tables(records: int, items: int, values: int = 2) -> list[tuple[Person, ...]]:
    """Every table of that many people, none of them without items, in one order of them."""
    people = list(product(VALUES.leaves[:values], subsets(tuple("abcdef"[:items]), 1, items)))
    return list(combinations_with_replacement(people, records))


def dataset_of(table: tuple[Person, ...], items: int) -> Dataset:
    """The table as a dataset, with hierarchies."""
    codes = np.array([VALUES.leaves.index(value) for value, _ in table], np.int32)
    column = Column("quasi", "quasi", "categorical", codes, VALUES.leaves, None, VALUES)
    tree = binary_tree(items)
    sets = Transactions.from_records([held for _, held in table], domain=tree.leaves)
    return Dataset((column,), sets).with_item_hierarchy(tree)


def shown_people(table: tuple[Person, ...], algorithm: str, parameters: Mapping[str, Any], items: int) -> list[Shown] | None:
    """What is shown of each person; None where the algorithm finds no release."""
    try:
        release = make(algorithm, parameters).anonymize(dataset_of(table, items))
    except InfeasibleError:
        return None
    column, sets = release.quasi[0], release.items
    assert sets is not None
    values = [tuple(VALUES.leaves[c] for c in group) for group in column.labels.groups()]
    groups = [tuple(sets.domain[i] for i in group) for group in sets.labels.groups()]
    shown: list[Shown] = [((), ())] * len(table)
    for p, row in enumerate(release.rows.tolist()):
        labels = tuple(sorted(groups[a] for a in sets.shown[sets.offsets[p] : sets.offsets[p + 1]]))
        shown[row] = (values[column.codes[p]], labels)
    return shown


def invert_people(
    algorithm: str,
    parameters: Mapping[str, Any],
    *,
    records: int = 4,
    items: int = 3,
    values: int = 2,
    seeds: int = 2,
    k: int = 2,
    m: int = 2,
) -> Tally:
    """Publish every table, and count the candidates that each attacker is left with."""
    behind: dict[Any, dict[Person, set[Shown]]] = defaultdict(lambda: defaultdict(set))
    total = infeasible = 0
    chance = [{"seed": seed} for seed in range(seeds)] if ALGORITHMS[algorithm].randomized else [{}]
    for table, seed in product(tables(records, items, values), chance):
        total += 1
        shown = shown_people(table, algorithm, {"k": k, "m": m, **parameters, **seed}, items)
        if shown is None:
            infeasible += 1
            continue
        known_to = behind[tuple(sorted(shown))]
        for (value, held), record in zip(table, shown, strict=True):
            for known in subsets(held, 0, m):
                known_to[value, known].add(record)
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
