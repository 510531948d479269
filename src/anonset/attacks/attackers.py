"""Sampled background knowledge: whom an attacker is after, and what is known about that person."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from anonset.errors import ParameterError
from anonset.measure.workload import Query
from anonset.model.arrays import Ids, Rows
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.sets import rows_of

ItemChoice = Literal["uniform", "rare-first", "most-identifying"]
ITEM_CHOICES: tuple[ItemChoice, ...] = get_args(ItemChoice)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the attackers of one kind know: the quasi values or not, and how many items, chosen how."""

    quasi: bool
    items: int
    choice: ItemChoice = "uniform"

    def __str__(self) -> str:
        parts = ["all quasi values"] if self.quasi else []
        parts += [f"{self.items} {'item' if self.items == 1 else 'items'} ({self.choice})"] if self.items else []
        return " and ".join(parts) or "nothing"


class Attacker(NamedTuple):
    """One attacker: the input row of the person, and what is known of it as a query the person satisfies."""

    row: int
    known: Query


def sample_attackers(original: Dataset, knowledge: Knowledge, rows: Rows, n: int, rng: np.random.Generator) -> list[Attacker]:
    """Attackers after n of the rows at random (all of them where there are fewer), each with true knowledge.

    A person with fewer items than the attackers want is known by all there are; one with none is no target of item attackers.
    """
    if knowledge.items and original.transactions is None:
        raise ParameterError("the data have no items to know")
    if knowledge.quasi and not original.quasi:
        raise ParameterError("the data have no quasi values to know")
    targets = rows
    if knowledge.items:
        targets = rows[original.linkable.lengths[rows] > 0]
    targets = rng.permutation(targets)[:n]
    chosen = _chosen_items(original, knowledge, targets, rng) if knowledge.items else [np.zeros(0, np.int32)] * len(targets)
    return [
        Attacker(int(row), _query(original, int(row), knowledge, items)) for row, items in zip(targets, chosen, strict=True)
    ]


def _query(original: Dataset, row: int, knowledge: Knowledge, items: Ids) -> Query:
    known = original.quasi if knowledge.quasi else ()
    ranges = {c.name: _point(c, row) for c in known if c.values is not None and c.codes[row] >= 0}
    values = {c.name: (c.domain[c.codes[row]],) for c in known if c.values is None and c.codes[row] >= 0}
    names = tuple(original.transactions.domain[i] for i in items) if original.transactions is not None else ()
    return Query(ranges, values, names)


def _point(column: Column, row: int) -> tuple[float, float]:
    assert column.values is not None
    value = float(column.values[column.codes[row]])
    return value, value


def _chosen_items(original: Dataset, knowledge: Knowledge, targets: Rows, rng: np.random.Generator) -> list[Ids]:
    t = original.linkable
    supports = t.supports
    holders = _holders(original) if knowledge.choice == "most-identifying" else None
    chosen = []
    for row in targets:
        held = t.items[t.offsets[row] : t.offsets[row + 1]]
        if knowledge.choice == "uniform":
            picked = rng.permutation(held)[: knowledge.items]
        elif holders is None:
            picked = held[np.argsort(supports[held], kind="stable")[: knowledge.items]]
        else:
            picked = _most_identifying(held, holders, supports, knowledge.items)
        chosen.append(np.sort(picked))
    return chosen


def _holders(original: Dataset) -> list[Rows]:
    """The records that hold each item."""
    t = original.linkable
    record = rows_of(t.offsets)
    order = np.argsort(t.items, kind="stable")
    return np.split(record[order], np.cumsum(t.supports)[:-1])


def _most_identifying(held: Ids, holders: list[Rows], supports: Rows, n: int) -> Ids:
    """Item after item, the one that leaves the fewest records."""
    first = held[np.argmin(supports[held])]
    picked, left = [first], holders[first]
    while len(picked) < min(n, len(held)):
        rest = [i for i in held if i not in picked]
        shared = [np.intersect1d(left, holders[i], assume_unique=True) for i in rest]
        best = int(np.argmin([len(records) for records in shared]))
        picked.append(rest[best])
        left = shared[best]
    return np.array(picked, np.int32)
