"""Rings of records, and random assignments that stay inside them."""

import secrets
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.nonreciprocal.kernels.walks import (
    Posts,
    backtracking_assignment,
    close_edges,
    closed_walk_assignment,
    drawn,
    halves,
    short_walk_assignment,
)
from anonset.errors import InfeasibleError
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.progress import Progress
from anonset.model.sets import offsets_of

Assignments = NDArray[np.int64]  # (m, n) row a maps every input row to a published record
Walk = Literal["halving", "closed", "backtracking"]

MOST_MATCHES = 250_000_000

WALKS = {"closed": closed_walk_assignment, "backtracking": backtracking_assignment}


def refuse_large(letter: str, m: int, n: int) -> None:
    """Raise where more matches are asked for than there are records, or more than memory holds."""
    if m > n:
        raise InfeasibleError(f"{letter}={m} exceeds the {n} records of the dataset")
    if m * n > MOST_MATCHES:
        raise InfeasibleError(f"{letter}={m} gives {m * n:,} matches, more than the {MOST_MATCHES:,} that are kept in memory")


class Chance:
    """A stream of random numbers from a cipher, keyed by 256 bits of the system's randomness or by a seed."""

    def __init__(self, seed: int | None) -> None:
        if seed is None:
            key = np.frombuffer(secrets.token_bytes(32), "<u4").astype(np.int64)
        else:
            key = np.random.default_rng(seed).integers(0, 2**32, 8)
        self.stream = np.concatenate([key, np.zeros(18, np.int64)])

    def below(self, bound: int) -> int:
        """A uniform number from 0 to bound - 1."""
        return int(drawn(self.stream, bound))

    def shuffled(self, rows: Rows) -> Rows:
        """The rows in a uniformly random order."""
        mixed = rows.copy()
        for p in range(len(mixed) - 1, 0, -1):
            q = self.below(p + 1)
            mixed[p], mixed[q] = mixed[q], mixed[p]
        return mixed


class Rings(NamedTuple):
    """Ring i is the cyclic order of the input rows rows[starts[i] : starts[i + 1]]."""

    rows: Rows
    starts: Offsets

    @classmethod
    def of(cls, rings: list[Rows]) -> "Rings":
        """Rings from lists of rows."""
        return cls(np.concatenate(rings), offsets_of([len(ring) for ring in rings]))

    def ahead(self, shifts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The place shifts[.., p] places on from each place p, round its ring."""
        sizes = np.diff(self.starts)
        first, size = np.repeat(self.starts[:-1], sizes), np.repeat(sizes, sizes)
        places: NDArray[np.int64] = first + (np.arange(len(self.rows)) - first + shifts) % size
        return places


def walked_assignments(rings: Rings, m: int, walk: Walk, chance: Chance, progress: Progress) -> tuple[Assignments, list[int]]:
    """m disjoint random assignments of the graph that joins each place to itself and the m - 1 after it; steps walked."""
    posts = np.ascontiguousarray(rings.ahead(np.arange(m)[:, None]).T.astype(np.int32))
    return split_graph(posts, rings.rows, walk, chance, progress)


def split_graph(posts: Posts, rows: Rows, walk: Walk, chance: Chance, progress: Progress) -> tuple[Assignments, list[int]]:
    """The disjoint random assignments that a regular graph of places splits into; rows[p] is the input row at place p."""
    m = posts.shape[1]
    split = _halved(posts, chance) if walk == "halving" else _walked(posts, walk, chance)
    found, steps = np.empty((m, len(posts)), np.int64), []
    for a, (assigned, walked) in enumerate(split):
        found[a, rows] = rows[assigned]
        steps.append(walked)
        progress((a + 1) / m)
    return found, steps


def _walked(posts: Posts, walk: Walk, chance: Chance) -> Iterator[tuple[Ids, int]]:
    """One assignment after the other, and the steps each took."""
    for degree in range(posts.shape[1], 0, -1):
        chosen, steps = WALKS[walk](posts, degree, chance.stream)
        yield close_edges(posts, degree, chosen), int(steps)


def _halved(posts: Posts, chance: Chance) -> Iterator[tuple[Ids, int]]:
    """All assignments by splitting the graph in half until one is left; one is taken out by short walks where that is odd."""
    graphs, steps = [posts], 0
    while graphs:
        graph = graphs.pop()
        degree = graph.shape[1]
        if degree == 1:
            yield graph[:, 0], steps
            steps = 0
        elif degree % 2:
            chosen, walked = short_walk_assignment(graph, degree, chance.stream)
            yield close_edges(graph, degree, chosen), steps + int(walked)
            steps = 0
            graphs.append(np.ascontiguousarray(graph[:, :-1]))
        else:
            graphs += halves(graph, chance.stream)
            steps += graph.size


def turned_assignments(rings: Rings, m: int, chance: Chance) -> Assignments:
    """m disjoint assignments that turn each ring by a random step, and by one, two, ... m - 1 more."""
    sizes = np.diff(rings.starts)
    turns = np.repeat([chance.below(int(size)) for size in sizes], sizes)
    found = np.empty((m, len(rings.rows)), np.int64)
    for a in range(m):
        found[a, rings.rows] = rings.rows[rings.ahead(turns + a)]
    return found
