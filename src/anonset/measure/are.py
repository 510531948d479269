"""Average relative error of a query workload ([000], [001], [003])."""

import numpy as np

from anonset.errors import InputError
from anonset.measure.workload import Estimator, Workload, count_queries
from anonset.model.dataset import Dataset
from anonset.model.release import Release


def are(
    original: Dataset, release: Release, workload: Workload, *, estimator: Estimator = "subsets", sanity: float = 1.0
) -> float:
    """Return the mean relative error of the queries: 0.0 all counts exact, 1.0 off by as much as there is."""
    if len(workload) == 0:
        raise InputError("an average relative error needs at least one query, and the workload has none")
    return float(np.mean(count_queries(original, release, workload, estimator=estimator).relative_errors(sanity)))
