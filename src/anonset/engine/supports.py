"""Counts of sets of labels over the parts of a release, for measures: the verifier has its own."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from anonset.engine.beside import part_release, published_guide
from anonset.engine.coding import Answer
from anonset.engine.coreset import DENSE
from anonset.engine.kernels.coreset import add_counts, count_sets, rarest_sets
from anonset.engine.questions import Context, Summed
from anonset.errors import InfeasibleError
from anonset.measure.coded_release import generalized, linkable_records
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.release import Release
from anonset.verify.reading.parts import tokens_of


@dataclass(eq=False)
class LabelSetCounts:
    """How many records show each set of at most m of d labels; where not all sets have a place, `keys` has their numbers."""

    m: int
    d: int
    places: int

    def __post_init__(self) -> None:
        n_sets = self.d * (self.d - 1) // 2 * (self.m > 1) + self.d * (self.d - 1) * (self.d - 2) // 6 * (self.m > 2)
        self.single = np.zeros(self.d, np.uint32)
        self.keys = np.full(0 if n_sets <= DENSE else self.places, -1, np.int64)
        self.counts = np.zeros(n_sets if n_sets <= DENSE else self.places, np.uint32)
        self.used = 0

    def require_room(self) -> None:
        """Raise where sets may have been left out."""
        if len(self.keys) and 4 * self.used >= 3 * len(self.keys):
            raise InfeasibleError("the release shows more different sets of labels than memory has room for; allow more")


@dataclass(frozen=True, eq=False)
class SetCounts:
    """How many records of all parts show each set of at most m labels."""

    m: int
    places: int
    name: ClassVar[str] = "counting sets of labels"

    def fold(self, state: LabelSetCounts | None, unit: int, context: Context) -> LabelSetCounts:
        """The counts with those of one more part."""
        offsets, labels, d = numbered_labels(part_release(unit, context), context)
        state = state or LabelSetCounts(self.m, d, self.places)
        state.used = count_sets(offsets, labels, self.m, state.single, state.keys, state.counts, state.used)
        state.require_room()
        return state

    def answer(self, state: LabelSetCounts) -> Answer:
        """The sets that occur, by their numbers."""
        there = np.flatnonzero(state.counts)
        numbers = state.keys[there] if len(state.keys) else there
        return {"single": state.single, "numbers": numbers.astype(np.int64), "counts": state.counts[there]}

    def merge(self, state: LabelSetCounts | None, answer: Answer) -> LabelSetCounts:
        """The counts of two workers together."""
        state = state or LabelSetCounts(self.m, len(answer["single"]), self.places)
        state.single += answer["single"]
        state.used = add_counts(answer["numbers"], answer["counts"], state.keys, state.counts, state.used)
        state.require_room()
        return state


@dataclass(frozen=True)
class Rarest(Summed):
    """How many records show no set of at most m labels that is rarer than each count; the counts are in a file."""

    m: int
    places: int
    records: int
    file: str
    name: ClassVar[str] = "looking at each record"

    def ask(self, unit: int, context: Context) -> Answer:
        """The counts of a part, and how many of its records have each."""
        offsets, labels, _ = numbered_labels(part_release(unit, context), context)
        table = _table(str(context.work / self.file), self.m, self.places)
        found = rarest_sets(offsets, labels, self.m, table.single, table.keys, table.counts, self.records)
        return histogram(found)


def histogram(values: Rows) -> Answer:
    """Different values, and how often each is there."""
    sizes, times = np.unique(values, return_counts=True)
    return {"sizes": sizes.astype(np.int64), "times": times.astype(np.int64)}


@lru_cache(maxsize=1)
def _table(path: str, m: int, places: int) -> LabelSetCounts:
    with np.load(Path(path), allow_pickle=False) as found:
        return SetCounts(m, places).merge(None, dict(found))


def numbered_labels(release: Release, context: Context) -> tuple[Offsets, Ids, int]:
    """The labels of a part that can be linked on, by numbers that all parts share, ascending; and how many there are."""
    roster, guide = context.roster, published_guide(context)["attributes"][-1]
    assert roster.transactions is not None
    tokens = tokens_of(guide, roster.transactions.domain)
    place = {token: n for n, token in enumerate(tokens)}
    number = np.array([place[text] for text in generalized(release).labels.texts], np.int32)
    offsets, shown = linkable_records(roster, release)
    labels = number[shown]
    if (np.diff(number) < 0).any():
        labels = labels[np.lexsort((labels, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))))]
    return offsets, labels, len(tokens)
