"""The same for columns: all small tables of a quasi column and a sensitive one, and what who knows the algorithm learns.

The attacker knows the algorithm and the quasi value of a person. Fewer than k candidates are left where few published records
are the person's in some table that leads to the release; a secret is told where all of these show the same sensitive value
(minimality: Wong et al., "Minimality attack in privacy preserving data publishing", VLDB 2007).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from anonset.algorithms import make
from anonset.errors import InfeasibleError
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import plant_paths
from anonset.model.labels import Ranges

Person = tuple[str, str]
Shown = tuple[tuple[str, ...], str]
TREE = plant_paths([("p", "pq"), ("q", "pq"), ("r", "rs"), ("s", "rs")])


@dataclass(frozen=True)
class ColumnTally:
    """Attackers, those with fewer than k candidates, and those who are told the secret of a person for certain."""

    releases: int
    attackers: int
    below: int
    told: int
    example: str


def tables(records: int, values: int, secrets: int) -> list[tuple[Person, ...]]:
    """Every table of that many people, in one order of them."""
    people = list(product("pqrs"[:values], "xyz"[:secrets]))
    return list(combinations_with_replacement(people, records))


def dataset_of(table: tuple[Person, ...]) -> Dataset:
    """The table as a dataset."""
    secrets = sorted({secret for _, secret in table})
    quasi = Column("quasi", "quasi", "categorical", np.array([TREE.leaves.index(v) for v, _ in table], np.int32), TREE.leaves,
                   None, TREE)  # fmt: skip
    hidden = Column(
        "secret", "sensitive", "categorical", np.array([secrets.index(s) for _, s in table], np.int32), tuple(secrets)
    )
    return Dataset((quasi, hidden))


def shown_columns(table: tuple[Person, ...], algorithm: str, parameters: Mapping[str, Any]) -> list[Shown] | None:
    """What is shown of each person; None where the algorithm finds no release."""
    data = dataset_of(table)
    try:
        release = make(algorithm, parameters).anonymize(data)
    except InfeasibleError:
        return None
    column = release.quasi[0]
    assert not isinstance(column.labels, Ranges)
    groups = [tuple(TREE.leaves[c] for c in group) for group in column.labels.groups()]
    shown: list[Shown] = [((), "")] * len(table)
    for p, row in enumerate(release.rows.tolist()):
        shown[row] = (groups[column.codes[p]], table[row][1])
    return shown


def invert_columns(
    algorithm: str,
    parameters: Mapping[str, Any],
    *,
    records: int = 5,
    values: int = 3,
    secrets: int = 2,
    k: int = 2,
    register: bool = False,
) -> ColumnTally:
    """Publish every table, and count what each attacker is left with.

    With a `register` attackers also know the quasi values of everybody else. Where the parameters have a `seed`, six seeds are
    tried, and tables that lead to a release with one of them are possible.
    """
    behind: dict[Any, dict[str, set[Shown]]] = defaultdict(lambda: defaultdict(set))
    seeds = [{"seed": seed} for seed in range(6)] if "seed" in parameters else [{}]
    for table, seed in product(tables(records, values, secrets), seeds):
        shown = shown_columns(table, algorithm, {**parameters, **seed})
        if shown is None:
            continue
        known_to = behind[tuple(sorted(shown)), tuple(v for v, _ in table) if register else ()]
        for (value, _), record in zip(table, shown, strict=True):
            known_to[value].add(record)
    attackers = below = told = 0
    example = ""
    for (release, _), known_to in behind.items():
        times = Counter(release)
        for value, possible in known_to.items():
            few, certain = sum(times[record] for record in possible) < k, len({secret for _, secret in possible}) == 1
            attackers, below, told = attackers + 1, below + few, told + certain
            if few or certain:
                example = f"{release}: who has {value} is one of {sorted(possible)}"
    return ColumnTally(len(behind), attackers, below, told, example)
