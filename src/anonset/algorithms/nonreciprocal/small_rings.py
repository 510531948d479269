"""Small rings of similar records whose labels all differ: any assignment inside them keeps the labels of matches different.

And the labels: which record has which, whether they can be kept l-diverse, and an order that keeps equal ones apart.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from anonset.algorithms.nonreciprocal.kernels.spacing import cut_apart, spread
from anonset.algorithms.nonreciprocal.kernels.tours import distance_matrix, exchange_members
from anonset.algorithms.nonreciprocal.rings import Rings, refuse_large
from anonset.errors import InfeasibleError, InputError
from anonset.kernels.gray import cyclic_distances, distances_from
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.progress import Progress
from anonset.model.transactions import Transactions

WINDOW = 700  # records among which members are exchanged
PASSES = 100


class RecordLabels(NamedTuple):
    """The label of each record, from 0 to n_labels - 1, and what they are the values of."""

    codes: Ids
    n_labels: int
    column: str = ""


def small_rings(records: Transactions, rows: Rows, labels: RecordLabels, size: int, rounds: int, progress: Progress) -> Rings:
    """Rings of `size` or more records from an order that keeps equal labels `size` apart, exchanged until they are close."""
    rings = _cut(records, rows, labels, size)
    for done in range(rounds):
        rings = _exchanged(records, rings, labels, done, lambda share: progress((done + share) / rounds))  # noqa: B023
    return rings


def _cut(records: Transactions, rows: Rows, labels: RecordLabels, size: int) -> Rings:
    """Rings of `size` to half as many more records, cut where neighbours differ most.

    Where no such cuts exist, every ring has `size` records, and the fewer than `size` that remain each join the ring of the
    nearest record that has nobody with their label. There is one: a label is in at most n / size records, and that, rounded
    down, is the number of rings.
    """
    steps = cyclic_distances(records.offsets, records.items, rows)
    borders = cut_apart(steps, labels.codes[rows], labels.n_labels, size, size + size // 2)
    if len(borders):
        return Rings(rows, borders)
    whole = len(rows) // size * size
    rings = [list(rows[start : start + size]) for start in range(0, whole, size)]
    ring_of = {r: ring for ring in rings for r in ring}
    for r in rows[whole:]:
        for near in np.argsort(distances_from(records.offsets, records.items, r, len(records.domain)), kind="stable"):
            ring = ring_of.get(near)
            if ring is not None and labels.codes[r] not in labels.codes[ring]:
                ring.insert(ring.index(near), r)
                break
    return Rings.of([np.array(ring, np.int64) for ring in rings])


def _exchanged(records: Transactions, rings: Rings, labels: RecordLabels, done: int, progress: Progress) -> Rings:
    """The rings with members exchanged among neighbouring rings; windows of odd rounds overlap those of even ones."""
    n, rows = len(rings.rows), rings.rows.copy()
    inner = np.searchsorted(rings.starts, np.arange(WINDOW // (1 + done % 2), n, WINDOW))
    for first, last in pairwise(np.unique([0, *inner, len(rings.starts) - 1])):
        start, stop = rings.starts[first], rings.starts[last]
        progress(start / n)
        if last - first < 2:
            continue
        here = rows[start:stop]
        group = np.repeat(np.arange(last - first, dtype=np.int32), np.diff(rings.starts[first : last + 1]))
        used, codes = np.unique(labels.codes[here], return_inverse=True)
        matrix = distance_matrix(records.offsets, records.items, here, len(records.domain))
        group = exchange_members(matrix, group, last - first, codes.astype(np.int32), len(used), PASSES)
        rows[start:stop] = here[np.argsort(group, kind="stable")]
    return Rings(rows, rings.starts)


def sensitive_labels(data: Dataset) -> RecordLabels:
    """The values of the one sensitive column; a missing value is a label too."""
    columns = data.with_role("sensitive")
    if len(columns) != 1:
        names = ", ".join(column.name for column in columns) or "none"
        raise InputError(f"this needs exactly one sensitive column; there are {len(columns)}: {names}")
    used, codes = np.unique(columns[0].codes, return_inverse=True)
    return RecordLabels(codes.astype(np.int32), len(used), columns[0].name)


def all_different(n: int) -> RecordLabels:
    """A label of its own for each of n records."""
    return RecordLabels(np.arange(n, dtype=np.int32), n)


def refuse_ineligible(labels: RecordLabels, l: int) -> None:  # noqa: E741 - the papers' letter
    """Raise where some label is in more than 1/l of the records."""
    n = len(labels.codes)
    refuse_large("l", l, n)
    most = int(np.bincount(labels.codes).max())
    if most * l > n:
        raise InfeasibleError(
            f"the most frequent value of {labels.column!r} is in {most} of {n} records, more than 1/{l}; "
            f"l can be at most {n // most}"
        )


def spread_rows(rows: Rows, labels: RecordLabels, spacing: int) -> Rows:
    """The cyclic order with as little moved as needed to keep equal labels `spacing` places apart."""
    places, placed = spread(labels.codes[rows], labels.n_labels, spacing)
    if not placed:
        raise InfeasibleError(f"no order was found that keeps equal values of {labels.column!r} {spacing} records apart")
    return rows[places]
