"""How wrong counts come out, by how many people they count."""

from typing import NamedTuple

import numpy as np

from anonset.measure.workload import Estimator, Query, QueryCounts, Workload, count_queries, held_queries
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.release import Release

BOUNDS = (1, 10, 30, 100, 300, 1000)


class SizedError(NamedTuple):
    """Of the counts of `low` people or more (below `high`, if any): how many were asked for, and how far off they are.

    `error` is the mean of |estimate - actual| / actual, `median` its median.
    """

    low: int
    high: int | None
    counts: int
    error: float
    median: float


def errors_by_size(
    original: Dataset, release: Release, *, pairs: int = 1000, estimator: Estimator = "uniform", seed: int = 0
) -> tuple[SizedError, ...]:
    """The errors of counts of every single item and of random pairs that somebody holds, in bins of the true count."""
    workload = single_and_pair_counts(original, pairs, seed)
    return sized_errors(count_queries(original, release, workload, estimator=estimator))


def sized_errors(counts: QueryCounts) -> tuple[SizedError, ...]:
    """The errors of counts, in bins of the true count."""
    errors, found = counts.relative_errors(), []
    for low, high in zip(BOUNDS, (*BOUNDS[1:], None), strict=True):
        inside = errors[(counts.actual >= low) & (counts.actual < (np.inf if high is None else high))]
        if len(inside):
            found.append(SizedError(low, high, len(inside), float(inside.mean()), float(np.median(inside))))
    return tuple(found)


def single_and_pair_counts(original: Dataset, pairs: int, seed: int, supports: Rows | None = None) -> Workload:
    """A query for each linkable item that occurs, and for pairs that a random record holds, each once.

    `supports` are those of more records than the given ones, where these were drawn from them.
    """
    t = original.linkable
    singles = [Query(items=(t.domain[i],)) for i in np.flatnonzero(t.supports if supports is None else supports)]
    if pairs == 0 or t.lengths.max(initial=0) < 2:
        return Workload(tuple(singles))
    drawn = {query.items: query for query in held_queries(original, pairs, items=2, seed=seed).queries}
    return Workload((*singles, *drawn.values()))
