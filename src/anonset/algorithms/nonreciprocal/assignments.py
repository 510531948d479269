"""Disjoint random assignments of original to published records, and the chance they are drawn with."""

import secrets
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Progress
from anonset.kernels.walks import (
    backtracking_assignment,
    close_edges,
    closed_walk_assignment,
    drawn,
    short_walk_assignment,
)
from anonset.model.arrays import Rows

Assignments = NDArray[np.int64]  # (k, n) row a maps every input row to a published record
Walk = Literal["short", "closed", "backtracking"]

WALKS = {"short": short_walk_assignment, "closed": closed_walk_assignment, "backtracking": backtracking_assignment}


class Chance:
    """A stream of random numbers from a cipher, keyed by 256 bits of the system's randomness or by a seed."""

    def __init__(self, seed: int | None) -> None:
        if seed is None:
            self.key = np.frombuffer(secrets.token_bytes(32), "<u4").astype(np.int64)
        else:
            self.key = np.random.default_rng(seed).integers(0, 2**32, 8)
        self.block, self.used = np.zeros(16, np.int64), np.zeros(2, np.int64)

    def below(self, bound: int) -> int:
        """A uniform number from 0 to bound - 1."""
        return int(drawn(self.key, self.block, self.used, bound))


def ring_assignments(
    tour: Rows, shifts: range, walk: Walk, chance: Chance, progress: Progress
) -> tuple[Assignments, list[int]]:
    """Random disjoint assignments of the ring that joins each record to those `shifts` places on, and the steps walked."""
    n, m = len(tour), len(shifts)
    places = np.arange(n)
    posts = ((places[:, None] + np.array(shifts)) % n).astype(np.int32)
    found, steps = np.empty((m, n), np.int64), []
    for degree in range(m, 0, -1):
        progress(1 - degree / m)
        chosen, walked = WALKS[walk](posts, degree, chance.key, chance.block, chance.used)
        found[m - degree, tour] = tour[close_edges(posts, degree, chosen)]
        steps.append(int(walked))
    return found, steps
