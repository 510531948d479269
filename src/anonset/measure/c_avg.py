"""Normalized average group size."""

from anonset.measure.published import groups
from anonset.model.dataset import Dataset
from anonset.model.release import Release


def c_avg(original: Dataset, release: Release) -> float:
    """Return the mean group size over the promised k (1 where none is promised): 1.0 is the least a release can have."""
    _, count = groups(release.quasi, len(release))
    k = max((getattr(guarantee, "k", 1) for guarantee in release.guarantees), default=1)
    return len(release) / (max(1, count) * k)
