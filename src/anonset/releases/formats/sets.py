"""Sets of codes as columns of texts or lists, without a loop over records, and back."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
import polars as pl

from anonset.kernels.uncertain_sets import shown_items
from anonset.model.arrays import Ids, Offsets
from anonset.model.labels import UncertainItems
from anonset.model.sets import filter_members, offsets_of, rows_of

CERTAIN, DOUBTED, POSSIBLE = 0, 1, 2  # in the base; in the base but perhaps wrong; not in the base but perhaps wrong


def joined(offsets: Offsets, codes: Ids, texts: Sequence[str], separator: str) -> pl.Series:
    """One text a record: the texts of its codes with the separator between them; empty where it has none."""
    end = next(sign for sign in map(chr, count(ord("\n"))) if sign not in separator.join([*texts, "", ""]))
    pieces = pl.Series([*(text + separator for text in texts), *(text + end for text in texts)], dtype=pl.String)
    filled = np.diff(offsets) > 0
    last = np.zeros(len(codes), np.bool_)
    last[offsets[1:][filled] - 1] = True
    whole = pieces.gather(codes + len(texts) * last).str.join("").str.split(end).explode()  # behind the last end it is empty
    return whole.gather(np.where(filled, np.cumsum(filled), len(whole)) - 1)


def lists(offsets: Offsets, codes: Ids, values: Sequence[Any], kind: pl.DataType | type[pl.DataType] = pl.String) -> pl.Series:
    """One list a record: of texts, or of values of another kind."""
    parts = pl.DataFrame({"record": rows_of(offsets), "text": pl.Series(values, dtype=kind).gather(codes)})
    every = pl.DataFrame({"record": np.arange(len(offsets) - 1, dtype=np.int64)})
    whole = parts.group_by("record", maintain_order=True).agg(pl.col("text"))
    empty = pl.lit([], dtype=pl.List(kind))
    return every.join(whole, on="record", how="left", maintain_order="left").select(pl.col("text").fill_null(empty)).to_series()


def exploded(column: pl.Series) -> tuple[Offsets, pl.Series]:
    """The lists of a column one after the other, and where each record's begins; a null list is empty."""
    lengths = column.list.len().fill_null(0).to_numpy().astype(np.int64)
    offsets = offsets_of(lengths)
    filled = column.filter(pl.Series(lengths > 0))
    return offsets, filled.explode()


def split(column: pl.Series, separator: str) -> tuple[Offsets, pl.Series]:
    """The tokens of texts with separators between them; an empty text has none."""
    parts = column.fill_null("").str.split(separator)
    empty = (column.fill_null("") == "").to_frame("empty")
    return exploded(empty.select(pl.when("empty").then(None).otherwise(parts)).to_series())


def coded(column: pl.Series) -> tuple[list[str], Ids]:
    """The distinct texts of a column, sorted, and the place of each entry among them; -1 where there is none."""
    texts = column.drop_nulls().unique().sort().to_list()
    codes = column.cast(pl.Enum(texts)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    return texts, codes.astype(np.int32)


def states(items: UncertainItems) -> tuple[Offsets, Ids]:
    """The base and the doubtful items of each record in one list: code 3 * item + CERTAIN, DOUBTED or POSSIBLE."""
    offsets, shown, marks = shown_items((items.base_offsets, items.base), (items.distance_offsets, items.distance))
    return offsets, 3 * shown + (marks - 1)


def uncertain(offsets: Offsets, codes: Ids, threshold: Ids, domain: tuple[str, ...]) -> UncertainItems:
    """The reverse of `states`."""
    item, state = (codes // 3).astype(np.int32), codes % 3
    base, doubt = (filter_members(offsets, item, state != other) for other in (POSSIBLE, CERTAIN))
    return UncertainItems(*base, *doubt, threshold, domain)
