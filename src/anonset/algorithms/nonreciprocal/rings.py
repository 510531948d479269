"""Rings of similar records, small rings with distinct labels, and random assignments within rings."""

import secrets
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.nonreciprocal._kernels.label_spacing import cut_apart, spread
from anonset.algorithms.nonreciprocal._kernels.tours import distance_matrix, exchange_members
from anonset.algorithms.nonreciprocal._kernels.walks import (
    Posts,
    backtracking_assignment,
    close_edges,
    closed_walk_assignment,
    drawn,
    halves,
    short_walk_assignment,
)
from anonset.errors import InfeasibleError, InputError
from anonset.kernels.gray import cyclic_distances, distances_from
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.progress import Progress
from anonset.model.sets import offsets_of

Assignments = NDArray[np.int64]  # (m, n) row a maps every input row to a published record
Walk = Literal["halving", "closed", "backtracking"]

MOST_MATCHES = 250_000_000

WALKS = {"closed": closed_walk_assignment, "backtracking": backtracking_assignment}


def refuse_large(letter: str, m: int, n: int) -> None:
    """Raise InfeasibleError if m exceeds the number of records or the matches exceed the memory limit."""
    if m > n:
        raise InfeasibleError(f"{letter}={m} exceeds the {n} records of the dataset")
    if m * n > MOST_MATCHES:
        raise InfeasibleError(f"{letter}={m} gives {m * n:,} matches, more than the limit of {MOST_MATCHES:,}")


class Chance:
    """Random numbers from a cipher with a key of 256 bits: the system's randomness, or derived from a seed."""

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
    """Ring i has the input rows rows[starts[i] : starts[i + 1]] in cyclic order."""

    rows: Rows
    starts: Offsets

    @classmethod
    def of(cls, rings: list[Rows]) -> "Rings":
        """Rings from lists of rows."""
        return cls(np.concatenate(rings), offsets_of([len(ring) for ring in rings]))

    def ahead(self, shifts: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each place p, the place shifts[.., p] steps ahead in its ring."""
        sizes = np.diff(self.starts)
        first, size = np.repeat(self.starts[:-1], sizes), np.repeat(sizes, sizes)
        places: NDArray[np.int64] = first + (np.arange(len(self.rows)) - first + shifts) % size
        return places


def walked_assignments(rings: Rings, m: int, walk: Walk, chance: Chance, progress: Progress) -> tuple[Assignments, list[int]]:
    """m disjoint random assignments in which each place matches itself or one of the m - 1 after it, and the steps of each."""
    posts = np.ascontiguousarray(rings.ahead(np.arange(m)[:, None]).T.astype(np.int32))
    return split_graph(posts, rings.rows, walk, chance, progress)


def split_graph(posts: Posts, rows: Rows, walk: Walk, chance: Chance, progress: Progress) -> tuple[Assignments, list[int]]:
    """The disjoint random assignments of a regular graph of places, and the steps of each; rows[p] is the row at place p."""
    m = posts.shape[1]
    split = _halved(posts, chance) if walk == "halving" else _walked(posts, walk, chance)
    found, steps = np.empty((m, len(posts)), np.int64), []
    for a, (assigned, walked) in enumerate(split):
        found[a, rows] = rows[assigned]
        steps.append(walked)
        progress((a + 1) / m)
    return found, steps


def _walked(posts: Posts, walk: Walk, chance: Chance) -> Iterator[tuple[Ids, int]]:
    """The assignments one after the other, with the steps of each."""
    for degree in range(posts.shape[1], 0, -1):
        chosen, steps = WALKS[walk](posts, degree, chance.stream)
        yield close_edges(posts, degree, chosen), int(steps)


def _halved(posts: Posts, chance: Chance) -> Iterator[tuple[Ids, int]]:
    """All assignments by halving the graph until one is left; if the degree is odd, short walks take one out first."""
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


def rotated_assignments(rings: Rings, m: int, chance: Chance) -> Assignments:
    """m disjoint assignments: each ring rotated by a random number of places, and by 1 to m - 1 more."""
    sizes = np.diff(rings.starts)
    turns = np.repeat([chance.below(int(size)) for size in sizes], sizes)
    found = np.empty((m, len(rings.rows)), np.int64)
    for a in range(m):
        found[a, rings.rows] = rings.rows[rings.ahead(turns + a)]
    return found


WINDOW = 700  # records among which ring members are exchanged
PASSES = 100


class RecordLabels(NamedTuple):
    """The label of each record, from 0 to n_labels - 1, and the column of the labels."""

    codes: Ids
    n_labels: int
    column: str = ""


def small_rings(records: Transactions, rows: Rows, labels: RecordLabels, size: int, rounds: int, progress: Progress) -> Rings:
    """Rings of `size` or more similar records with distinct labels, from an order with equal labels at least `size` apart."""
    rings = _cut(records, rows, labels, size)
    for done in range(rounds):
        rings = _exchanged(records, rings, labels, done, lambda share: progress((done + share) / rounds))  # noqa: B023
    return rings


def _cut(records: Transactions, rows: Rows, labels: RecordLabels, size: int) -> Rings:
    """Rings of `size` to 1.5 times as many records, cut where neighbours differ most.

    If there are no such cuts, every ring has `size` records, and each of the fewer than `size` remaining records joins the ring
    of the nearest record without its label. There is such a ring: a label is in at most n / size records, and the number of
    rings is n / size rounded down.
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
    """The rings after members of neighbouring rings are exchanged; windows of odd rounds overlap those of even rounds."""
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
    """The values of the only sensitive column; a missing value is a label of its own."""
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
    """Raise InfeasibleError if a label is in more than 1/l of the records."""
    n = len(labels.codes)
    refuse_large("l", l, n)
    most = int(np.bincount(labels.codes).max())
    if most * l > n:
        raise InfeasibleError(
            f"the most frequent value of {labels.column!r} is in {most} of {n} records, more than 1/{l}; "
            f"l can be at most {n // most}"
        )


def spread_rows(rows: Rows, labels: RecordLabels, spacing: int) -> Rows:
    """The cyclic order, changed as little as needed to keep equal labels `spacing` places apart."""
    places, placed = spread(labels.codes[rows], labels.n_labels, spacing)
    if not placed:
        raise InfeasibleError(f"no order was found that keeps equal values of {labels.column!r} {spacing} records apart")
    return rows[places]
