"""Sensitive labels: whether they can be kept l-diverse, and rings of records whose labels all differ."""

from typing import NamedTuple

import numpy as np

from anonset.algorithms.nonreciprocal.rings import Rings
from anonset.errors import InfeasibleError, InputError
from anonset.kernels.gray import cyclic_distances, distances_from
from anonset.kernels.spacing import cut_apart, spread
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.transactions import Transactions


class SensitiveLabels(NamedTuple):
    """The sensitive column's name and the label of each record, from 0 to n_labels - 1; a missing value is one too."""

    column: str
    codes: Ids
    n_labels: int


def sensitive_labels(data: Dataset) -> SensitiveLabels:
    """The labels of the one sensitive column."""
    columns = data.with_role("sensitive")
    if len(columns) != 1:
        names = ", ".join(column.name for column in columns) or "none"
        raise InputError(f"this needs exactly one sensitive column; there are {len(columns)}: {names}")
    used, codes = np.unique(columns[0].codes, return_inverse=True)
    return SensitiveLabels(columns[0].name, codes.astype(np.int32), len(used))


def refuse_ineligible(labels: SensitiveLabels, l: int) -> None:  # noqa: E741 - the papers' letter
    """Raise where some label is in more than 1/l of the records."""
    n = len(labels.codes)
    if l > n:
        raise InfeasibleError(f"l={l} exceeds the {n} records of the dataset")
    most = int(np.bincount(labels.codes).max())
    if most * l > n:
        raise InfeasibleError(
            f"the most frequent value of {labels.column!r} is in {most} of {n} records, more than 1/{l}; "
            f"l can be at most {n // most}"
        )


def spread_rows(rows: Rows, labels: SensitiveLabels, spacing: int) -> Rows:
    """The cyclic order with as little moved as needed to keep equal labels `spacing` places apart."""
    places, placed = spread(labels.codes[rows], labels.n_labels, spacing)
    if not placed:
        raise InfeasibleError(f"no order was found that keeps equal values of {labels.column!r} {spacing} records apart")
    return rows[places]


def diverse_rings(records: Transactions, rows: Rows, labels: SensitiveLabels, l: int) -> Rings:  # noqa: E741
    """An order with equal labels l apart, cut where neighbours differ most into rings of l to 3l/2 different labels.

    Where no such cuts exist, every ring has l records, and the fewer than l that remain each join the ring of the nearest
    record that has nobody with their label. There is one: a label is in at most n/l records, and n/l rounded down is the
    number of rings.
    """
    steps = cyclic_distances(records.offsets, records.items, rows)
    borders = cut_apart(steps, labels.codes[rows], labels.n_labels, l, l + l // 2)
    if len(borders):
        return Rings(rows, borders)
    whole = len(rows) // l * l
    rings = [list(rows[start : start + l]) for start in range(0, whole, l)]
    ring_of = {r: ring for ring in rings for r in ring}
    for r in rows[whole:]:
        for near in np.argsort(distances_from(records.offsets, records.items, r, len(records.domain)), kind="stable"):
            ring = ring_of.get(near, [near])
            if labels.codes[r] not in labels.codes[ring]:
                ring.insert(ring.index(near), r)
                break
    return Rings.of([np.array(ring, np.int64) for ring in rings])
