"""How exactly quasi values are still shown: exact, generalized, lost."""

from typing import NamedTuple

import numpy as np

from anonset.measure.ncp import column_loss
from anonset.model.dataset import Dataset
from anonset.model.labels import PublishedColumn, Ranges
from anonset.model.release import Release


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
    exact, lost = _is_exact(published), (loss >= 1.0) & ~_is_exact(published)
    left_out = len(original) - len(published)
    return KeptValues(float(exact.sum() / len(original)), float((lost.sum() + left_out) / len(original)))


def _is_exact(published: PublishedColumn) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    labels = published.labels
    exact = labels.low == labels.high if isinstance(labels, Ranges) else labels.sizes == 1
    return np.append(exact, True)[published.codes]
