"""A measure: the share of the records that show all their items as they are."""

import numpy as np

from anonset.measure import Measure
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.model.sets import rows_of


def exact_records(original: Dataset, release: Release) -> float:
    """Return the share of records that show exactly the items of their original: 1.0 all do, 0.0 none does."""
    items, sets = release.items, original.transactions
    assert isinstance(items, GeneralizedItems), "the measure needs items"
    assert sets is not None, "the measure needs items"
    exact = np.bincount(rows_of(items.offsets)[items.labels.sizes[items.shown] == 1], minlength=len(release))
    same = (exact == np.diff(items.offsets)) & (exact == sets.lengths[release.rows])
    return float(same.mean()) if len(release) else 0.0


EXACT_RECORDS = Measure(exact_records, "items", "share of the records that show all their items: 1 all", more_is_better=True)
