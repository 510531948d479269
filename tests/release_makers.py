"""Hypothesis strategies for releases nobody would make: anything that fits the types, true or not."""

import numpy as np
from hypothesis import strategies as st

from anonset.model.dataset import Transactions
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges, UncertainItems
from anonset.model.release import Provenance, Release


@st.composite
def any_release(draw, data, uncertain=False):
    """A release of all records of a dataset: a random label in every cell, random items in every record."""
    n = len(data)
    columns = tuple(draw(any_column(column, n)) for column in data.columns)
    items = None
    if data.transactions is not None:
        items = draw(any_uncertain_items(data, n) if uncertain else any_items(data, n))
    return Release(columns, items, (), Provenance("chance"), np.arange(n, dtype=np.int64))


@st.composite
def any_column(draw, column, n):
    """Labels of random meaning; ranges may repeat each other, word by word or in other words."""
    if not column.domain:
        return PublishedColumn(column.name, column.role, np.full(n, -1, np.int32), _labels([]))
    a = draw(st.integers(1, 3))
    codes = np.array(draw(st.lists(st.integers(-1, a - 1), min_size=n, max_size=n)), np.int32)
    if column.kind == "numeric" and draw(st.booleans()):
        bounds = np.sort(np.array(draw(st.lists(st.tuples(*[st.integers(0, 60)] * 2), min_size=a, max_size=a)), float), axis=1)
        words = draw(st.lists(st.sampled_from(["same", "other"]), min_size=a, max_size=a))
        return PublishedColumn(column.name, column.role, codes, Ranges(bounds[:, 0].copy(), bounds[:, 1].copy(), tuple(words)))
    groups = draw(st.lists(st.sets(st.integers(0, len(column.domain) - 1), min_size=1), min_size=a, max_size=a))
    return PublishedColumn(column.name, column.role, codes, _labels(groups))


@st.composite
def any_items(draw, data, n):
    """Labels that overlap (local recoding) or do not (global), some items suppressed, and random ones shown."""
    domain = data.transactions.domain
    if draw(st.booleans()):
        group = draw(st.lists(st.integers(-1, 3), min_size=len(domain), max_size=len(domain)))
        groups = [{i for i, g in enumerate(group) if g == wanted} for wanted in set(group) if wanted >= 0]
        suppressed = np.flatnonzero(np.array(group) < 0).astype(np.int32)
    else:
        groups = draw(st.lists(st.sets(st.integers(0, len(domain) - 1), min_size=1), min_size=1, max_size=5))
        suppressed = np.array(sorted(draw(st.sets(st.integers(0, len(domain) - 1), max_size=1))), np.int32)
    labels = _labels(groups)
    few = st.sets(st.sampled_from(labels.texts)) if groups else st.just(set())
    shown = Transactions.from_records(draw(st.lists(few, min_size=n, max_size=n)), labels.texts)
    return GeneralizedItems(shown.offsets, shown.items, labels, domain, suppressed)


@st.composite
def any_uncertain_items(draw, data, n):
    """Random bases near the originals, random distances and thresholds."""
    domain = data.transactions.domain
    bases, distances, thresholds = [], [], []
    for record in data.transactions.records():
        flipped = draw(st.sets(st.sampled_from(domain), max_size=1))
        bases.append(record ^ flipped)
        distances.append(draw(st.sets(st.sampled_from(domain))))
        thresholds.append(draw(st.integers(0, len(distances[-1]))))
    base, distance = Transactions.from_records(bases, domain), Transactions.from_records(distances, domain)
    return UncertainItems(base.offsets, base.items, distance.offsets, distance.items, np.array(thresholds, np.int32), domain)


def _labels(groups):
    return Labels.from_groups([sorted(group) for group in groups], [f"L{a}" for a in range(len(groups))])
