"""What is published as a table in memory: records in the order of the files, which says nothing about the input's.

Values are texts, as in the CSV file, and items lists of texts. Structured, a range is {lo, hi}, a categorical value the list
of what it may stand for, and a generalized item such a list too. Columns published as they are keep their numbers.
"""

import numpy as np
import polars as pl

from anonset.model.arrays import Ids, Reals
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.numbers import LONGEST
from anonset.model.release import Release
from anonset.releases.canonical import canonical
from anonset.releases.formats.items import token_sets
from anonset.releases.formats.sets import lists
from anonset.releases.formats.tokens import column_tokens, free_name

TEXTS = pl.List(pl.String)


def release_frame(release: Release, original: Dataset, *, structured: bool = False) -> pl.DataFrame:
    """The published records of a release, as texts or structured."""
    return frame_in_order(canonical(release), original, structured=structured)


def frame_in_order(release: Release, original: Dataset, *, structured: bool = False) -> pl.DataFrame:
    """The records in the order they have in memory, which may be the input's: for its owner, never to be handed out."""
    frame = {column.name: _column(column, original.column(column.name), structured=structured) for column in release.columns}
    if release.items is not None:
        frame |= _item_columns(release.items, original.item_column, [*frame], structured=structured)
    return pl.DataFrame(frame)


def dataset_frame(data: Dataset) -> pl.DataFrame:
    """The records of a dataset: numbers, texts, and items as lists."""
    frame = {
        column.name: _numbers(column.values, column.codes) if column.values is not None else _texts(column)
        for column in data.columns
    }
    if data.transactions is not None:
        t = data.transactions
        frame[data.item_column] = lists(t.offsets, t.items, t.domain)
    return pl.DataFrame(frame)


def _column(column: PublishedColumn, original: Column, *, structured: bool) -> pl.Series:
    if column.role != "quasi" and original.values is not None:
        return _exact_numbers(column, original)
    if not structured or column.role != "quasi":
        tokens, _ = column_tokens(column, original)
        return pl.Series([*tokens, None], dtype=pl.String).gather(_places(column.codes, len(tokens)))
    if isinstance(column.labels, Ranges):
        low, high = (_numbers(side, column.codes) for side in (column.labels.low, column.labels.high))
        both = pl.DataFrame({"lo": low, "hi": high})
        return both.select(pl.when(pl.col("lo").is_not_null()).then(pl.struct("lo", "hi")).alias("range")).to_series()
    groups = [[original.domain[c] for c in members] for members in column.labels.groups()]
    return pl.Series([*groups, None], dtype=TEXTS).gather(_places(column.codes, len(groups)))


def _exact_numbers(column: PublishedColumn, original: Column) -> pl.Series:
    """The numbers of a column that is published as it is."""
    assert original.values is not None
    if isinstance(column.labels, Ranges):
        return _numbers(column.labels.low, column.codes)
    return _numbers(original.values[column.labels.members[column.labels.offsets[:-1]]], column.codes)


def _numbers(values: Reals, codes: Ids) -> pl.Series:
    whole = bool((values == np.floor(values)).all() and (np.abs(values) < LONGEST).all())
    typed = pl.Series(values, dtype=pl.Float64).cast(pl.Int64 if whole else pl.Float64)
    return typed.extend_constant(None, 1).gather(_places(codes, len(values)))


def _texts(column: Column) -> pl.Series:
    return pl.Series([*column.domain, None], dtype=pl.String).gather(_places(column.codes, len(column.domain)))


def _places(codes: Ids, missing: int) -> Ids:
    """The codes, a missing value's being the place behind the last."""
    return np.where(codes < 0, np.int32(missing), codes)


def _item_columns(items: PublishedItems, name: str, taken: list[str], *, structured: bool) -> dict[str, pl.Series]:
    if structured:
        return {name: _lists_of_lists(items) if isinstance(items, GeneralizedItems) else _doubtful(items)}
    sets = token_sets(items, name)
    columns = {name: lists(sets.offsets, sets.codes, sets.tokens)}
    if sets.errors is not None:
        columns[free_name(f"{name}.errors", [*taken, name])] = pl.Series(sets.errors)
    return columns


def _lists_of_lists(items: GeneralizedItems) -> pl.Series:
    """One list a record, of lists of the original items behind each published one."""
    members = [[items.domain[i] for i in group] for group in items.labels.in_item_order(items.domain)]
    n = len(items)
    records = np.repeat(np.arange(n, dtype=np.int64), np.diff(items.offsets))
    parts = pl.DataFrame({"record": records, "item": pl.Series(members, dtype=TEXTS).gather(items.shown)})
    whole = parts.group_by("record", maintain_order=True).agg("item")
    every = pl.DataFrame({"record": np.arange(n, dtype=np.int64)})
    joined = every.join(whole, on="record", how="left", maintain_order="left")
    return joined.select(pl.col("item").fill_null(pl.lit([], dtype=pl.List(TEXTS)))).to_series()


def _doubtful(items: UncertainItems) -> pl.Series:
    """A base set a record, the items that may be wrong in it, and how many of them are at most."""
    parts = {
        "base": lists(items.base_offsets, items.base, items.domain),
        "uncertain": lists(items.distance_offsets, items.distance, items.domain),
        "errors": pl.Series(items.threshold),
    }
    return pl.DataFrame(parts).to_struct("items")
