"""Published numbers as numbers, where every value of a column is exact."""

import numpy as np
import polars as pl

from anonset.model.arrays import Ids, Reals
from anonset.model.dataset import Column
from anonset.model.labels import PublishedColumn, Ranges
from anonset.model.literals import LONGEST


def exact_numbers(column: PublishedColumn, original: Column) -> Reals | None:
    """The number behind each label; None where the original has no numbers or a label stands for several."""
    if isinstance(column.labels, Ranges):
        return column.labels.low if (column.labels.low == column.labels.high).all() else None
    if original.values is None or (np.diff(column.labels.offsets) != 1).any():
        return None
    exact: Reals = original.values[column.labels.members]
    return exact


def number_series(values: Reals, codes: Ids) -> pl.Series:
    """The numbers of records by their codes, whole ones as such; -1 is missing."""
    whole = bool((values == np.floor(values)).all() and (np.abs(values) < LONGEST).all())
    typed = pl.Series(values, dtype=pl.Float64).cast(pl.Int64 if whole else pl.Float64)
    return typed.extend_constant(None, 1).gather(places(codes, len(values)))


def places(codes: Ids, missing: int) -> Ids:
    """The codes, a missing value's being the place behind the last."""
    return np.where(codes < 0, np.int32(missing), codes)
