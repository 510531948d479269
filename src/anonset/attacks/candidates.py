"""Which published records fit what an attacker knows."""

from typing import Protocol

import numpy as np

from anonset.measure.workload import Query, RecordIndex
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import UncertainItems
from anonset.model.release import Release
from anonset.model.sets import rows_of


class CandidateFinder(Protocol):
    """Finds the records that fit a query."""

    def __call__(self, known: Query) -> Rows:
        """The published records that may be the person."""
        ...


def raw_candidates(original: Dataset) -> CandidateFinder:
    """Candidates in the raw data."""
    index = RecordIndex(original)
    return lambda known: index.matches(known)[0]


def published_candidates(original: Dataset, release: Release) -> CandidateFinder:
    """Candidates in a release."""
    if not isinstance(release.items, UncertainItems):
        index = RecordIndex(original, release)
        return lambda known: index.matches(known)[0]
    return _UncertainCandidates(original, release, release.items)


class _UncertainCandidates:
    """A record fits when each known item is in its base or may be, and no more are missing from the base than may be."""

    def __init__(self, original: Dataset, release: Release, items: UncertainItems) -> None:
        self.n = len(release)
        self.code = {name: i for i, name in enumerate(items.domain)}
        self.threshold = items.threshold
        self.in_base = _records_by_item(items.base_offsets, items.base, len(items.domain))
        self.uncertain = _records_by_item(items.distance_offsets, items.distance, len(items.domain))
        alone = Release(release.columns, None, release.guarantees, release.provenance, release.rows)
        self.columns = RecordIndex(original, alone) if release.columns else None

    def __call__(self, known: Query) -> Rows:
        fits, missing = np.zeros(self.n, np.int64), np.zeros(self.n, np.int64)
        for name in known.items:
            i = self.code[name]
            base, doubtful = self.in_base[i], np.setdiff1d(self.uncertain[i], self.in_base[i], assume_unique=True)
            fits[base] += 1
            fits[doubtful] += 1
            missing[doubtful] += 1
        found = (fits == len(known.items)) & (missing <= self.threshold)
        if self.columns is not None and (known.ranges or known.values):
            inside = np.zeros(self.n, np.bool_)
            inside[self.columns.matches(Query(known.ranges, known.values))[0]] = True
            found &= inside
        return np.flatnonzero(found)


def _records_by_item(offsets: Offsets, entries: Ids, d: int) -> list[Rows]:
    record = rows_of(offsets)
    order = np.argsort(entries, kind="stable")
    return np.split(record[order], np.cumsum(np.bincount(entries, minlength=d))[:-1])
