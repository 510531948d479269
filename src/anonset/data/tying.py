"""Columns whose values stand for people that have several rows: rows that agree in one agree in all that tells people apart."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonset.data.coding import Codebook
from anonset.data.naming import FEWEST, MOSTLY
from anonset.model.arrays import Ids

MOST_ROWS = 20  # of one person, on average; what has more is a kind of people, or a thing
AGREE = 0.98  # of the further rows of a value: some are mistyped
SAMPLE = 20_000  # rows that are looked at, all of some values


def tying_columns(columns: dict[str, pl.Series]) -> frozenset[str]:
    """The columns whose values repeat, and with each of them those of others that together are as good as an identifier.

    What repeats because it is a thing (a product, a place) fixes what belongs to it too. So a column that says the same
    under another name does not count, nor does one whose values have many rows.
    """
    codes = {name: Codebook().encode(texts) for name, texts in columns.items()}
    return frozenset(name for name in codes if _repeats(codes[name]) and _fixes_people(codes, name))


def _repeats(codes: Ids) -> bool:
    there = codes[codes >= 0]
    values = int(there.max(initial=-1)) + 1
    return FEWEST <= values < len(there) <= MOST_ROWS * values


def _fixes_people(codes: dict[str, Ids], name: str) -> bool:
    """Whether what the values of a column fix tells nearly all of them apart."""
    rows, first = _further_rows(codes[name])
    if len(rows) < FEWEST:
        return False
    begun = np.unique(first)
    told = np.zeros(len(begun), np.int64)
    for other in (other for other in codes if other != name):
        held = codes[other]
        own = held[begun].astype(np.int64)
        distinct = len(np.unique(own))
        if 1 < distinct < AGREE * len(begun) and np.mean(held[rows] == held[first]) >= AGREE:
            told = np.unique(told * (own.max() + 2) + own + 1, return_inverse=True)[1]
    return len(np.unique(told)) >= MOSTLY * len(begun)


def _further_rows(codes: Ids) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows whose value an earlier row has, and that row: all rows of some values, where there are too many."""
    values = int(codes.max()) + 1
    share = max(1, len(codes) // SAMPLE)
    kept = np.flatnonzero((codes >= 0) & (codes % share == 0))
    begins = np.full(values, -1, np.int64)
    begins[codes[kept][::-1]] = kept[::-1]
    first = begins[codes[kept]]
    further = kept != first
    return kept[further], first[further]
