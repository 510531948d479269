"""Compare a release with its original record by record, and two releases of one original. Private to the owner of the data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
import polars as pl

from anonset.attacks.linkage import published_candidates, raw_candidates
from anonset.errors import InputError
from anonset.measure import MEASURES
from anonset.measure.information_loss import is_exact, label_sizes
from anonset.measure.workload import Query
from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.release import ExactCounts, Release
from anonset.releases.frames import dataset_frame, frame_in_order

SHOWN = 20  # most candidates in the answer
MOST_LISTED = 2_000  # values of a column that a form offers


@dataclass(frozen=True, slots=True)
class Pair:
    """A record before and after, by column; after is None if it is not published."""

    before: Mapping[str, Any]
    after: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A value that does not occur in a column, or among the items, and values that look like it."""

    column: str
    value: str
    close: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fitting:
    """The numbers of records that match what an attacker knows, and some of the matching published records.

    Where a value is `unknown`, nothing was counted: that nobody has it says nothing about the release.
    """

    before: int
    after: int
    shown: tuple[Mapping[str, Any], ...]
    unknown: tuple[UnknownValue, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownValues:
    """What can be known of a column: its smallest and largest number, or its values, the most frequent first."""

    column: str
    values: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


def pairs(original: Dataset, release: Release, rows: Sequence[int]) -> list[Pair]:
    """Return the given rows of the input, before and after."""
    place = np.full(len(original), -1, np.int64)
    place[release.rows] = np.arange(len(release))
    chosen_rows = np.array(rows, np.int64)
    before = texts(dataset_frame(original.take(chosen_rows)))
    here = place[chosen_rows]
    after = iter(texts(_published(original, release, here[here >= 0])))
    return [Pair(row, next(after) if p >= 0 else None) for row, p in zip(before, here.tolist(), strict=True)]


def texts(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as texts and lists of texts."""
    flat = [name for name, kind in frame.schema.items() if not kind.is_nested()]
    return frame.with_columns(pl.col(flat).cast(pl.String)).to_dicts()


def fitting(original: Dataset, release: Release, values: Mapping[str, str], items: Sequence[str]) -> Fitting:
    """Return the records that match these values and items, or which of them do not occur."""
    if unknown := _unknown(original, values, items):
        return Fitting(0, 0, (), unknown)
    known = _query(original, values, items)
    before, after = raw_candidates(original)(known), published_candidates(original, release)(known)
    examples = texts(_published(original, release, after[:SHOWN]))
    return Fitting(len(before), len(after), tuple(examples))


def _unknown(original: Dataset, values: Mapping[str, str], items: Sequence[str]) -> tuple[UnknownValue, ...]:
    """Return the values and items that do not occur in the original; numbers do if they lie between two that do."""
    found = []
    for name, text in values.items():
        column = original.column(name)
        if column.values is None:
            there = text in column.domain
        else:
            number = _number(name, text)
            there = bool(len(column.values)) and column.values.min() <= number <= column.values.max()
        if not there:
            found.append(UnknownValue(name, text, () if column.values is not None else _close(text, column.domain)))
    domain = () if original.transactions is None else original.transactions.domain
    strange = [item for item in items if item not in set(domain)]
    return (*found, *(UnknownValue(original.item_column, item, _close(item, domain)) for item in strange))


def _close(text: str, domain: Sequence[str]) -> tuple[str, ...]:
    folded = {value.casefold(): value for value in domain}
    return tuple(folded[near] for near in get_close_matches(text.casefold(), folded, 3))


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError("a number is expected", column=name) from None


def known_values(original: Dataset) -> tuple[KnownValues, ...]:
    """Return what can be known of each quasi column, and of the items at the end, for a form to choose from."""
    found = []
    for column in original.quasi:
        if column.values is not None and len(column.values):
            found.append(KnownValues(column.name, (), float(column.values.min()), float(column.values.max())))
        elif column.values is None:
            held = np.bincount(column.codes[column.codes >= 0], minlength=len(column.domain))
            found.append(KnownValues(column.name, _frequent(column.domain, held)))
    t = original.transactions
    return (*found, *(() if t is None else (KnownValues(original.item_column, _frequent(t.domain, t.supports)),)))


def _frequent(domain: Sequence[str], counts: Rows) -> tuple[str, ...]:
    order = np.argsort(-counts, kind="stable")[:MOST_LISTED]
    return tuple(domain[c] for c in order.tolist() if counts[c])


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
        ranges[name] = (_number(name, text), _number(name, text))
    known = set() if original.transactions is None else set(original.transactions.domain)
    if strange := [item for item in items if item not in known]:
        raise InputError(f"{len(strange)} of the items do not occur in the data")
    return Query(ranges, chosen, tuple(dict.fromkeys(items)))


def holders(original: Dataset, itemsets: Sequence[Sequence[str]]) -> list[int]:
    """Return the number of records that hold all items of each set."""
    find = raw_candidates(original)
    return [len(find(_query(original, {}, itemset))) for itemset in itemsets]


def columns(original: Dataset, a: Release, b: Release) -> list[ExactCounts]:
    """The quasi columns."""
    exact = [{column.name: _in_order(original, release, is_exact(column)) for column in release.quasi} for release in (a, b)]
    names = [name for name in exact[0] if name in exact[1]]
    return [_exact_counts(name, len(original), exact[0][name], exact[1][name]) for name in names]


def items(original: Dataset, a: Release, b: Release) -> list[ExactCounts]:
    """Return the items that the releases publish exactly in different numbers of records, the largest difference first."""
    if not isinstance(a.items, GeneralizedItems) or not isinstance(b.items, GeneralizedItems):
        return []
    t, exact = original.linkable, [label_sizes(original, release) == 1 for release in (a, b)]
    there = np.bincount(t.items, minlength=len(t.domain))

    def count(which: Mask) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        return np.bincount(t.items[which], minlength=len(t.domain))

    counts = [there, count(exact[0]), count(exact[1]), count(exact[0] & ~exact[1]), count(exact[1] & ~exact[0])]
    most = counts[3] + counts[4]
    order = sorted(np.flatnonzero(most).tolist(), key=lambda i: (-int(most[i]), t.domain[i]))
    return [ExactCounts(t.domain[i], *(int(column[i]) for column in counts)) for i in order]


def better(id: str, a: float, b: float) -> str | None:
    """Which of two values of a measure is the better one."""
    if a == b or id not in MEASURES:
        return None
    return "a" if (a > b) == MEASURES[id].more_is_better else "b"


def meanings(ids: Iterable[str]) -> dict[str, str]:
    """What measures mean, in a line."""
    return {id: MEASURES[id].meaning for id in ids if id in MEASURES}


def _in_order(original: Dataset, release: Release, mask: Mask) -> Mask:
    """Return a mask of published records as a mask of input rows; False for rows that are not published."""
    found = np.zeros(len(original), np.bool_)
    found[release.rows] = mask
    return found


def _exact_counts(name: str, records: int, a: Mask, b: Mask) -> ExactCounts:
    parts: Sequence[Mask] = (a, b, a & ~b, b & ~a)
    return ExactCounts(name, records, *(int(part.sum()) for part in parts))
