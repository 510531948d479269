"""Draw a random sample of records, independent of the batches, and read the published records of given input rows."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.random import PCG64, Generator

from anonset.engine.domains import Answer
from anonset.engine.measures import Looked
from anonset.engine.partitioning import codes_of, joined
from anonset.engine.questions import Context, Summed
from anonset.engine.record_pairs import BACK, published_guide
from anonset.engine.shuffle import whole
from anonset.engine.source import BatchRef
from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.release import Release
from anonset.model.sets import offsets_of, take
from anonset.verify.reading.parts import ROW, read_part, read_slices


@dataclass(frozen=True)
class Draw(Summed):
    """A random sample of up to n records of each kind: those with the smallest of the records' random numbers."""

    n: int
    seed: int
    name: ClassVar[str] = "drawing records"

    def kinds(self, batch: Dataset) -> list[Mask]:
        """Return a mask of the records of each kind; here there is one kind with all records."""
        return [np.ones(len(batch), np.bool_)]

    def ask(self, unit: BatchRef, context: Context) -> Answer:
        """Return the sample of a batch."""
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
        """Return the sample of both samples."""
        found = super().both(first, second)
        chosen = self._smallest(found)
        some = {name: array[chosen] for name, array in found.items() if name != "items"}
        return some | ({"items": take(offsets_of(found["lengths"]), found["items"], chosen)[1]} if "items" in found else {})

    def _smallest(self, found: Answer) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        """Return the positions of the records with the n smallest numbers of each kind."""
        order = np.argsort(found["numbers"], kind="stable")
        return np.unique(
            np.concatenate([order[found["kinds"][order, kind]][: self.n] for kind in range(found["kinds"].shape[1])])
        )


def drawn_records(answer: Answer, roster: Dataset) -> Dataset:
    """Return the sampled records as a dataset with the domains of the roster."""
    held = None
    if roster.transactions is not None:
        held = Transactions(offsets_of(answer["lengths"]), answer["items"].astype(np.int32), roster.transactions.domain)
    return joined([(np.ascontiguousarray(answer["codes"].T.astype(np.int32)), held)], roster)


PICKED = "picked"


@dataclass(frozen=True, eq=False)
class Pick(Summed):
    """Writes the published records of the given input rows to one file for each part."""

    rows: Rows
    name: ClassVar[str] = "gathering records"

    def ask(self, unit: str, context: Context) -> Answer:
        """Write the records of a part; return their number."""
        rows_in = pl.Series(self.rows).implode()
        frame = pl.concat([rows.filter(pl.col(ROW).is_in(rows_in)) for rows in read_slices(context.work / BACK / unit)])
        (context.work / PICKED).mkdir(exist_ok=True)
        with whole(context.work / PICKED / unit, context.work) as half:
            frame.write_parquet(half)
        return {"records": np.array([frame.height])}


def published_rows(looked: Looked, rows: Rows) -> Release:
    """Return the published records of the given input rows, in ascending order of rows."""
    context = looked.driver.context
    looked.driver.ask(Pick(rows), list(looked.copies), rows.tolist())
    frame = pl.concat([pl.read_parquet(path) for path in sorted((context.work / PICKED).iterdir())]).sort(ROW)
    return read_part(frame.drop(ROW), published_guide(context), context.roster, np.arange(len(rows)))
