"""Utility loss of the mean record ([000] section 5)."""

import numpy as np

from anonset.measure.published import generalized, linkable_records
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.model.sets import rows_of


def ul_record(original: Dataset, release: Release, *, exact_weight: float = 1.0) -> float:
    """Return the mean over records of sum(2^size - 1) / (2^(sum of sizes) - 1): 1.0 one item stands for all.

    An untouched record of one item scores 1, as in the paper; a record without items scores 0. Sensitive items do not count.
    """
    offsets, shown = linkable_records(original, release)
    if len(release) == 0:
        return 0.0
    sizes = generalized(release).labels.sizes[shown].astype(np.float64)
    record = rows_of(offsets)
    sigma = np.bincount(record, weights=sizes, minlength=len(release))
    # (2^a - 1) / (2^b - 1) = 2^(a - b) * (1 - 2^-a) / (1 - 2^-b): no power overflows
    share = np.exp2(sizes - sigma[record]) * (1.0 - np.exp2(-sizes)) / (1.0 - np.exp2(-sigma[record]))
    share *= np.where(sizes == 1.0, exact_weight, 1.0)
    return float(share.sum() / len(release))


def ul_record_exact0(original: Dataset, release: Release) -> float:
    """Return `ul_record` with exact items at no cost: 0.0 all exact, 1.0 one item stands for all."""
    return ul_record(original, release, exact_weight=0.0)
