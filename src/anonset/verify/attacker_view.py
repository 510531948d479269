"""What the reader of a release sees: groups of records with equal quasi values, and the items an attacker may know."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges
from anonset.model.release import Release
from anonset.verify.sets import Sets, is_among

MANY = 12  # most labels of a set that a message lists
LONG = 80  # most characters of a text in a message
WIDEST = 2**62  # largest group number before groups are renumbered


class NotPublishedError(Exception):
    """The release does not publish what a guarantee is about."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Record r is in group of[r]; group g has sizes[g] records, firsts[g] among them, and shows the same in all columns."""

    of: Rows
    sizes: Rows
    firsts: Rows
    columns: tuple[PublishedColumn, ...]

    def text(self, g: int) -> str:
        """What the records of a group show, column by column."""
        r = int(self.firsts[g])
        return ", ".join(f"{column.name}={cell_text(column, r)}" for column in self.columns)


@dataclass(frozen=True, slots=True, eq=False)
class VisibleItems:
    """The labels that each published record shows, out of those an attacker may know; label a is shown as texts[a]."""

    sets: Sets
    texts: tuple[str, ...]

    def text(self, labels: Sequence[int]) -> str:
        """How a set of labels is shown; a long set by its first few."""
        few = [shortened(self.texts[a]) for a in labels[:MANY]]
        more = [f"and {len(labels) - MANY} more"] if len(labels) > MANY else []
        return f"{{{', '.join(few + more)}}}"


def shortened(text: str) -> str:
    """A text that fits into a sentence."""
    return text if len(text) <= LONG else f"{text[: LONG - 3]}..."


def match_text(items: VisibleItems, groups: Groups | None, group: int, labels: Sequence[int]) -> str:
    """What the records of a group that hold a set of labels have in common."""
    shown = items.text(labels) if len(labels) else ""
    columns = groups.text(group) if groups is not None else ""
    return " with ".join(part for part in (shown, columns) if part) or "anything at all"


def cell_text(column: PublishedColumn, r: int) -> str:
    """What one published cell shows."""
    return shortened(column.labels.texts[column.codes[r]]) if column.codes[r] >= 0 else "(missing)"


def quasi_columns(original: Dataset, release: Release) -> tuple[PublishedColumn, ...]:
    """The published columns an attacker may link on: quasi in the original or the release, or unknown to the original."""
    harmless = {column.name for column in original.columns if column.role != "quasi"}
    return tuple(column for column in release.columns if column.role == "quasi" or column.name not in harmless)


def groups_of(original: Dataset, release: Release) -> Groups:
    """The records grouped by what their quasi columns show; one group where there are none."""
    columns = quasi_columns(original, release)
    ids, room = np.zeros(len(release), np.int64), 1
    for column in columns:
        codes = published_values(column)
        size = int(codes.max(initial=0)) + 1
        if room * size > WIDEST:
            ids = np.unique(ids, return_inverse=True)[1].astype(np.int64)
            room = int(ids.max(initial=0)) + 1
        ids, room = ids * size + codes, room * size
    _, firsts, of, sizes = np.unique(ids, return_index=True, return_inverse=True, return_counts=True)
    return Groups(of.astype(np.int64), sizes, firsts, columns)


def published_values(column: PublishedColumn) -> Rows:
    """A number for each record that is equal where the cells look equal: same text and same meaning. Missing is 0.

    Where two labels mean the same but read differently, a reader can tell them apart, so they count as different.
    """
    labels = column.labels
    if len(set(labels.texts)) == len(labels.texts):
        return np.append(np.arange(1, len(labels.texts) + 1), 0)[column.codes]
    bounds = zip(labels.low.tolist(), labels.high.tolist(), strict=True) if isinstance(labels, Ranges) else repeat(None)
    seen: dict[object, int] = {}
    looks = [seen.setdefault(look, len(seen) + 1) for look in zip(labels.texts, bounds, strict=False)]
    return np.array([*looks, 0], np.int64)[column.codes]


def generalized_items(release: Release) -> GeneralizedItems:
    """The published generalized items; an error where the release has none."""
    if release.items is None:
        raise NotPublishedError("the guarantee is about items, and the release publishes none")
    if not isinstance(release.items, GeneralizedItems):
        raise NotPublishedError("the guarantee is about generalized items, and the release publishes uncertain ones")
    return release.items


def sensitive_names(original: Dataset) -> frozenset[str]:
    """The items that are published as they are and that no attacker is taken to know."""
    if original.transactions is None or original.sensitive_items is None:
        return frozenset()
    return frozenset(name for name, s in zip(original.transactions.domain, original.sensitive_items, strict=True) if s)


def linkable_items(release: Release, sensitive: Collection[str]) -> VisibleItems:
    """The labels each record shows without those that stand for sensitive items only."""
    items = generalized_items(release)
    flags = np.array([name in sensitive for name in items.domain], np.bool_)
    only = np.logical_and.reduceat(flags[items.labels.members], items.labels.offsets[:-1]) if len(items.labels) else flags
    sets = Sets(items.offsets, items.shown, len(items.labels))
    return VisibleItems(sets.keep(~only[items.shown]) if only.any() else sets, items.labels.texts)


def covers(column: Column, published: PublishedColumn, originals: Rows, records: Rows, among: Rows | None = None) -> Mask:
    """Whether the cell of published record records[e] stands for the value of original record originals[e], for every e.

    A missing value is covered by a missing one and by a label for anything: for all values of the records `among` which it is
    (all records where it is not said), or for all leaves of a hierarchy that everybody knows.
    """
    codes, shown = column.codes[originals], published.codes[records]
    answers: Mask = (codes < 0) & (shown < 0)
    both, hidden = np.flatnonzero((codes >= 0) & (shown >= 0)), np.flatnonzero((codes < 0) & (shown >= 0))
    answers[both] = _covers_value(column, published.labels, codes[both], shown[both])
    answers[hidden] = _anything(column, published.labels, among)[shown[hidden]]
    return answers


def is_exact(published: PublishedColumn) -> Mask:
    """Which cells show one value only, or that there is none."""
    labels = published.labels
    single: Mask = labels.low == labels.high if isinstance(labels, Ranges) else labels.sizes == 1
    return np.append(single, True)[published.codes]


def _covers_value(column: Column, labels: Labels | Ranges, codes: Ids, shown: Ids) -> Mask:
    """Whether each label stands for the value, and for nothing that is no value of the column."""
    if isinstance(labels, Ranges):
        if column.values is None:
            return np.zeros(len(codes), np.bool_)
        inside: Mask = (labels.low[shown] <= column.values[codes]) & (column.values[codes] <= labels.high[shown])
        return inside
    known = np.ones(len(labels), np.bool_)
    owners = np.repeat(np.arange(len(labels)), labels.sizes)
    known[owners[labels.members >= len(column.domain)]] = False
    d = max(len(column.domain), int(labels.members.max(initial=0)) + 1)
    return known[shown] & is_among(shown.astype(np.int64) * d + codes, owners * d + labels.members)


def _anything(column: Column, labels: Labels | Ranges, among: Rows | None) -> Mask:
    """Which labels stand for every value there is to stand for."""
    codes = column.codes if among is None else column.codes[among]
    held = np.flatnonzero(np.bincount(codes[codes >= 0]))
    if isinstance(labels, Ranges):
        if column.values is None or len(held) == 0:
            return np.ones(len(labels), np.bool_)
        numbers = column.values[held]
        whole: Mask = (labels.low <= numbers.min()) & (numbers.max() <= labels.high)
        return whole
    if column.hierarchy is not None and not column.hierarchy.derived:
        held = np.arange(len(column.domain), dtype=np.int32)
    wanted = np.zeros(max(len(column.domain), int(labels.members.max(initial=-1)) + 1), np.bool_)
    wanted[held] = True
    owners = np.repeat(np.arange(len(labels)), labels.sizes)
    all_of_them: Mask = np.bincount(owners[wanted[labels.members]], minlength=len(labels)) == len(held)
    return all_of_them
