"""Columns that are published as they are: whom they single out, together and with what is published of the quasi columns.

A guarantee covers quasi columns and items. Somebody who knows more than these, age and town that were called sensitive, may
find a group of fewer than k records.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from anonset.data.knowledge import could_be_known
from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import PublishedColumn
from anonset.model.release import Release

Singling = Callable[[Collection[str]], float]
"""The share of records that so many columns single out with the quasi values, and that the quasi values alone do not."""


def exact_names(columns: Iterable[Column | PublishedColumn]) -> tuple[str, ...]:
    """The columns that are published as they are."""
    return tuple(column.name for column in columns if column.role != "quasi")


def known_names(original: Dataset, columns: Iterable[Column | PublishedColumn]) -> tuple[str, ...]:
    """Those of them whose values others may know."""
    names = exact_names(columns)
    found = [column for column in original.columns if column.name in names]
    return tuple(c.name for c in found if could_be_known(c.name, c.role, _occurring(c)))


def singling(original: Dataset, release: Release, k: int) -> Singling:
    """Who is singled out in a release in memory."""
    base = _groups([column.codes for column in release.quasi], len(release))

    def share(names: Collection[str]) -> float:
        exact = [original.column(name).codes[release.rows] for name in names]
        return _share(_few(base, k), _few(_groups([base, *exact], len(release)), k))

    return share


def singling_before(original: Dataset, k: int) -> Singling:
    """Who is singled out by columns alone, before anything is published."""

    def share(names: Collection[str]) -> float:
        base = np.zeros(len(original), np.int64)
        return _share(_few(base, k), _few(_groups([original.column(name).codes for name in names], len(original)), k))

    return share


def singling_in_parts(files: Sequence[Path], guides: Sequence[Any], k: int) -> Singling:
    """Who is singled out in the files of a release in parts."""
    written = {guide["name"]: list(guide["columns"].values()) if "columns" in guide else [guide["column"]] for guide in guides}
    quasi = [column for guide in guides if guide["role"] == "quasi" for column in written[guide["name"]]]

    def counted(columns: list[str]) -> tuple[Any, Rows]:
        keys, counts = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        for file in files:
            here, times = np.unique(_hashes(file, columns), return_counts=True)
            keys, place = np.unique(np.concatenate([keys, here]), return_inverse=True)
            counts = np.bincount(place, np.concatenate([counts, times])).astype(np.int64)
        return keys, counts

    def few(columns: list[str], file: Path, found: tuple[Any, Rows]) -> Mask:
        keys, counts = found
        small: Mask = counts[np.searchsorted(keys, _hashes(file, columns))] < k
        return small

    def share(names: Collection[str]) -> float:
        both = [*quasi, *(column for name in names for column in written[name])]
        of_quasi, of_both = counted(quasi), counted(both)
        pairs = [(few(quasi, file, of_quasi), few(both, file, of_both)) for file in files]
        return _share(*(np.concatenate(masks) for masks in zip(*pairs, strict=True))) if pairs else 0.0

    return share


def rare_values(
    columns: Sequence[Column | PublishedColumn], counts: Callable[[str], Rows], k: int
) -> dict[str, tuple[int, int]]:
    """Of each sensitive column with values that fewer than k records have: how many values, and how many records."""
    found = {}
    for name in (column.name for column in columns if column.role == "sensitive"):
        few = counts(name)[(counts(name) > 0) & (counts(name) < k)]
        if len(few):
            found[name] = (len(few), int(few.sum()))
    return found


def _occurring(column: Column) -> list[str]:
    return [column.domain[c] for c in np.unique(column.codes[column.codes >= 0]).tolist()]


def _groups(codes: Sequence[Any], n: int) -> Rows:
    """The number of the group of each record: records that agree in all codes."""
    found = np.zeros(n, np.int64)
    for column in codes:
        places = np.unique(column, return_inverse=True)[1].astype(np.int64)
        found = np.unique(found * (int(places.max(initial=0)) + 1) + places, return_inverse=True)[1].astype(np.int64)
    return found


def _few(groups: Rows, k: int) -> Mask:
    few: Mask = np.bincount(groups)[groups] < k if len(groups) else np.zeros(0, np.bool_)
    return few


def _share(before: Mask, after: Mask) -> float:
    return float((after & ~before).mean()) if len(after) else 0.0


def _hashes(file: Path, columns: list[str]) -> Any:
    """A number for each record of a file that is the same where all the columns are."""
    if not columns:
        return np.zeros(pl.scan_parquet(file).select(pl.len()).collect().item(), np.uint64)
    return (
        pl.read_parquet(file, columns=columns, memory_map=False).select(pl.all().cast(pl.String)).hash_rows(seed=0).to_numpy()
    )
