"""Counts of sets: every set of 1 .. m labels that occurs in some record of a group, and in how many records given sets are
contained.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from anonset import threads
from anonset.model.arrays import Ids, Rows
from anonset.verify.sets import (
    BLOCK,
    LIMIT,
    SHARED,
    Matrix,
    Sets,
    blocks,
    offsets_of,
    owners_of,
    require_within,
    runs,
    shared_block,
    short,
)

TABLE = 1_500  # labels whose pairs have a table
PAIRS = 1 << 18  # pairs of labels looked at at once


@dataclass(frozen=True, slots=True, eq=False)
class OccurringSets:
    """Sets of one size: prefixes[row] and the label `column`, in counts[row, column] records.

    A prefix is its group, then its labels. With `records`, the set at counts.data[s] is held by the records records[a] where
    holders[a] == s.
    """

    prefixes: Ids
    counts: Matrix
    holders: Rows | None = None
    records: Rows | None = None

    @property
    def size(self) -> int:
        """The number of labels in each set."""
        return int(self.prefixes.shape[1])

    def name(self, s: int) -> tuple[int, tuple[int, ...]]:
        """The group and the labels of the set at counts.data[s]."""
        row = int(np.searchsorted(self.counts.indptr, s, side="right")) - 1
        group, *labels = self.prefixes[row].tolist()
        return group, (*labels, int(self.counts.indices[s]))


def combinations(lengths: Rows, m: int, enough: int) -> int:
    """The number of sets of 1 .. m labels in records of these lengths, or any number above `enough` where it is more."""
    counts, total = np.bincount(lengths), 0
    sizes = np.flatnonzero(counts)
    for size in range(1, min(m, int(lengths.max(initial=0))) + 1):
        total += sum(comb(n, size) * count for n, count in zip(sizes.tolist(), counts[sizes].tolist(), strict=True))
        if total > enough:
            break
    return total


def occurring(
    sets: Sets, m: int, groups: Rows | None = None, weights: Rows | None = None, *, records: bool = False, block: int = BLOCK
) -> Iterator[OccurringSets]:
    """All sets of 1 .. m labels of the records, in their groups; a record counts as often as its weight says.

    With `records`, each finding also says which records hold which set.
    """
    weights = np.ones(sets.n, np.int64) if weights is None else weights
    if m == 2 and groups is None and not records and 0 < sets.d <= TABLE and sets.n:
        yield from _up_to_pairs(sets, weights)
        return
    groups = np.zeros(sets.n, np.int64) if groups is None else groups
    filled = sets.lengths > 0
    if not filled.any():
        return
    n_groups = int(groups.max(initial=-1)) + 1
    starts = _places(groups[filled], sets.offsets[:-1][filled], weights[filled], (n_groups, len(sets.members)))
    walk = _Walk(sets, np.repeat(short(sets.offsets[1:]), sets.lengths), m, records, block)
    yield from walk.grow(starts, np.arange(n_groups, dtype=np.int32)[:, None])


def _up_to_pairs(sets: Sets, weights: Rows) -> Iterator[OccurringSets]:
    """All sets of 1 and of 2 labels of one group, counted in a table of all pairs: run by run of records, on all cores.

    Row a of the table are the pairs of label a with itself, which are the sets of 1, and with each label behind it.
    """
    steps, rows = offsets_of(sets.lengths**2), offsets_of(np.arange(sets.d, 0, -1))
    weights = weights.astype(short(offsets_of(weights)).dtype)

    def counted(share: tuple[int, int]) -> NDArray[np.int64]:
        table = np.zeros(rows[-1], np.int64)
        for low, high in blocks(steps[share[0] : share[1] + 1], max(PAIRS, len(table) // 2), share[1] - share[0]):
            table += _pairs(sets, weights, rows, share[0] + low, share[0] + high)
        return table

    parts = 2 * threads.THREADS if int(steps[-1]) > SHARED and threads.THREADS > 1 else 1
    tables = threads.parallel_map(counted, threads.even_chunks(steps[1:], parts))
    counts = np.sum(tables, axis=0)
    yield OccurringSets(np.zeros((1, 1), np.int32), sparse.csr_array(counts[rows[:-1]][None, :]))
    counts[rows[:-1]] = 0
    found, labels = np.flatnonzero(counts), np.arange(sets.d, dtype=np.int32)
    ends = np.searchsorted(found, rows)
    second = found - (rows[:-1] - labels)[owners_of(ends)]
    pairs = sparse.csr_array((counts[found], short(second), short(ends)), shape=(sets.d, sets.d))
    yield OccurringSets(np.column_stack([np.zeros_like(labels), labels]), pairs)


def _pairs(sets: Sets, weights: Rows, rows: Rows, low: int, high: int) -> Rows:
    """How many records of a run hold each pair, at its place in the table.

    It is a product: places by entries, a one where the entry makes a pair of that place, times the weights of their records.
    """
    ends = sets.offsets[low : high + 1] - sets.offsets[low]
    members = sets.members[sets.offsets[low] : sets.offsets[high]]
    record = owners_of(ends)
    lengths, second = runs(np.arange(len(members)), ends[1:][record])
    offsets = offsets_of(lengths)
    places = members[second] + (rows[members] - members).astype(np.int32)[owners_of(offsets)]
    ones = np.ones(len(places), np.int32)
    pairs = sparse.csc_array((ones, places, short(offsets)), shape=(int(rows[-1]), len(members)))
    return np.asarray(pairs @ weights[low:high][record])


@dataclass(slots=True, eq=False)
class _Walk:
    sets: Sets
    ends: NDArray[np.integer]  # for each entry, where its record ends
    m: int
    records: bool
    block: int
    behind: Matrix | None = None  # row p: the labels at entry p and behind it in its record
    held: Matrix | None = None  # row r: the labels of record r
    holders: NDArray[np.integer] = field(default_factory=lambda: np.zeros(0, np.int32))  # for each entry, its record

    def grow(self, places: Matrix, prefixes: Ids) -> Iterator[OccurringSets]:
        """The sets one label longer than the prefixes, then those longer still."""
        last = prefixes.shape[1] == self.m
        work = offsets_of(self.ends[places.indices] - places.indices)[places.indptr]
        if last and not self.records:
            yield from self._last(places, prefixes, work)
            return
        for low, high in blocks(work, self.block, max(1, 2 * self.block // self.sets.d)):
            yield from self._counts_and_deeper(places[low:high], prefixes[low:high], last)

    def _last(self, places: Matrix, prefixes: Ids, work: Rows) -> Iterator[OccurringSets]:
        """The sets of m labels, which are only counted: block by block, on all cores where there is much to do."""
        if self.m > 2 and self.behind is None and int((self.ends - np.arange(len(self.ends))).sum()) <= 2 * self.block:
            self.behind = self._labels_at(*runs(np.arange(len(self.ends)), self.ends))
        if self.behind is None and self.held is None:
            self.held, self.holders = self.sets.matrix, short(self.sets.owners)

        def counted(block: tuple[int, int]) -> OccurringSets:
            low, high = block
            return OccurringSets(prefixes[low:high], self._counts(places[low:high], prefixes[low:high]))

        shared = list(blocks(work, shared_block(int(work[-1]), self.block), len(prefixes)))
        yield from threads.prefetch_map(counted, shared) if len(shared) > 1 else map(counted, shared)

    def _counts(self, places: Matrix, prefixes: Ids) -> Matrix:
        if self.behind is not None:
            return places @ self.behind
        assert self.held is not None
        records = (places.data, self.holders[places.indices], places.indptr)
        counts = sparse.csr_array(records, shape=(len(prefixes), self.sets.n)) @ self.held
        return _behind(counts, prefixes[:, -1]) if self.m > 1 else counts

    def _counts_and_deeper(self, places: Matrix, prefixes: Ids, last: bool) -> Iterator[OccurringSets]:
        lengths, q = runs(places.indices, self.ends[places.indices])
        labels = self.sets.members[q]
        counts = _apart(places) @ self._labels_at(lengths, q)
        rows = np.repeat(np.repeat(np.arange(len(prefixes)), np.diff(places.indptr)), lengths)
        number = np.empty(len(prefixes) * self.sets.d, np.int32)  # of a set among counts.data
        row_of = np.repeat(np.arange(len(prefixes)), np.diff(counts.indptr))
        number[row_of * self.sets.d + counts.indices] = np.arange(counts.nnz)
        longer = number[rows * self.sets.d + labels]
        if self.records:
            yield OccurringSets(prefixes, counts, longer, np.searchsorted(self.sets.offsets, q, side="right") - 1)
        else:
            yield OccurringSets(prefixes, counts)
        if not last:
            open_ = q + 1 < self.ends[q]
            weights = np.repeat(places.data, lengths)[open_]
            shape = (counts.nnz, len(self.sets.members))
            deeper = _places(longer[open_], q[open_] + 1, weights, shape)
            yield from self.grow(deeper, np.column_stack([prefixes[row_of], counts.indices]).astype(np.int32))

    def _labels_at(self, lengths: Rows, q: Rows) -> Matrix:
        shape = (len(lengths), self.sets.d)
        return sparse.csr_array((np.ones(len(q), np.int32), self.sets.members[q], short(offsets_of(lengths))), shape=shape)


def _places(prefix: NDArray[np.integer], place: Rows, weights: Rows, shape: tuple[int, int]) -> Matrix:
    at = (prefix.astype(np.int32), place.astype(np.int32)) if max(shape) < 2**31 else (prefix, place)
    return sparse.coo_array((weights.astype(np.int32), at), shape=shape).tocsr()


def _apart(places: Matrix) -> Matrix:
    """The same rows, with a column of its own for every entry."""
    n = len(places.indices)
    return sparse.csr_array((places.data, np.arange(n, dtype=places.indptr.dtype), places.indptr), shape=(places.shape[0], n))


def _behind(counts: Matrix, after: Ids) -> Matrix:
    """The same rows with only the columns behind the given one of each."""
    kept = counts.indices > np.repeat(after, np.diff(counts.indptr))
    ends = short(offsets_of(kept)[counts.indptr])
    return sparse.csr_array((counts.data[kept], counts.indices[kept], ends), shape=counts.shape)


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
