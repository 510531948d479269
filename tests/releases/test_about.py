import numpy as np
import pytest

import anonset
from anonset.releases.about import Exactness
from hospital import VISITS


def test_what_is_exact_is_counted_and_added_up():
    data = anonset.read(VISITS, identifier=["patient_id"], quasi=["age", "town", "weight"])
    release = anonset.anonymize(data, "cluster", k=3, seed=0)
    rows = np.arange(len(release))

    whole = Exactness.of(release)
    halves = Exactness.of(release.take(rows[:3])).counts + Exactness.of(release.take(rows[3:])).counts

    assert (whole.counts == halves).all()
    for j, column in enumerate(release.columns):
        exact = sum(c < 0 or _is_exact(column.labels, c) for c in column.codes)
        assert whole.column(j) == pytest.approx(exact / len(release))
    assert whole.width is None or whole.width >= 2


def _is_exact(labels, c):
    return labels.low[c] == labels.high[c] if hasattr(labels, "low") else labels.sizes[c] == 1
