"""A table in slices, one for each of those who read it: a file of Arrow streams, headed by the places where they begin.

Hundreds of readers take a thousand rows of each of hundreds of files; a slice of a Parquet file would be a query each time, and
whatever rows are packed together with those that are wanted.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from anonset.model.arrays import Rows

READER = "\x00reader"
PLACE = np.dtype(np.int64)
OWN_TEXTS = pl.CompatLevel.oldest()  # a newer stream holds the texts of all rows in every slice


def write_slices(frame: pl.DataFrame, reader: Rows, n: int, path: Path) -> None:
    """Write the rows of each reader 0 .. n-1, in their order; `reader` says whose each row is."""
    marked = frame.rechunk().with_columns(pl.Series(READER, reader))
    slices = marked.partition_by(READER, as_dict=True, include_key=False)
    places = np.zeros(n + 1, PLACE)
    with path.open("wb") as file:
        file.write(places.tobytes())
        for number in range(n):
            places[number] = file.tell()
            rows = slices.pop((number,), None)
            if rows is not None:
                stream = BytesIO()
                rows.write_ipc_stream(stream, compression="zstd", compat_level=OWN_TEXTS)
                file.write(stream.getbuffer())
        places[n] = file.tell()
        file.seek(0)
        file.write(places.tobytes())
    assert not slices, "every row has a reader"


def read_slice(path: Path, number: int) -> pl.DataFrame | None:
    """The rows of one reader; None where there are none."""
    with path.open("rb") as file:
        file.seek(number * PLACE.itemsize)
        start, stop = np.frombuffer(file.read(2 * PLACE.itemsize), PLACE).tolist()
        file.seek(start)
        return pl.read_ipc_stream(BytesIO(file.read(stop - start))) if stop > start else None


def read_slices(path: Path) -> Iterator[pl.DataFrame]:
    """The rows of one reader after the other."""
    with path.open("rb") as file:
        n = int(np.frombuffer(file.read(PLACE.itemsize), PLACE)[0]) // PLACE.itemsize - 1
    for number in range(n):
        rows = read_slice(path, number)
        if rows is not None:
            yield rows
