"""Counts of queries: exact on exact records, expected on generalized ones."""

from dataclasses import dataclass

import numpy as np

from anonset.errors import InputError, ParameterError
from anonset.measure.qe import ItemQuery, answers
from anonset.measure.workload.index import RecordIndex
from anonset.measure.workload.item_shares import ESTIMATORS, Estimator
from anonset.measure.workload.queries import Query, Workload
from anonset.model.arrays import Reals
from anonset.model.dataset import Dataset
from anonset.model.labels import UncertainItems
from anonset.model.release import Release

SIZES = (
    ("none", 0.0, 1.0),
    ("1 to 4", 1.0, 5.0),
    ("5 to 19", 5.0, 20.0),
    ("20 to 99", 20.0, 100.0),
    ("100 to 999", 100.0, 1000.0),
    ("1000 and more", 1000.0, float("inf")),
)


@dataclass(frozen=True, slots=True, eq=False)
class QueryCounts:
    """The count of each query on the original and what a release makes of it."""

    workload: Workload
    actual: Reals
    estimate: Reals

    def relative_errors(self, sanity: float = 1.0) -> Reals:
        """abs(actual - estimate) / max(actual, sanity) of each query."""
        return np.abs(self.actual - self.estimate) / np.maximum(self.actual, sanity)

    def worst(self, most: int = 10) -> tuple[tuple[Query, float, float, float], ...]:
        """The queries with the largest relative errors: query, actual count, estimate, error."""
        errors = self.relative_errors()
        order = np.argsort(-errors, kind="stable")[:most].tolist()
        return tuple(
            (self.workload.queries[q], float(self.actual[q]), float(self.estimate[q]), float(errors[q])) for q in order
        )

    def errors_by_size(self) -> dict[str, tuple[int, float]]:
        """By how many records queries count: the number of such queries, and the mean of their relative errors."""
        errors = self.relative_errors()
        found = {}
        for name, low, high in SIZES:
            inside = errors[(self.actual >= low) & (self.actual < high)]
            if len(inside):
                found[name] = (len(inside), float(inside.mean()))
        return found


def count_queries(original: Dataset, release: Release, workload: Workload, *, estimator: Estimator = "subsets") -> QueryCounts:
    """The counts of a workload on both sides; the estimator says how items behind labels are counted."""
    if estimator not in ESTIMATORS:
        raise ParameterError(f"no estimator {estimator!r}; choose from {', '.join(ESTIMATORS)}")
    check_workload(original, workload)
    before = RecordIndex(original)
    actual = np.array([before.count(query) for query in workload.queries], np.float64)
    if isinstance(release.items, UncertainItems):
        return QueryCounts(workload, actual, _uncertain_estimates(release.items, workload, estimator))
    if release.items is None and any(query.items or query.absent for query in workload.queries):
        raise InputError("the workload asks for items, and the release has none")
    after = RecordIndex(original, release, estimator)
    return QueryCounts(workload, actual, np.array([after.count(query) for query in workload.queries], np.float64))


def _uncertain_estimates(items: UncertainItems, workload: Workload, estimator: Estimator) -> Reals:
    """Of uncertain item sets: every set that a record may stand for as likely, or (`expanded`) every record that may fit."""
    if any(query.ranges or query.values for query in workload.queries):
        raise InputError("of a release of uncertain items only counts of items are estimated; the workload asks for values")
    if estimator not in ("subsets", "expanded"):
        raise ParameterError(f"the estimator `{estimator}` reads labels; of uncertain items choose from subsets, expanded")
    asked = [ItemQuery(query.items, query.absent) for query in workload.queries]
    found = answers(items, asked)
    return np.array([a.expected if estimator == "subsets" else a.possible for a in found], np.float64)


def check_workload(original: Dataset, workload: Workload) -> None:
    """Raise unless every query asks for columns and items the original has."""
    known = set(original.transactions.domain) if original.transactions is not None else set()
    for number, query in enumerate(workload.queries, 1):
        for name in query.ranges:
            if original.column(name).kind != "numeric":
                raise InputError(f"query {number} asks for a range of {name!r}, which is not numeric")
        for name in query.values:
            if original.column(name).kind != "categorical":
                raise InputError(f"query {number} asks for values of {name!r}, which is numeric: give a range")
        unknown = [item for item in (*query.items, *query.absent) if item not in known]
        if unknown:
            raise InputError(f"query {number} asks for the item {unknown[0]!r}, which the data do not have")


def are(
    original: Dataset, release: Release, workload: Workload, *, estimator: Estimator = "subsets", sanity: float = 1.0
) -> float:
    """Return the mean relative error of the queries: 0.0 all counts exact, 1.0 off by as much as there is."""
    if len(workload) == 0:
        raise InputError("an average relative error needs at least one query, and the workload has none")
    return float(np.mean(count_queries(original, release, workload, estimator=estimator).relative_errors(sanity)))
