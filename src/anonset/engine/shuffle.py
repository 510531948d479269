"""Exchange rows between workers: each worker writes one file with a slice for every receiver."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import numpy as np
import polars as pl

from anonset.engine.domains import Answer
from anonset.model.arrays import Rows
from anonset.model.sets import offsets_of
from anonset.verify.reading.parts import read_slice, write_slices


@dataclass(frozen=True, slots=True)
class Slices:
    """The rows of one receiver: starts[f] .. stops[f] - 1 of each file f."""

    number: int
    files: tuple[str, ...]
    starts: tuple[int, ...]
    stops: tuple[int, ...]

    def __str__(self) -> str:
        return f"part {self.number}"

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return sum(self.stops) - sum(self.starts)

    def read(self, folder: Path) -> pl.DataFrame:
        """Return the rows of the receiver, file by file."""
        slices = [read_slice(folder / file, self.number) for file in self.files]
        return pl.concat([rows for rows in slices if rows is not None], rechunk=True)


def spill(frame: pl.DataFrame, receiver: Rows, n: int, folder: Path, number: int) -> Answer:
    """Write a file with a slice for each receiver 0 .. n-1; return its number and the first row of each slice."""
    folder.mkdir(exist_ok=True)
    with whole(folder / f"{number:08}", folder.parent) as half:
        write_slices(frame, receiver, n, half)
    starts = offsets_of(np.bincount(receiver, minlength=n))
    return {"files": np.array([number], np.int64), "starts": starts[None, :]}


def slices_of(answer: Answer) -> list[Slices]:
    """Return the slices of each receiver that has any rows."""
    order = np.argsort(answer["files"])
    files = tuple(f"{number:08}" for number in answer["files"][order])
    starts = answer["starts"][order]
    found = [
        Slices(b, files, tuple(starts[:, b].tolist()), tuple(starts[:, b + 1].tolist())) for b in range(starts.shape[1] - 1)
    ]
    return [part for part in found if part.rows]


@contextmanager
def whole(path: Path, work: Path) -> Iterator[Path]:
    """Write a file atomically: yield a temporary path in `work`, and rename it to `path` on success."""
    half = work / f"{uuid4().hex}.half"
    try:
        yield half
        half.replace(path)
    except pl.exceptions.PolarsError as error:
        raise OSError(0, "cannot be written") from error
    finally:
        half.unlink(missing_ok=True)
