"""Normalized certainty penalty of the relational values ([000] section 5)."""

from collections.abc import Mapping

import numpy as np

from anonset.model.arrays import Reals
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.labels import PublishedColumn, Ranges
from anonset.model.release import Release


def ncp(original: Dataset, release: Release, *, weights: Mapping[str, float] | None = None) -> float:
    """Return the mean loss of a record: 0.0 every quasi value exact, 1.0 every one anything.

    Attributes weigh 1/v each unless weights are given. A record that was left out counts 1.
    """
    columns = release.quasi
    w = {c.name: 1.0 / len(columns) for c in columns} if weights is None else weights
    lost = sum((w[c.name] * column_loss(original.column(c.name), c) for c in columns), np.zeros(len(release)))
    return float((lost.sum() + sum(w[c.name] for c in columns) * (len(original) - len(release))) / max(1, len(original)))


def column_loss(original: Column, published: PublishedColumn) -> Reals:
    """The loss of each published value of one column; an exact missing value loses nothing."""
    return np.append(label_loss(original, published), 0.0)[published.codes]


def label_loss(original: Column, published: PublishedColumn) -> Reals:
    """The loss of each label: 0 exact, else its share of the domain."""
    labels = published.labels
    if isinstance(labels, Ranges):
        low, high = original.span
        return np.minimum(1.0, (labels.high - labels.low) / (high - low)) if high > low else np.zeros(len(labels))
    sizes = labels.sizes
    return np.where(sizes == 1, 0.0, sizes / len(original.domain))
