"""Records drawn at random from data in pieces: the same whatever the pieces are, and few enough to be held by the driver."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import PCG64, Generator

from anonset.engine.coding import Answer
from anonset.engine.parting import codes_of, joined
from anonset.engine.questions import Context, Summed
from anonset.engine.source import Piece
from anonset.model.arrays import Mask
from anonset.model.dataset import Dataset, Transactions
from anonset.model.sets import offsets_of, take


@dataclass(frozen=True)
class Draw(Summed):
    """Up to n records of each kind: every record has a random number of its own, and the smallest are drawn."""

    n: int
    seed: int
    name: ClassVar[str] = "drawing records"

    def kinds(self, batch: Dataset) -> list[Mask]:
        """Which records are of each kind; here there is one kind, and all are of it."""
        return [np.ones(len(batch), np.bool_)]

    def ask(self, unit: Piece, context: Context) -> Answer:
        """The records drawn from a piece."""
        batch = context.batch(unit)
        numbers = Generator(PCG64(self.seed).advance(unit.first)).random(len(batch))
        found: Answer = {"rows": np.arange(unit.first, unit.first + unit.rows), "numbers": numbers}
        found["kinds"] = np.column_stack(self.kinds(batch))
        chosen = self._smallest(found)
        some = batch.take(chosen)
        found = {name: array[chosen] for name, array in found.items()} | {"codes": codes_of(some).T}
        if some.transactions is not None:
            found |= {"lengths": some.transactions.lengths, "items": some.transactions.items}
        return found

    def both(self, first: Answer, second: Answer) -> Answer:
        """The records drawn from both."""
        found = super().both(first, second)
        chosen = self._smallest(found)
        some = {name: array[chosen] for name, array in found.items() if name != "items"}
        return some | ({"items": take(offsets_of(found["lengths"]), found["items"], chosen)[1]} if "items" in found else {})

    def _smallest(self, found: Answer) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        """The places of those with the n smallest numbers of each kind."""
        order = np.argsort(found["numbers"], kind="stable")
        return np.unique(
            np.concatenate([order[found["kinds"][order, kind]][: self.n] for kind in range(found["kinds"].shape[1])])
        )


def drawn_records(answer: Answer, roster: Dataset) -> Dataset:
    """The drawn records, with the domains of the roster."""
    held = None
    if roster.transactions is not None:
        held = Transactions(offsets_of(answer["lengths"]), answer["items"].astype(np.int32), roster.transactions.domain)
    return joined([(np.ascontiguousarray(answer["codes"].T.astype(np.int32)), held)], roster)
