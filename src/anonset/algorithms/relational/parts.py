"""Cut many records into parts of similar ones, at medians: the quadratic step then runs within each part."""

from collections.abc import Iterator

import numpy as np

from anonset.kernels.groups import RANGE, SET, Quasi, states_of_groups
from anonset.model.arrays import Rows


def median_parts(q: Quasi, limit: int) -> Iterator[Rows]:
    """The records in parts of at most `limit` each, and at least half of that where there are so many.

    The attribute whose values lose most when the whole part publishes one value is cut in half, in the order of its values.
    """
    waiting = [np.arange(len(q.values), dtype=np.int64)]
    while waiting:
        rows = waiting.pop()
        if len(rows) <= limit or len(q.kind) == 0:
            yield np.sort(rows)
            continue
        values = q.values[rows, _widest(q, rows)]
        order = np.argpartition(values, len(rows) // 2)
        waiting += [rows[order[len(rows) // 2 :]], rows[order[: len(rows) // 2]]]


def _widest(q: Quasi, rows: Rows) -> int:
    part = Quasi(q.kind, q.weight, q.values[rows], *q[3:])
    state = states_of_groups(part, np.zeros(len(rows), np.int64), 1)
    losses = np.empty(len(q.kind))
    for j, kind in enumerate(q.kind):
        if kind == RANGE:
            losses[j] = min(1.0, state.high[0, j] - state.low[0, j])
        elif kind == SET:
            losses[j] = len(np.unique(part.values[:, j])) / q.size[j]
        else:
            losses[j] = q.cost[q.first[j] + int(state.low[0, j])]
    losses *= q.weight
    losses[[len(np.unique(part.values[:, j])) == 1 for j in range(len(losses))]] = -1.0
    return int(np.argmax(losses))
