"""How the values of a sensitive column are spread over groups of records that look alike."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from anonset.model.arrays import Reals
from anonset.model.dataset import Dataset
from anonset.model.labels import PublishedColumn, Ranges
from anonset.model.release import Release
from anonset.verify.sets import Matrix
from anonset.verify.shown import Groups, NotPublishedError, groups_of, values_shown


class Spread(NamedTuple):
    """counts[g, v] records of group g have value v; ordered where the values ascend as numbers."""

    groups: Groups
    counts: Matrix
    ordered: bool
    texts: tuple[str, ...]


def spread_of(original: Dataset, release: Release, name: str) -> Spread:
    """The published values of the column, counted group by group."""
    column = next((column for column in release.columns if column.name == name), None)
    if column is None:
        raise NotPublishedError(f"the guarantee is about the column {name!r}, which is not published")
    groups = groups_of(original, release)
    if any(quasi.name == name for quasi in groups.columns):
        raise NotPublishedError(f"the column {name!r} is quasi: an attacker knows it already")
    numbers = _numbers(original, column)
    _, first, value = np.unique(values_shown(column) if numbers is None else numbers, return_index=True, return_inverse=True)
    counts = sparse.coo_array((np.ones(len(value), np.int64), (groups.of, value)), (len(groups.sizes), len(first))).tocsr()
    texts = tuple(column.labels.texts[a] if a >= 0 else "(missing)" for a in column.codes[first])
    return Spread(groups, counts, numbers is not None, texts)


def _numbers(original: Dataset, column: PublishedColumn) -> Reals | None:
    """The number each record shows, or None where they are not all numbers."""
    own = next((own for own in original.columns if own.name == column.name), None)
    if own is None or own.values is None or (column.codes < 0).any():
        return None
    if isinstance(column.labels, Ranges):
        exact, numbers = column.labels.low == column.labels.high, column.labels.low
    else:
        first = column.labels.members[column.labels.offsets[:-1]]
        exact, numbers = (
            (column.labels.sizes == 1) & (first < len(own.values)),
            own.values[np.minimum(first, len(own.values) - 1)],
        )
    return numbers[column.codes] if exact[column.codes].all() else None
