"""Sample attackers: the person that each one searches for, and the attacker's background knowledge."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np

from anonset.errors import ParameterError
from anonset.measure.workload import Query
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.sets import rows_of

ItemChoice = Literal["uniform", "rare-first", "most-identifying"]
ITEM_CHOICES: tuple[ItemChoice, ...] = get_args(ItemChoice)


@dataclass(frozen=True, slots=True)
class AttackerKnowledge:
    """The knowledge of one kind of attackers: whether the quasi values, how many items, and how these are chosen."""

    quasi: bool
    items: int
    choice: ItemChoice = "uniform"

    def __str__(self) -> str:
        parts = ["all quasi values"] if self.quasi else []
        parts += [f"{self.items} {'item' if self.items == 1 else 'items'} ({self.choice})"] if self.items else []
        return " and ".join(parts) or "nothing"


class Attacker(NamedTuple):
    """One attacker: the input row of the person, and the knowledge as a query that the person satisfies."""

    row: int
    known: Query


class Rarity:
    """The rarity of items, alone and together, for attackers who know rare items."""

    def __init__(self, original: Dataset) -> None:
        self.original = original
        self.supports = original.linkable.supports

    @cached_property
    def holders(self) -> list[Rows]:
        """Return the records that hold each item."""
        t = self.original.linkable
        order = np.argsort(t.items, kind="stable")
        return np.split(rows_of(t.offsets)[order], np.cumsum(t.supports)[:-1])

    def most_identifying(self, held: Ids, n: int) -> Ids:
        """Choose n items greedily, each the one that leaves the fewest matching records."""
        first = held[np.argmin(self.supports[held])]
        picked, left = [first], self.holders[first]
        while len(picked) < min(n, len(held)):
            rest = [i for i in held if i not in picked]
            shared = [np.intersect1d(left, self.holders[i], assume_unique=True) for i in rest]
            best = int(np.argmin([len(records) for records in shared]))
            picked.append(rest[best])
            left = shared[best]
        return np.array(picked, np.int32)


def sample_attackers(
    original: Dataset,
    knowledge: AttackerKnowledge,
    rows: Rows,
    n: int,
    rng: np.random.Generator,
    rarity: Rarity | None = None,
) -> list[Attacker]:
    """Return attackers of n random rows (of all rows if there are fewer), each with correct knowledge.

    `rarity` is that of all records if `original` is a sample of them.
    Of a person with too few items the attacker knows all; a person without items is no target of attackers who know items.
    """
    if knowledge.items and original.transactions is None:
        raise ParameterError("the data have no items to know")
    if knowledge.quasi and not original.quasi:
        raise ParameterError("the data have no quasi values to know")
    targets = rows
    if knowledge.items:
        targets = rows[original.linkable.lengths[rows] > 0]
    targets = rng.permutation(targets)[:n]
    chosen = [np.zeros(0, np.int32)] * len(targets)
    if knowledge.items:
        chosen = _chosen_items(original, knowledge, targets, rng, rarity or Rarity(original))
    return [
        Attacker(int(row), _query(original, int(row), knowledge, items)) for row, items in zip(targets, chosen, strict=True)
    ]


def _query(original: Dataset, row: int, knowledge: AttackerKnowledge, items: Ids) -> Query:
    known = original.quasi if knowledge.quasi else ()
    ranges = {c.name: _point(c, row) for c in known if c.values is not None and c.codes[row] >= 0}
    values = {c.name: (c.domain[c.codes[row]],) for c in known if c.values is None and c.codes[row] >= 0}
    names = tuple(original.transactions.domain[i] for i in items) if original.transactions is not None else ()
    return Query(ranges, values, names)


def _point(column: Column, row: int) -> tuple[float, float]:
    assert column.values is not None
    value = float(column.values[column.codes[row]])
    return value, value


def _chosen_items(
    original: Dataset, knowledge: AttackerKnowledge, targets: Rows, rng: np.random.Generator, rare: Rarity
) -> list[Ids]:
    t, n, chosen = original.linkable, knowledge.items, []
    for row in targets:
        held = t.items[t.offsets[row] : t.offsets[row + 1]]
        if knowledge.choice == "uniform":
            picked = rng.permutation(held)[:n]
        elif knowledge.choice == "rare-first":
            picked = held[np.argsort(rare.supports[held], kind="stable")[:n]]
        else:
            picked = rare.most_identifying(held, n)
        chosen.append(np.sort(picked))
    return chosen
