"""Error of item frequencies."""

import numpy as np

from anonset.measure.published import generalized, members_in_original
from anonset.model.arrays import Reals
from anonset.model.dataset import Dataset
from anonset.model.release import Release


def item_error(original: Dataset, release: Release) -> float:
    """Return the mean relative error of the items' expected frequencies: 0.0 all right, 1.0 off by as much as there is."""
    assert original.transactions is not None
    actual = original.transactions.supports
    occurs = actual > 0
    if not occurs.any():
        return 0.0
    return float((np.abs(actual - expected_supports(original, release))[occurs] / actual[occurs]).mean())


def expected_supports(original: Dataset, release: Release) -> Reals:
    """The number of records each item is expected in: a label of n items shows each with 2^(n-1) / (2^n - 1)."""
    assert original.transactions is not None
    items = generalized(release)
    support = np.bincount(items.shown, minlength=len(items.labels)).astype(np.float64)
    each = np.repeat(support * 0.5 / (1.0 - np.exp2(-items.labels.sizes.astype(np.float64))), items.labels.sizes)
    members = members_in_original(original, items)
    expected = np.zeros(len(original.transactions.domain))
    np.add.at(expected, members[members >= 0], each[members >= 0])
    return expected
