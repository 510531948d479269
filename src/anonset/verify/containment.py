"""In how many records a given set is contained, for very many given sets at once.

Labels are put in order from rare to frequent, and the given sets into a tree of prefixes. Each node of the tree keeps the
places in the records that hold its prefix; the records of a child are found among those of its parent. With the rare labels
first the lists are short from the start.
"""

import numpy as np
from numpy.typing import NDArray

from anonset.model.arrays import Rows
from anonset.verify.sets import BLOCK, LIMIT, Sets, offsets_of, require_within, runs


def supports_of(queries: Sets, records: Sets, weights: Rows | None = None, *, limit: int = LIMIT, block: int = BLOCK) -> Rows:
    """For each query the number of records (by weight) that contain it; the empty query is in all of them."""
    weights = np.ones(records.n, np.int64) if weights is None else weights
    rank = np.argsort(np.argsort(np.bincount(records.members, minlength=records.d), kind="stable")).astype(np.int32)
    queries, records = queries.rename(rank, records.d), records.rename(rank, records.d)
    ends = np.repeat(records.offsets[1:], records.lengths)
    entry_weights = np.repeat(weights, records.lengths)
    answers = np.full(queries.n, int(weights.sum()), np.int64)
    node, active = np.zeros(queries.n, np.int64), np.flatnonzero(queries.lengths > 0)
    starts, places = np.array([0, np.count_nonzero(records.lengths)]), records.offsets[:-1][records.lengths > 0]
    depth = steps = 0
    while len(active):
        keys = node[active] * records.d + queries.members[queries.offsets[active] + depth]
        children, number = np.unique(keys, return_inverse=True)
        steps += int(_work(starts, places, ends)[-1])
        require_within(steps, limit)
        child, q = _matches(children, starts, places, ends, records, block)
        answers[active] = np.bincount(child, weights=entry_weights[q], minlength=len(children)).astype(np.int64)[number]
        node[active], depth = number, depth + 1
        active = active[queries.lengths[active] > depth]
        open_ = q + 1 < ends[q]
        child, q = child[open_], q[open_]
        order = np.argsort(child, kind="stable")
        starts, places = offsets_of(np.bincount(child, minlength=len(children))), q[order] + 1
    return answers


def _work(starts: Rows, places: Rows, ends: Rows) -> Rows:
    """The running number of entries behind the places of each node."""
    return np.concatenate([[0], np.cumsum(ends[places] - places)])[starts]


def _matches(
    children: Rows, starts: Rows, places: Rows, ends: Rows, records: Sets, block: int
) -> tuple[NDArray[np.int64], Rows]:
    """For every child (node * d + label) of the tree the entries behind the node's places that have the label."""
    work, found, parents = _work(starts, places, ends), [], np.unique(children // records.d)
    most, p = max(1, block // records.d), 0
    while p < len(parents):
        nodes = parents[p : p + most]
        total = np.cumsum(work[nodes + 1] - work[nodes])
        nodes = nodes[: max(1, int(np.searchsorted(total, block, side="right")))]
        found.append(_matches_of(nodes, children, starts, places, ends, records))
        p += len(nodes)
    return np.concatenate([child for child, _ in found]), np.concatenate([q for _, q in found])


def _matches_of(
    nodes: Rows, children: Rows, starts: Rows, places: Rows, ends: Rows, records: Sets
) -> tuple[NDArray[np.int64], Rows]:
    low, high = np.searchsorted(children, [nodes[0] * records.d, (nodes[-1] + 1) * records.d])
    wanted = np.full(len(nodes) * records.d, -1, np.int64)
    local = np.searchsorted(nodes, children[low:high] // records.d)
    wanted[local * records.d + children[low:high] % records.d] = np.arange(low, high)
    held, at = runs(starts[nodes], starts[nodes + 1])
    lengths, q = runs(places[at], ends[places[at]])
    row = np.repeat(np.repeat(np.arange(len(nodes)), held), lengths)
    child = wanted[row * records.d + records.members[q]]
    kept = child >= 0
    return child[kept], q[kept]


def supports_within(sets: Sets, groups: Rows | None, weights: Rows, *, limit: int = LIMIT) -> Rows:
    """For each set the number of sets by weight (of the same group, where groups are given) that contain it."""
    joined = sets if groups is None else _with_group(sets, groups)
    return supports_of(joined, joined, weights, limit=limit)


def _with_group(sets: Sets, groups: Rows) -> Sets:
    """Each set with its group as one more member."""
    where = sets.offsets[1:]
    members = np.insert(sets.members, where, (sets.d + groups).astype(np.int32))
    return Sets(sets.offsets + np.arange(sets.n + 1), members, sets.d + int(groups.max(initial=-1)) + 1)
