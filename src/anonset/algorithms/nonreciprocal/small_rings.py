"""Small rings of similar records whose labels all differ: any assignment inside them keeps the labels of matches different."""

from itertools import pairwise

import numpy as np

from anonset.algorithms.nonreciprocal.diversity import RecordLabels
from anonset.algorithms.nonreciprocal.kernels.spacing import cut_apart
from anonset.algorithms.nonreciprocal.kernels.tours import distance_matrix, exchange_members
from anonset.algorithms.nonreciprocal.rings import Rings
from anonset.kernels.gray import cyclic_distances, distances_from
from anonset.model.arrays import Rows
from anonset.model.progress import Progress
from anonset.model.transactions import Transactions

WINDOW = 700  # records among which members are exchanged
PASSES = 100


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
