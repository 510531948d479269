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
def offer(offsets: Offsets, node: Nodes, placed: Flags, shown: Nodes, count: Counts, fixed: Counts, offered: Flags) -> None:
    """Show in each record the nodes of its occurrences that are not placed yet, and mark them; what was there is fixed."""
    for r in range(len(offsets) - 1):
        fixed[r] = count[r]
        for p in range(offsets[r], offsets[r + 1]):
            if not placed[p] and not _is_among(shown, offsets[r], offsets[r] + count[r], node[p]):
                shown[offsets[r] + count[r]] = node[p]
                offered[node[p]] = True
                count[r] += 1


@njit(cache=True, nogil=True)
def settle(offsets: Offsets, node: Nodes, placed: Flags, shown: Nodes, count: Counts, above: Nodes) -> int:
    """Place the occurrences whose node their record still shows; the others move to the node above. Return how many can."""
    moved = 0
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            if not placed[p]:
                if _is_among(shown, offsets[r], offsets[r] + count[r], node[p]):
                    placed[p] = True
                elif above[node[p]] >= 0:
                    node[p] = above[node[p]]
                    moved += 1
    return moved


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
def uproot(offsets: Offsets, node: Nodes, shown: Nodes, count: Counts, root: int, gone: Flags) -> int:
    """Send the occurrences whose node is no longer shown to the root, and mark what they were; return how many."""
    sent = 0
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            if node[p] != root and not _is_among(shown, offsets[r], offsets[r] + count[r], node[p]):
                gone[node[p]] = True
                node[p] = root
                sent += 1
    return sent


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
def _is_among(labels: Nodes, start: int, stop: int, label: int) -> bool:
    p = start
    while p < stop and labels[p] != label:
        p += 1
    return p < stop
