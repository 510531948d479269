"""Releases and datasets as DataFrames, and uncertain item sets read from published/ alone."""

from collections.abc import Hashable
from pathlib import Path
from typing import NamedTuple, cast

import polars as pl

from anonset.data.formats.parquet import exact_numbers, number_series, places
from anonset.data.formats.tokens import column_tokens, free_name, lists, token_sets
from anonset.errors import InputError
from anonset.kernels.recode import collapse
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.literals import plain
from anonset.model.release import Release
from anonset.model.release_files import damage
from anonset.model.sets import places_in, take
from anonset.releases.folder import canonical, published_folder
from anonset.runtime.native_panics import without_panic
from anonset.verify.reading.formats import reader_of
from anonset.verify.reading.promises import read_about
from anonset.verify.reading.written import DOUBTS, WrittenDoubts, WrittenValues

TEXTS = pl.List(pl.String)


def release_frame(release: Release, original: Dataset, *, structured: bool = False) -> pl.DataFrame:
    """The published records of a release, as texts or structured."""
    return frame_in_order(canonical(release), original, structured=structured)


def frame_in_order(release: Release, original: Dataset, *, structured: bool = False) -> pl.DataFrame:
    """The records in memory order, which may be the input order: for the owner only."""
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


class PublishedSets(NamedTuple):
    """The item sets a release shows, over the items it names, and the values of its exact columns as texts."""

    items: UncertainItems
    columns: dict[str, pl.Series]

    def where(self, column: str, value: str) -> "PublishedSets":
        """The records that show the value in a column."""
        if column not in self.columns:
            names = ", ".join(self.columns) or "none"
            raise InputError(f"there is no column {column!r} with exact values; there are: {names}")
        kept = (self.columns[column] == value).fill_null(False).to_numpy()
        if not kept.any():
            raise InputError(f"no record shows {column} as {value!r}")
        items = self.items
        base, doubt = take(items.base_offsets, items.base, kept), take(items.distance_offsets, items.distance, kept)
        shown = UncertainItems(*base, *doubt, items.threshold[kept], items.domain)
        return PublishedSets(shown, {name: values.filter(pl.Series(kept)) for name, values in self.columns.items()})


def read_published_sets(folder: Path) -> PublishedSets:
    """What published/ shows: a release folder, or the published half of one."""
    place = published_folder(folder)
    about = read_about(place / "about.json")
    file, read = reader_of(about["format"])
    path, guides = place / file, about["attributes"]
    sets = next((guide["name"] for guide in guides if guide["kind"] == DOUBTS), None)
    if sets is None:
        raise InputError("has no uncertain item sets; those come from nr-k, nr-l, gray-ring and cahd", file=folder)
    try:
        with without_panic(f"{path}: cannot be read as about.json explains it"):
            found = read(path, guides)
            exact = [guide["name"] for guide in guides if guide["role"] in ("sensitive", "other")]
            columns = {name: _item_texts(cast(WrittenValues, found[name])) for name in exact}
            return PublishedSets(_items(cast(WrittenDoubts, found[sets])), columns)
    except Exception as error:
        raise InputError(f"cannot be read as about.json explains it: {damage(error)}", file=path) from None


def _items(written: WrittenDoubts) -> UncertainItems:
    """The sets over all items that any of them names."""
    names = [cast(list[str], list(sets.number)) for sets in (written.base, written.uncertain)]
    domain = tuple(sorted({*names[0], *names[1]}))
    both = zip((written.base, written.uncertain), names, strict=True)
    base, doubt = (collapse(sets.offsets, places_in(domain, some)[sets.codes]) for sets, some in both)
    return UncertainItems(*base, *doubt, written.errors, domain)


def _item_texts(written: WrittenValues) -> pl.Series:
    """Exact values as texts: whole numbers without a point, nothing where a value is missing."""
    texts = [*map(_text, written.number), None]
    return pl.Series([texts[c] for c in written.codes.tolist()], dtype=pl.String)


def _text(look: Hashable) -> str:
    value = look[0] if isinstance(look, tuple) else look
    return str(plain(value) if isinstance(value, float) else value)
