"""One order for labels and records that depends on what is published alone, so that it says nothing about the input's."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Rows
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.order import set_ranks
from anonset.model.release import Release
from anonset.releases.formats.sets import states


def canonical(release: Release) -> Release:
    """The release with its labels and its records sorted by what they show; labels that nothing shows are dropped."""
    columns, items = with_sorted_labels(release.columns, release.items)
    order = _record_order(columns, items)
    assignments = None
    if release.assignments is not None:
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        assignments = place[release.assignments]
    shown = replace(release, columns=columns, items=items).take(order)
    return replace(shown, assignments=assignments)


def with_sorted_labels(
    columns: tuple[PublishedColumn, ...], items: PublishedItems | None
) -> tuple[tuple[PublishedColumn, ...], PublishedItems | None]:
    """Columns and items with the labels that are shown, in order of what they stand for."""
    return tuple(_sorted_column(column) for column in columns), _sorted_items(items)


def _sorted_column(column: PublishedColumn) -> PublishedColumn:
    labels, number = _sorted_labels(column.labels, np.unique(column.codes[column.codes >= 0]))
    return replace(column, codes=np.append(number, np.int32(-1))[column.codes], labels=labels)


def _sorted_items(items: PublishedItems | None) -> PublishedItems | None:
    if not isinstance(items, GeneralizedItems):
        return items
    labels, number = _sorted_labels(items.labels, np.unique(items.shown))
    assert isinstance(labels, Labels)
    offsets, shown = collapse(items.offsets, number[items.shown])
    return GeneralizedItems(offsets, shown, labels, items.domain, np.sort(items.suppressed))


def _sorted_labels(labels: Labels | Ranges, used: NDArray[Any]) -> tuple[Labels | Ranges, Ids]:
    """The labels in use in order of what they stand for, and the new number of each old one; equal ranges become one."""
    used = used[np.argsort(np.array([labels.texts[a] for a in used], np.dtypes.StringDType()), kind="stable")]
    if isinstance(labels, Ranges):
        order = used[np.lexsort((labels.high[used], labels.low[used]))]
        pairs = np.stack([labels.low[order], labels.high[order]], axis=1)
        fresh = np.append(True, (pairs[1:] != pairs[:-1]).any(axis=1))[: len(order)]
    else:
        starts, stops = labels.offsets[used], labels.offsets[used + 1]
        order = used[np.lexsort((stops - starts, labels.members[stops - 1], labels.members[starts]))]
        fresh = np.ones(len(order), np.bool_)
    number = np.full(len(labels), -1, np.int32)
    number[order] = np.cumsum(fresh) - 1
    order = order[fresh]
    texts = tuple(labels.texts[a] for a in order)
    if isinstance(labels, Ranges):
        return Ranges(labels.low[order], labels.high[order], texts), number
    return Labels.from_groups([labels.members[labels.offsets[a] : labels.offsets[a + 1]] for a in order], texts), number


def _record_order(columns: tuple[PublishedColumn, ...], items: PublishedItems | None) -> Rows:
    keys: list[NDArray[Any]] = [column.codes for column in columns]
    if isinstance(items, GeneralizedItems):
        keys.append(set_ranks(items.offsets, items.shown, len(items.labels)))
    elif isinstance(items, UncertainItems):
        keys += [set_ranks(*states(items), 3 * len(items.domain)), items.threshold]
    return np.lexsort(keys[::-1]).astype(np.int64)
