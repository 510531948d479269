"""Tables that change hands between workers: each writes one file, sorted by who needs what, and says where whose rows are."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import polars as pl

from anonset.engine.coding import Answer
from anonset.model.arrays import Rows

GROUP = 1 << 14  # rows of a row group: what is read at least


@dataclass(frozen=True, slots=True)
class Slices:
    """For one receiver: rows starts[f] .. stops[f] - 1 of file f, and how many that are in all."""

    number: int
    files: tuple[str, ...]
    starts: tuple[int, ...]
    stops: tuple[int, ...]

    def __str__(self) -> str:
        return f"part {self.number}"

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(self.stops) - sum(self.starts)

    def read(self, folder: Path) -> pl.DataFrame:
        """The rows of the receiver, those of one file after those of another."""
        slices = [
            pl.scan_parquet(folder / file).slice(start, stop - start)
            for file, start, stop in zip(self.files, self.starts, self.stops, strict=True)
            if stop > start
        ]
        return pl.concat(pl.collect_all(slices), rechunk=True)


def spill(frame: pl.DataFrame, receiver: Rows, n: int, folder: Path, number: int) -> Answer:
    """Write the rows sorted by receiver; the answer says where those of each receiver 0 .. n-1 begin."""
    folder.mkdir(exist_ok=True)
    order = np.argsort(receiver, kind="stable")
    path = folder / f"{number:08}.parquet"
    write_whole(frame[order], path, folder.parent, row_group_size=GROUP, compression="lz4")
    starts = np.searchsorted(receiver[order], np.arange(n + 1))
    return {"files": np.array([number], np.int64), "starts": starts.astype(np.int64)[None, :]}


def slices_of(answer: Answer) -> list[Slices]:
    """What each receiver is to read; receivers of nothing are left out."""
    order = np.argsort(answer["files"])
    files = tuple(f"{number:08}.parquet" for number in answer["files"][order])
    starts = answer["starts"][order]
    found = [
        Slices(b, files, tuple(starts[:, b].tolist()), tuple(starts[:, b + 1].tolist())) for b in range(starts.shape[1] - 1)
    ]
    return [part for part in found if part.rows]


def write_whole(frame: pl.DataFrame, path: Path, work: Path, **how: Any) -> None:
    """Write a Parquet file that is there whole or not at all, whoever dies; what is half written is in `work`."""
    half = work / f"{uuid4().hex}.half"
    try:
        frame.write_parquet(half, **how)
        half.replace(path)
    except pl.exceptions.PolarsError as error:
        raise OSError(0, "cannot be written") from error
    finally:
        half.unlink(missing_ok=True)
