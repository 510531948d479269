"""Occurrences of items on their way up a hierarchy: offered to their records as labels, kept there or sent one node up.

Record r shows shown[offsets[r] : offsets[r] + count[r]], and the first fixed[r] of these stay; its occurrences p stand at
node[p], which it shows where placed[p] is true.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Nodes = NDArray[np.int32]
Counts = NDArray[np.int32]
Flags = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def unsettled(offsets: Offsets, placed: Flags) -> Offsets:
    """The records with an occurrence that is not placed."""
    rows, n = np.empty(len(offsets) - 1, np.int64), 0
    for r in range(len(offsets) - 1):
        p = offsets[r]
        while p < offsets[r + 1] and placed[p]:
            p += 1
        if p < offsets[r + 1]:
            rows[n] = r
            n += 1
    return rows[:n]


@njit(cache=True, nogil=True)
def offer(rows: Offsets, offsets: Offsets, node: Nodes, placed: Flags, shown: Nodes, count: Counts, offered: Flags) -> None:
    """Show in each of the records the nodes of its occurrences that are not placed yet, and mark them."""
    mark = np.zeros(len(offered), np.int64)
    for r in rows:
        end = offsets[r] + count[r]
        for p in range(offsets[r], end):
            mark[shown[p]] = r + 1
        for p in range(offsets[r], offsets[r + 1]):
            if not placed[p] and mark[node[p]] != r + 1:
                shown[end], mark[node[p]], offered[node[p]] = node[p], r + 1, True
                end += 1
        count[r] = end - offsets[r]


@njit(cache=True, nogil=True)
def close_singles(
    bounds: Offsets, offsets: Offsets, shown: Nodes, count: Counts, fixed: Counts, watched: Flags, gone: Flags, k: int
) -> None:
    """Take away watched labels that are not fixed and in fewer than k records of their group, and mark them as gone."""
    single = np.zeros(len(watched), np.int32)
    for g in range(len(bounds) - 1):
        single[:] = 0
        for r in range(bounds[g], bounds[g + 1]):
            for p in range(offsets[r], offsets[r] + count[r]):
                single[shown[p]] += 1
        for r in range(bounds[g], bounds[g + 1]):
            end = offsets[r] + fixed[r]
            for p in range(end, offsets[r] + count[r]):
                if single[shown[p]] < k and watched[shown[p]]:
                    gone[shown[p]] = True
                else:
                    shown[end] = shown[p]
                    end += 1
            count[r] = end - offsets[r]


@njit(cache=True, nogil=True)
def settle(rows: Offsets, offsets: Offsets, node: Nodes, placed: Flags, shown: Nodes, count: Counts, above: Nodes) -> int:
    """Place the occurrences whose node their record still shows; the others move to the node above. Return how many can."""
    moved, mark = 0, np.zeros(len(above), np.int64)
    for r in rows:
        for p in range(offsets[r], offsets[r] + count[r]):
            mark[shown[p]] = r + 1
        for p in range(offsets[r], offsets[r + 1]):
            if not placed[p]:
                if mark[node[p]] == r + 1:
                    placed[p] = True
                elif above[node[p]] >= 0:
                    node[p] = above[node[p]]
                    moved += 1
    return moved


@njit(cache=True, nogil=True)
def sole(offsets: Offsets, node: Nodes, shown: Nodes, count: Counts, general: Flags) -> Flags:
    """Mark the places of general labels behind which there is one occurrence only."""
    marked = np.zeros(len(shown), np.bool_)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r] + count[r]):
            behind = 0
            for q in range(offsets[r], offsets[r + 1]):
                behind += node[q] == shown[p]
            marked[p] = general[shown[p]] and behind == 1
    return marked


@njit(cache=True, nogil=True)
def restart_others(offsets: Offsets, items: Nodes, node: Nodes, placed: Flags, general: Flags) -> None:
    """Of several occurrences behind one general label send all but the first back to their items."""
    for r in range(len(offsets) - 1):
        for p in range(offsets[r + 1] - 1, offsets[r], -1):
            if placed[p] and general[node[p]] and _is_among(node, offsets[r], p, node[p]):
                node[p] = items[p]
                placed[p] = False


@njit(cache=True, nogil=True)
def restart(offsets: Offsets, items: Nodes, node: Nodes, placed: Flags, shown: Nodes, count: Counts) -> None:
    """Send the occurrences whose node is not shown back to their item."""
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            if not (placed[p] and _is_among(shown, offsets[r], offsets[r] + count[r], node[p])):
                node[p] = items[p]
                placed[p] = False


@njit(cache=True, nogil=True)
def crown(offsets: Offsets, node: Nodes, shown: Nodes, count: Counts, fixed: Counts, root: int) -> None:
    """Show the root, and fix it, in the records that have an occurrence there; nothing else is fixed."""
    for r in range(len(offsets) - 1):
        start = offsets[r]
        fixed[r] = _is_among(node, start, offsets[r + 1], root)
        if fixed[r] > 0:
            at = start
            while at < start + count[r] and shown[at] != root:
                at += 1
            if at == start + count[r]:
                count[r] += 1
            shown[at] = shown[start]
            shown[start] = root


@njit(cache=True, nogil=True)
def uproot(offsets: Offsets, node: Nodes, placed: Flags, shown: Nodes, count: Counts, above: Nodes) -> None:
    """Send the occurrences whose node is no longer shown to the node above."""
    mark = np.zeros(len(above), np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r] + count[r]):
            mark[shown[p]] = r + 1
        for p in range(offsets[r], offsets[r + 1]):
            if mark[node[p]] != r + 1:
                node[p] = above[node[p]]
                placed[p] = False


@njit(cache=True, nogil=True)
def pad(
    bounds: Offsets, offsets: Offsets, node: Nodes, shown: Nodes, count: Counts, root: int, k: int, gone: Flags, failed: Flags
) -> None:
    """Send whole records to the root in groups where some, but fewer than k, have an occurrence there: short records first.

    `gone` marks the labels they showed; a group with fewer than k records with items has failed.
    """
    for g in range(len(bounds) - 1):
        first, last = bounds[g], bounds[g + 1]
        rooted = 0
        for r in range(first, last):
            rooted += _is_among(node, offsets[r], offsets[r + 1], root)
        while 0 < rooted < k:
            best = -1
            for r in range(first, last):
                shorter = count[r] > 0 and (best < 0 or count[r] < count[best])
                if shorter and not _is_among(node, offsets[r], offsets[r + 1], root):
                    best = r
            if best < 0:
                failed[g] = True
                break
            for p in range(offsets[best], offsets[best + 1]):
                gone[node[p]] = True
                node[p] = root
            count[best] = 0
            rooted += 1


@njit(cache=True, nogil=True)
def too_frequent(
    bounds: Offsets,
    secret_offsets: Offsets,
    secrets: NDArray[np.int32],
    n_secrets: int,
    l: int,  # noqa: E741 - the papers' letter
    failed: Flags,
) -> None:
    """Mark the groups in which a secret is in more than 1/l of the records."""
    tally = np.zeros(n_secrets, np.int64)
    for g in range(len(bounds) - 1):
        tally[:] = 0
        for p in range(secret_offsets[bounds[g]], secret_offsets[bounds[g + 1]]):
            tally[secrets[p]] += 1
            failed[g] |= tally[secrets[p]] * l > bounds[g + 1] - bounds[g]


@njit(cache=True, nogil=True)
def _is_among(labels: Nodes, start: int, stop: int, label: int) -> bool:
    p = start
    while p < stop and labels[p] != label:
        p += 1
    return p < stop
