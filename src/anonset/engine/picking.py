"""What is published of a few input rows, gathered from the parts of a release."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from anonset.engine.beside import BACK, published_guide
from anonset.engine.coding import Answer
from anonset.engine.measuring import Looked
from anonset.engine.questions import Context, Summed
from anonset.engine.spilling import whole
from anonset.model.arrays import Rows
from anonset.model.release import Release
from anonset.verify.reading.parts import ROW, read_part, read_slices

PICKED = "picked"


@dataclass(frozen=True, eq=False)
class Pick(Summed):
    """The published records of the given input rows, written down part by part."""

    rows: Rows
    name: ClassVar[str] = "gathering records"

    def ask(self, unit: str, context: Context) -> Answer:
        """How many a part has."""
        wanted = pl.Series(self.rows).implode()
        frame = pl.concat([rows.filter(pl.col(ROW).is_in(wanted)) for rows in read_slices(context.work / BACK / unit)])
        (context.work / PICKED).mkdir(exist_ok=True)
        with whole(context.work / PICKED / unit, context.work) as half:
            frame.write_parquet(half)
        return {"records": np.array([frame.height])}


def published_rows(looked: Looked, rows: Rows) -> Release:
    """What is published of the given input rows, in ascending order."""
    context = looked.driver.context
    looked.driver.ask(Pick(rows), list(looked.copies), rows.tolist())
    frame = pl.concat([pl.read_parquet(path) for path in sorted((context.work / PICKED).iterdir())]).sort(ROW)
    return read_part(frame.drop(ROW), published_guide(context), context.roster, np.arange(len(rows)))
