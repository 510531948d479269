"""The published records as Parquet, Feather or any typed table; numbers as numbers where every value of a column is exact."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from anonset.errors import GuaranteeViolated
from anonset.model.arrays import Ids, Offsets, Reals
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.literals import LONGEST
from anonset.model.release import Release
from anonset.model.sets import rows_of
from anonset.releases.formats.tokens import (
    CERTAIN_MARK,
    UNCERTAIN,
    Guide,
    coded,
    column_from_tokens,
    column_tokens,
    exploded,
    free_name,
    items_from_tokens,
    lists,
    range_text,
    ranges,
    token_sets,
)


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


Published = tuple[tuple[PublishedColumn, ...], PublishedItems | None]


def write(release: Release, original: Dataset, path: Path) -> list[Guide]:
    """Write the records; the guides say how to read each attribute."""
    frame, guides = typed_frame(release, original)
    frame.write_parquet(path)
    return guides


def read(path: Path, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
    """The published columns and items of a file that `write` wrote."""
    frame = pl.read_parquet(path, memory_map=False)  # Windows moves no folder with a file that is mapped
    return from_typed_frame(frame, path.name, guides, original, suppressed)


def typed_frame(release: Release, original: Dataset, *, part: bool = False) -> tuple[pl.DataFrame, list[Guide]]:
    """The records as columns of numbers, texts and lists, and how to read each attribute.

    A part of a release has the columns and the types that any other part would have.
    """
    taken = [*(column.name for column in release.columns), original.item_column]
    frame: dict[str, pl.Series] = {}
    guides = []
    for column in release.columns:
        source = original.column(column.name)
        tokens, guide = column_tokens(column, source)
        if part and isinstance(column.labels, Ranges):
            guide, series = _numbers_of_part(column, guide, taken, source)
            frame |= series
        elif not part and (exact := exact_numbers(column, source)) is not None:
            frame[column.name] = number_series(exact, column.codes)
            guide["generalized"] = {}
        elif isinstance(column.labels, Ranges):
            guide, series = _ranges(column, guide, taken)
            frame |= series
        else:
            frame[column.name] = pl.Series([*tokens, None], dtype=pl.String).gather(places(column.codes, len(tokens)))
        guides.append(guide)
    if release.items is not None:
        guide, series = _sets(release.items, original.item_column, taken)
        frame |= series
        guides.append(guide)
    return pl.DataFrame(frame), guides


def from_typed_frame(frame: pl.DataFrame, name: str, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
    """The published columns and items of a frame that `typed_frame` made."""
    named = {name for guide in guides for name in _columns(guide)}
    if set(frame.columns) != named:
        odd = min(set(frame.columns) ^ named)
        raise GuaranteeViolated(f"{name} and about.json disagree about the column {odd!r}")
    columns, items = [], None
    for guide in guides:
        if guide["role"] == "items":
            assert original.transactions is not None
            items = _read_sets(frame, guide, original.transactions.domain, suppressed)
        elif guide["labels"] == "ranges":
            columns.append(_read_numbers(frame, guide))
        else:
            source = original.column(guide["name"])
            texts, codes = coded(as_domain_texts(frame[guide["column"]], source))
            columns.append(column_from_tokens(texts, codes, guide, source))
    return tuple(columns), items


def as_domain_texts(values: pl.Series, original: Column) -> pl.Series:
    """Texts as they are, and numbers as the original spells them."""
    if not values.dtype.is_numeric() or original.values is None:
        return values
    spelled = dict(zip(original.values.tolist(), original.domain, strict=True))
    texts = [None if value is None else spelled.get(value, repr(value)) for value in values.to_list()]
    return pl.Series(texts, dtype=pl.String)


def _columns(guide: Guide) -> list[str]:
    return list(guide["columns"].values()) if "columns" in guide else [guide["column"]]


def _ranges(column: PublishedColumn, guide: Guide, taken: list[str]) -> tuple[Guide, dict[str, pl.Series]]:
    assert isinstance(column.labels, Ranges)
    names = {"lo": free_name(f"{column.name}.lo", taken), "hi": free_name(f"{column.name}.hi", taken)}
    guide = {key: value for key, value in guide.items() if key not in ("generalized", "column")}
    low, high = (number_series(side, column.codes) for side in (column.labels.low, column.labels.high))
    return guide | {"columns": names}, {names["lo"]: low, names["hi"]: high}


def _numbers_of_part(
    column: PublishedColumn, guide: Guide, taken: list[str], source: Column
) -> tuple[Guide, dict[str, pl.Series]]:
    """Two columns for a quasi column, one for any other; whole numbers where the original has no others."""
    assert source.values is not None
    assert isinstance(column.labels, Ranges)
    kind = number_series(source.values, np.zeros(0, np.int32)).dtype
    guide, series = _ranges(column, guide | {"generalized": {}}, taken)
    ends = [end.cast(kind) for end in series.values()]
    if column.role == "quasi":
        return guide, dict(zip(series, ends, strict=True))
    return {name: value for name, value in guide.items() if name != "columns"} | {"column": column.name}, {column.name: ends[0]}


def _read_numbers(frame: pl.DataFrame, guide: Guide) -> PublishedColumn:
    names = guide.get("columns", {"lo": guide.get("column"), "hi": guide.get("column")})
    low, high = (frame[names[side]].cast(pl.Float64) for side in ("lo", "hi"))
    there = (low.is_not_null() & high.is_not_null()).to_numpy()
    if (low.is_null() != high.is_null()).any():
        raise GuaranteeViolated(f"{guide['name']}: a published range has only one end")
    distinct, code = np.unique(np.stack([low.to_numpy()[there], high.to_numpy()[there]]), axis=1, return_inverse=True)
    codes = np.full(len(frame), -1, np.int32)
    codes[there] = code
    pairs = list(zip(*distinct.tolist(), strict=True))
    return PublishedColumn(guide["name"], guide["role"], codes, ranges(pairs, [range_text(*pair) for pair in pairs]))


def _sets(items: PublishedItems, name: str, taken: list[str]) -> tuple[Guide, dict[str, pl.Series]]:
    if isinstance(items, GeneralizedItems):
        sets = token_sets(items, name)
        return sets.guide, {name: lists(sets.offsets, sets.codes, sets.tokens)}
    parts = {part: free_name(f"{name}.{part}", taken) for part in ("base", "uncertain", "errors")}
    guide: dict[str, Any] = {"name": name, "role": "items", "kind": UNCERTAIN, "columns": parts}
    return guide, {
        parts["base"]: lists(items.base_offsets, items.base, items.domain),
        parts["uncertain"]: lists(items.distance_offsets, items.distance, items.domain),
        parts["errors"]: pl.Series(items.threshold),
    }


def _read_sets(frame: pl.DataFrame, guide: Guide, domain: tuple[str, ...], suppressed: Ids) -> PublishedItems:
    if guide["kind"] == CERTAIN_MARK:
        offsets, tokens = exploded(frame[guide["column"]])
        return items_from_tokens((offsets, *coded(tokens)), None, guide, domain, suppressed)
    base, doubt = (_read_items(frame[guide["columns"][part]], guide, domain) for part in ("base", "uncertain"))
    return UncertainItems(*base, *doubt, frame[guide["columns"]["errors"]].to_numpy().astype(np.int32), domain)


def _read_items(column: pl.Series, guide: Guide, domain: tuple[str, ...]) -> tuple[Offsets, Ids]:
    offsets, tokens = exploded(column)
    plain = {"name": guide["name"], "kind": CERTAIN_MARK, "generalized": {}}
    items = items_from_tokens((offsets, *coded(tokens)), None, plain, domain, np.zeros(0, np.int32))
    assert isinstance(items, GeneralizedItems)
    member = items.labels.members
    order = np.argsort(member[items.shown] + rows_of(items.offsets) * len(domain))
    return items.offsets, member[items.shown][order]


def write_feather(release: Release, original: Dataset, path: Path) -> list[Guide]:
    """Write the records; the guides say how to read each attribute."""
    frame, guides = typed_frame(release, original)
    frame.write_ipc(path, compression="zstd", compat_level=pl.CompatLevel.oldest())
    return guides


def read_feather(path: Path, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
    """The published columns and items of a file that `write` wrote."""
    return from_typed_frame(pl.read_ipc(path.read_bytes()), path.name, guides, original, suppressed)
