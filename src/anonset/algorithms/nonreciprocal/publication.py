"""From assignments to a release: bit voting over the originals behind each published record, columns, the private rest."""

from typing import NamedTuple

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.nonreciprocal.cover import covering_column
from anonset.algorithms.nonreciprocal.kernels.voting import vote
from anonset.algorithms.nonreciprocal.order import Tour
from anonset.algorithms.nonreciprocal.parameters import Walked
from anonset.algorithms.nonreciprocal.rings import Assignments, Chance, Rings, walked_assignments
from anonset.algorithms.recoding import exact_column
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.labels import UncertainItems
from anonset.model.progress import Progress
from anonset.model.release import Release, Trace
from anonset.model.sets import rows_of, take


class Preimages(NamedTuple):
    """Published record p may come from any of the input rows members[starts[s] : starts[s + 1]] with s = sets[p]."""

    sets: Rows
    starts: Offsets
    members: Ids


def preimages(assignments: Assignments) -> Preimages:
    """The originals that some assignment maps to each published record."""
    m, n = assignments.shape
    members = np.empty((n, m), np.int32)
    for a in range(m):
        members[assignments[a], a] = np.arange(n)
    return Preimages(np.arange(n, dtype=np.int64), np.arange(n + 1, dtype=np.int64) * m, members.ravel())


def walked_release(
    algorithm: Walked, data: Dataset, rings: Rings, m: int, promise: Guarantee, tour: Tour, progress: Progress
) -> Release:
    """The release of one of m disjoint random assignments of the rings, drawn at random."""
    chance = Chance(algorithm.seed)
    assignments, steps = walked_assignments(rings, m, algorithm.walk, chance, progress)
    trace = (
        {"step": "order", "length": tour.lengths},
        {"step": "rings", "number": len(rings.starts) - 1},
        {"step": "assignments", "steps walked": steps},
    )
    return drawn_release(algorithm, data, assignments, chance, promise, trace, progress)


def drawn_release(
    algorithm: Walked,
    data: Dataset,
    assignments: Assignments,
    chance: Chance,
    promise: Guarantee,
    trace: Trace,
    progress: Progress,
) -> Release:
    """The release of one of the assignments, drawn at random."""
    chosen = chance.below(len(assignments))
    release = release_of(algorithm, data, assignments, chosen, preimages(assignments), promise, trace)
    progress(1.0)
    return release


def release_of(
    algorithm: object,
    data: Dataset,
    assignments: Assignments,
    chosen: int,
    behind: Preimages,
    promise: Guarantee,
    trace: Trace,
) -> Release:
    """The release in which published record p carries the columns of the original that the chosen assignment maps to it.

    Records are listed by the input row of their node, which the choice does not depend on.
    """
    rows = np.empty(len(data), np.int64)
    rows[assignments[chosen]] = np.arange(len(data))
    columns = tuple(
        covering_column(column, *behind) if column.role == "quasi" else exact_column(column.take(rows))
        for column in data.columns
    )
    return Release(columns, uncertain_items(data, behind, rows), (promise,), provenance(algorithm), rows, assignments, trace)


def uncertain_items(data: Dataset, behind: Preimages, rows: Rows) -> UncertainItems:
    """Base, uncertain items and threshold by bit voting; sensitive items as they are in the rows.

    An item held by exactly half of the originals is in the base where more than half of all records hold it: a rule that
    depends on nobody's identity.
    """
    known = data.linkable
    common = 2 * known.supports > len(known)
    base_offsets, base, distance_offsets, distance, threshold = vote(
        known.offsets, known.items, behind.starts, behind.members, common
    )
    base_offsets, base = take(base_offsets, base, behind.sets)
    distance_offsets, distance = take(distance_offsets, distance, behind.sets)
    if data.sensitive_items is not None and data.sensitive_items.any():
        base_offsets, base = _with_sensitive(data, base_offsets, base, rows)
    return UncertainItems(base_offsets, base, distance_offsets, distance, threshold[behind.sets], known.domain)


def _with_sensitive(data: Dataset, offsets: Offsets, base: Ids, rows: Rows) -> tuple[Offsets, Ids]:
    assert data.transactions is not None
    assert data.sensitive_items is not None
    own = data.transactions.without(~data.sensitive_items).take(rows)
    record = np.concatenate([rows_of(offsets), rows_of(own.offsets)])
    items = np.concatenate([base, own.items])
    return offsets + own.offsets, items[np.lexsort((items, record))]
