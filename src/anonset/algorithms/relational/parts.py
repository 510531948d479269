"""Cut many records into parts of similar ones, at medians: the step that compares records then runs within each part."""

from collections.abc import Iterator

import numpy as np

from anonset.kernels.groups import RANGE, SET, Quasi, states_of_groups
from anonset.model.arrays import Reals, Rows


def median_parts(q: Quasi, limit: int) -> Iterator[Rows]:
    """The records in parts of at most `limit` each, and of at least a fifth of that where there are so many.

    A part is cut between two values of an attribute, nearest to its median: the attribute that loses most when the whole part
    publishes one value, out of those that can be cut so with a fifth of the records on either side; else through a value.
    """
    waiting = [np.arange(len(q.values), dtype=np.int64)]
    while waiting:
        rows = waiting.pop()
        if len(rows) <= limit or len(q.kind) == 0:
            yield np.sort(rows)
        else:
            waiting += reversed(_halves(q, rows))


def _halves(q: Quasi, rows: Rows) -> tuple[Rows, Rows]:
    n = len(rows)
    attributes = np.argsort(-_losses(q, rows), kind="stable")
    for j in attributes:
        values = q.values[rows, j]
        order = np.argsort(values, kind="stable")
        edges = np.flatnonzero(np.diff(values[order])) + 1
        edges = edges[(edges >= n // 5) & (edges <= n - n // 5)]
        if len(edges):
            edge = edges[np.argmin(np.abs(edges - n // 2))]
            return rows[order[:edge]], rows[order[edge:]]
    order = np.argsort(q.values[rows, attributes[0]], kind="stable")
    return rows[order[: n // 2]], rows[order[n // 2 :]]


def _losses(q: Quasi, rows: Rows) -> Reals:
    """What the values of each attribute lose when all records of the part publish the same."""
    part = Quasi(q.kind, q.weight, q.values[rows], *q[3:])
    state = states_of_groups(part, np.zeros(len(rows), np.int64), 1)
    losses = np.empty(len(q.kind))
    for j, kind in enumerate(q.kind):
        if kind == RANGE:
            losses[j] = min(1.0, state.high[0, j] - state.low[0, j])
        elif kind == SET:
            losses[j] = len(np.unique(part.values[:, j])) / max(1, q.size[j])
        else:
            losses[j] = q.cost[q.first[j] + int(state.low[0, j])]
    return losses * q.weight
