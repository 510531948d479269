"""A release beside its original, record by record: for the owner of the data, never to be handed out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from anonset.attacks.linkage import published_candidates, raw_candidates
from anonset.errors import InputError
from anonset.measure.workload import Query
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.releases.frames import dataset_frame, frame_in_order

SHOWN = 20  # candidates that are shown


@dataclass(frozen=True, slots=True)
class Pair:
    """A record before and after, by column; after is None where it was left out."""

    before: Mapping[str, Any]
    after: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Fitting:
    """How many records fit what somebody knows, and some of the published ones as they are published."""

    before: int
    after: int
    shown: tuple[Mapping[str, Any], ...]


def pairs(original: Dataset, release: Release, rows: Sequence[int]) -> list[Pair]:
    """The given rows of the input, before and after."""
    place = np.full(len(original), -1, np.int64)
    place[release.rows] = np.arange(len(release))
    wanted = np.array(rows, np.int64)
    before = texts(dataset_frame(original.take(wanted)))
    here = place[wanted]
    after = iter(texts(_published(original, release, here[here >= 0])))
    return [Pair(row, next(after) if p >= 0 else None) for row, p in zip(before, here.tolist(), strict=True)]


def texts(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as texts and lists of texts."""
    flat = [name for name, kind in frame.schema.items() if not kind.is_nested()]
    return frame.with_columns(pl.col(flat).cast(pl.String)).to_dicts()


def fitting(original: Dataset, release: Release, values: Mapping[str, str], items: Sequence[str]) -> Fitting:
    """The records that fit somebody who has these values and holds these items."""
    known = _query(original, values, items)
    before, after = raw_candidates(original)(known), published_candidates(original, release)(known)
    shown = texts(_published(original, release, after[:SHOWN]))
    return Fitting(len(before), len(after), tuple(shown))


def _published(original: Dataset, release: Release, places: Rows) -> pl.DataFrame:
    found: pl.DataFrame = frame_in_order(release, original)[places.tolist()]
    return found


def _query(original: Dataset, values: Mapping[str, str], items: Sequence[str]) -> Query:
    ranges, chosen = {}, {}
    for name, text in values.items():
        column = original.column(name)
        if column.role != "quasi":
            raise InputError("is not a column that anybody is taken to know", column=name)
        if column.values is None:
            chosen[name] = (text,)
            continue
        try:
            ranges[name] = (float(text), float(text))
        except ValueError:
            raise InputError("a number is expected", column=name) from None
    known = set() if original.transactions is None else set(original.transactions.domain)
    if strange := [item for item in items if item not in known]:
        raise InputError(f"{len(strange)} of the items do not occur in the data")
    return Query(ranges, chosen, tuple(dict.fromkeys(items)))


def holders(original: Dataset, itemsets: Sequence[Sequence[str]]) -> list[int]:
    """How many records hold all items of each set."""
    find = raw_candidates(original)
    return [len(find(_query(original, {}, itemset))) for itemset in itemsets]
