"""What is published as a table in memory: records in the order of the files, which says nothing about the input's.

Values are texts, as in the CSV file, and items lists of texts. Structured, a range is {lo, hi}, a categorical value the list
of what it may stand for, and a generalized item such a list too. Columns published as they are keep their numbers.
"""

import polars as pl

from anonset.model.dataset import Column, Dataset
from anonset.model.labels import PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.release import Release
from anonset.releases.formats.items import token_sets
from anonset.releases.formats.sets import lists
from anonset.releases.formats.tokens import column_tokens, free_name
from anonset.releases.formats.typed import exact_numbers, number_series, places
from anonset.releases.writing import canonical

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
        column.name: number_series(column.values, column.codes) if column.values is not None else _texts(column)
        for column in data.columns
    }
    if data.transactions is not None:
        t = data.transactions
        frame[data.item_column] = lists(t.offsets, t.items, t.domain)
    return pl.DataFrame(frame)


def _column(column: PublishedColumn, original: Column, *, structured: bool) -> pl.Series:
    if column.role != "quasi" and (numbers := exact_numbers(column, original)) is not None:
        return number_series(numbers, column.codes)
    if not structured or column.role != "quasi":
        tokens, _ = column_tokens(column, original)
        return pl.Series([*tokens, None], dtype=pl.String).gather(places(column.codes, len(tokens)))
    if isinstance(column.labels, Ranges):
        low, high = (number_series(side, column.codes) for side in (column.labels.low, column.labels.high))
        both = pl.DataFrame({"lo": low, "hi": high})
        return both.select(pl.when(pl.col("lo").is_not_null()).then(pl.struct("lo", "hi")).alias("range")).to_series()
    groups = [[original.domain[c] for c in members] for members in column.labels.groups()]
    return pl.Series([*groups, None], dtype=TEXTS).gather(places(column.codes, len(groups)))


def _texts(column: Column) -> pl.Series:
    return pl.Series([*column.domain, None], dtype=pl.String).gather(places(column.codes, len(column.domain)))


def _item_columns(items: PublishedItems, name: str, taken: list[str], *, structured: bool) -> dict[str, pl.Series]:
    if structured:
        if isinstance(items, UncertainItems):
            return {name: _doubtful(items)}
        members = [[items.domain[i] for i in group] for group in items.labels.in_item_order(items.domain)]
        return {name: lists(items.offsets, items.shown, members, TEXTS)}
    sets = token_sets(items, name)
    columns = {name: lists(sets.offsets, sets.codes, sets.tokens)}
    if sets.errors is not None:
        columns[free_name(f"{name}.errors", [*taken, name])] = pl.Series(sets.errors)
    return columns


def _doubtful(items: UncertainItems) -> pl.Series:
    """A base set a record, the items that may be wrong in it, and how many of them are at most."""
    parts = {
        "base": lists(items.base_offsets, items.base, items.domain),
        "uncertain": lists(items.distance_offsets, items.distance, items.domain),
        "errors": pl.Series(items.threshold),
    }
    return pl.DataFrame(parts).to_struct("items")
