"""Normalized certainty penalty of the items ([002] 3.3)."""

import numpy as np

from anonset.measure.published import generalized, standing
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.release import Release


def ncp_items(original: Dataset, release: Release, *, labels: Ids | None = None) -> float:
    """Return the mean loss of an item occurrence: 0.0 all exact, 1.0 all suppressed or at the root.

    An occurrence shown as a label of n > 1 items loses n / number of items; a suppressed one, or one of a record that was
    left out, loses 1. Sensitive items are published as they are and lose nothing.
    """
    labels = standing(original, release) if labels is None else labels
    if len(labels) == 0:
        return 0.0
    assert original.transactions is not None
    sizes = generalized(release).labels.sizes
    loss = np.where(sizes == 1, 0.0, sizes / len(original.transactions.domain))
    return float(np.where(labels >= 0, np.append(loss, 1.0)[np.maximum(labels, -1)], 1.0).mean())
