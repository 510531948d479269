"""Error rate of uncertain item sets ([004] 5.1)."""

import numpy as np

from anonset.measure.uncertain import shown_sets, true_sets, uncertain
from anonset.model.dataset import Dataset
from anonset.model.release import Release


def er(original: Dataset, release: Release) -> float:
    """Return the mean over records of (items wrong in the base set) / (items of the record): 0.0 none is wrong.

    A record without items counts each wrong item as one. Above 1.0 more is wrong than was there.
    """
    if len(release) == 0:
        return 0.0
    true = true_sets(original, release)
    base = shown_sets(uncertain(release), true.shape[1]).base
    wrong = np.asarray(abs(base - true).sum(axis=1)).ravel()
    held = np.asarray(true.sum(axis=1)).ravel()
    return float((wrong / np.maximum(held, 1)).mean())
