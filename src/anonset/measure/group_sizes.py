"""Discernibility, and the normalized average group size: how many records each record hides among."""

import numpy as np

from anonset.measure.published import groups
from anonset.model.dataset import Dataset
from anonset.model.release import Release


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
