"""What columns lose: the normalized certainty penalty ([000] section 5), and the shares of exact and of lost values."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from anonset.measure.published import groups
from anonset.model.arrays import Mask, Reals
from anonset.model.dataset import Column, Dataset
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


class KeptValues(NamedTuple):
    """The shares of a column's values that are shown as they are, and that say nothing any more."""

    exact: float
    lost: float


def exact_values(original: Dataset, release: Release) -> float:
    """Return the share of quasi values that are shown as they are: 0.0 none, 1.0 all."""
    return float(np.mean([kept_values(original, column).exact for column in release.quasi]))


def lost_values(original: Dataset, release: Release) -> float:
    """Return the share of quasi values that say nothing any more: shown as "anything", or of a record that was left out."""
    return float(np.mean([kept_values(original, column).lost for column in release.quasi]))


def kept_values(original: Dataset, published: PublishedColumn) -> KeptValues:
    """What is left of one published column."""
    if len(original) == 0:
        return KeptValues(1.0, 0.0)
    column = original.column(published.name)
    loss = column_loss(column, published)
    exact = is_exact(published)
    lost = (loss >= 1.0) & ~exact
    left_out = len(original) - len(published)
    return KeptValues(float(exact.sum() / len(original)), float((lost.sum() + left_out) / len(original)))


def is_exact(published: PublishedColumn) -> Mask:
    """Which published values are shown as they are."""
    labels = published.labels
    exact = labels.low == labels.high if isinstance(labels, Ranges) else labels.sizes == 1
    return np.append(exact, True)[published.codes]


def discernibility(original: Dataset, release: Release) -> float:
    """Return the sum of squared group sizes; a record that was left out counts as many as there are records."""
    group, count = groups(release.quasi, len(release))
    sizes = np.bincount(group, minlength=count).astype(np.float64)
    return float((sizes**2).sum() + (len(original) - len(release)) * len(original))


def c_avg(original: Dataset, release: Release) -> float:
    """Return the mean group size over the promised k (1 where none is promised): 1.0 is the least a release can have."""
    _, count = groups(release.quasi, len(release))
    k = max((getattr(guarantee, "k", 1) for guarantee in release.guarantees), default=1)
    return len(release) / (max(1, count) * k)
