"""What a release may say where records are left out: nothing that only those records hold.

Leaves of a hierarchy that came from a file are public; ranges and sets of values that come from the data (without a hierarchy,
or under a derived one) are cut back to the values of published records.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import is_public
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, PublishedItems, Ranges
from anonset.model.release import Release
from anonset.model.sets import rows_of


def without_left_out(original: Dataset, release: Release) -> Release:
    """The release with every label cut back to what published records hold; groups of records stay or join."""
    columns = tuple(
        _cut_back(original.column(column.name), column, release.rows) if column.role == "quasi" else column
        for column in release.columns
    )
    return replace(release, columns=columns, items=_cut_back_items(original, release))


def _cut_back(original: Column, published: PublishedColumn, rows: Rows) -> PublishedColumn:
    if is_public(original.hierarchy):
        return published
    codes = original.codes[rows]
    held = np.bincount(codes[codes >= 0], minlength=len(original.domain)) > 0
    if isinstance(published.labels, Ranges):
        return _with_ranges(original, published, published.labels, held)
    labels, number = _held_labels(published.labels, held, original.domain)
    return replace(published, codes=np.append(number, np.int32(-1))[published.codes], labels=labels)


def _with_ranges(original: Column, published: PublishedColumn, labels: Ranges, held: Mask) -> PublishedColumn:
    """Each end moved to the next number that a published record holds; a range that holds none shows a missing value."""
    assert original.values is not None
    here = np.flatnonzero(held)
    here = here[np.argsort(original.values[here], kind="stable")]
    numbers = original.values[here]
    first = np.searchsorted(numbers, labels.low)
    last = np.searchsorted(numbers, labels.high, side="right") - 1
    some = first <= last
    number = np.where(some, np.cumsum(some) - 1, -1).astype(np.int32)
    low, high = numbers[first[some]], numbers[last[some]]
    same = (low == labels.low[some]) & (high == labels.high[some])
    names = zip(here[first[some]], here[last[some]], same, np.flatnonzero(some), strict=True)
    texts = tuple(labels.texts[a] if kept else _range_text(original.domain[f], original.domain[t]) for f, t, kept, a in names)
    codes = np.append(number, np.int32(-1))[published.codes]
    return replace(published, codes=codes, labels=Ranges(low, high, texts))


def _range_text(low: str, high: str) -> str:
    return low if low == high else f"[{low}:{high}]"


def _cut_back_items(original: Dataset, release: Release) -> PublishedItems | None:
    items = release.items
    if not isinstance(items, GeneralizedItems) or original.transactions is None or is_public(original.item_hierarchy):
        return items
    held = original.transactions.take(release.rows).supports > 0
    if (
        held[items.labels.members].all()
        or not np.logical_or.reduceat(held[items.labels.members], items.labels.offsets[:-1]).all()
    ):
        return items  # nothing to cut, or a label that stands for nothing: for the verifier to find
    labels, number = _held_labels(items.labels, held, items.domain)
    record = rows_of(items.offsets)
    pairs = np.unique(record * max(1, len(labels)) + number[items.shown])
    offsets = np.searchsorted(pairs, np.arange(len(items) + 1) * max(1, len(labels))).astype(np.int64)
    shown = (pairs % max(1, len(labels))).astype(np.int32)
    return GeneralizedItems(offsets, shown, labels, items.domain, items.suppressed)


def _held_labels(labels: Labels, held: Mask, domain: Sequence[str]) -> tuple[Labels, Ids]:
    """The labels with the values that are held, those that come to the same joined, and the new number of each old one."""
    number = np.full(len(labels), -1, np.int32)
    groups: list[Ids] = []
    texts: list[str] = []
    place: dict[tuple[bytes, str], int] = {}
    for a, (members, text) in enumerate(_meanings(labels, held, domain)):
        if len(members) == 0:
            continue  # nobody who is published has any of them
        number[a] = place.setdefault((members.tobytes(), text), len(groups))
        if number[a] == len(groups):
            groups.append(members)
            texts.append(text)
    return Labels.from_groups(groups, _told_apart(texts)), number


def _meanings(labels: Labels, held: Mask, domain: Sequence[str]) -> Iterator[tuple[Ids, str]]:
    """What is left of each label, and its text; a text that names or counts a value that is gone is spelled anew."""
    for text, members in zip(labels.texts, labels.groups(), strict=True):
        kept = members[held[members]]
        gone = members[~held[members]]
        names = [domain[c] for c in kept]
        counted = len(gone) and text.endswith(f"+{len(members) - 1}")
        if (counted or any(domain[c] in text for c in gone)) and names:
            text = names[0] if len(names) == 1 else "{" + ",".join(names) + "}"
        yield kept, text


def _told_apart(texts: Sequence[str]) -> list[str]:
    """The texts, with primes behind those that were there before."""
    seen: dict[str, None] = {}
    for text in texts:
        while text in seen:
            text += "'"
        seen[text] = None
    return list(seen)
