"""Average relative error of a query workload ([000], [001], [003])."""

import numpy as np

from anonset.measure.workload import Workload, count_queries
from anonset.model.dataset import Dataset
from anonset.model.release import Release


def are(original: Dataset, release: Release, workload: Workload, *, sanity: float = 1.0) -> float:
    """Return the mean relative error of the queries: 0.0 all counts exact, 1.0 off by as much as there is."""
    return float(np.mean(count_queries(original, release, workload).relative_errors(sanity))) if len(workload) else 0.0
