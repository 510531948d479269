"""Records cut into parts by their quasi values, split by split, from histograms alone: no record travels.

The splits are those of `mondrian`, strict: along the children of the part's lowest node, or between values at the median.
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.relational.encoding import encode
from anonset.engine.coding import Answer, Coder
from anonset.engine.questions import Context, Summed
from anonset.engine.source import Piece
from anonset.kernels.groups import RANGE, SET, TREE, Quasi
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset

Counts = NDArray[np.int64]
Tried = dict[int, list[tuple[int, Ids]]]  # by the number of a part: attributes, and the piece of each code
REST = np.int64(2**31 - 1)
NO_PART = -1


@dataclass(eq=False)
class Node:
    """A part: how often each value occurs in it, attribute by attribute; and, once it is split, the child of each value."""

    counts: list[Counts]  # of each code, and of a missing value behind them
    attribute: int = -1
    child_of: Ids | None = None  # by code
    children: list["Node"] = field(default_factory=list)
    number: int = NO_PART  # of a part that is not split

    @property
    def size(self) -> int:
        """The number of records."""
        return int(self.counts[0].sum())


@dataclass(frozen=True, eq=False)
class Space:
    """The quasi attributes as the kernels see them: values[j][c] is the number behind code c, the last behind a missing one."""

    q: Quasi
    values: list[NDArray[np.float64]]

    @classmethod
    def of(cls, roster: Dataset, recoding: str, weights: str) -> "Space":
        """The space of all values of a roster."""
        columns = tuple(replace(c, codes=np.append(c.codes, np.int32(-1))) for c in roster.quasi)
        q = encode(Dataset(columns), recoding, weights)
        values = []
        for j, column in enumerate(columns):
            numbers = np.zeros(len(column.domain) + 1)
            numbers[column.codes] = q.values[:, j]
            values.append(numbers)
        return cls(q, values)

    def cost(self, counts: list[Counts]) -> float:
        """The NCP of a record of a part, computed as the kernel does."""
        cost = 0.0
        for j, held in enumerate(counts):
            there = np.flatnonzero(held)
            values = self.values[j][there]
            if self.q.kind[j] == RANGE:
                loss = min(float(values.max() - values.min()), 1.0)
            elif self.q.kind[j] == TREE:
                loss = float(self.q.cost[self.q.first[j] + self.lowest(j, there)])
            else:
                missing = held[-1] > 0
                loss = 0.0 if len(there) == 1 else 1.0 if missing else len(there) / int(self.q.size[j])
            cost += float(self.q.weight[j]) * loss
        return cost

    def lowest(self, j: int, codes: Rows) -> int:
        """The lowest node of tree j above codes."""
        q, base = self.q, self.q.first[j]
        leaves = q.low[base + self.values[j][codes].astype(np.int64)]
        node = int(self.values[j][codes[0]])
        while q.low[base + node] > leaves.min() or q.high[base + node] <= leaves.max():
            node = int(q.parent[base + node])
        return node

    def candidates(self, counts: list[Counts], k: int) -> list[tuple[int, Ids]]:
        """The splits that are tried: the attribute, and the piece of each code; pieces have k records."""
        found: list[tuple[int, Ids]] = []
        for j, held in enumerate(counts):
            if self.q.kind[j] == TREE:
                keys = [self._children(j, held, k)]
            else:
                keys = [self._halves(held, self._ranks(j), k)]
                if self.q.kind[j] == SET:
                    keys.append(self._halves(held, _by_count(held, self._ranks(j)), k))
            found += [(j, pieces) for pieces in keys if pieces is not None]
        return found

    def _ranks(self, j: int) -> Rows:
        return np.unique(self.values[j], return_inverse=True)[1].astype(np.int64)

    def _halves(self, held: Counts, rank: Rows, k: int) -> Ids | None:
        """Values below the cut nearest to the median, and those above."""
        order = np.argsort(rank, kind="stable")
        order = order[held[order] > 0]
        edges = np.cumsum(held[order])
        m = int(edges[-1])
        cut = m // 2
        up = int(edges[np.searchsorted(edges, cut)])
        below = edges[edges <= cut]
        down = int(below[-1]) if len(below) else 0
        place = (up if up < m else 0) if down == 0 or (up < m and up - cut <= cut - down) else down
        if place < k or m - place < k:
            return None
        pieces = np.full(len(held), 1, np.int32)
        pieces[order[: int(np.searchsorted(edges, place)) + 1]] = 0
        return pieces

    def _children(self, j: int, held: Counts, k: int) -> Ids | None:
        """The children of the lowest node; those of fewer than k records stay together, with small ones while they are few."""
        q, base = self.q, self.q.first[j]
        there = np.flatnonzero(held)
        node = self.lowest(j, there)
        if q.high[base + node] - q.low[base + node] < 2:
            return None
        child = np.zeros(len(held), np.int64)
        for c in there:
            x = int(self.values[j][c])
            while q.parent[base + x] != node:
                x = int(q.parent[base + x])
            child[c] = x
        count = np.bincount(child[there], held[there], node + 1).astype(np.int64)
        rest = int(count[count < k].sum())
        count[count < k] = 0
        while 0 < rest < k:
            some = np.flatnonzero(count)
            if not len(some):
                return None
            smallest = some[np.argmin(count[some])]
            rest += int(count[smallest])
            count[smallest] = 0
        keys = np.where(count[child] == 0, REST, child)
        names = np.unique(keys[there])
        return np.searchsorted(names, np.minimum(keys, names[-1])).astype(np.int32) if len(names) > 1 else None


def _by_count(held: Counts, rank: Rows) -> Rows:
    """Places of values when those of most records come first."""
    order = np.lexsort((rank, -held))
    place = np.empty(len(held), np.int64)
    place[order] = np.arange(len(held))
    return place


@dataclass(frozen=True, eq=False)
class Histograms(Summed):
    """How often each value occurs in each piece of each split that is tried, of parts that are to be split."""

    root: Node
    tried: Tried
    name: ClassVar[str] = "cutting into parts"

    def ask(self, unit: Piece, context: Context) -> Answer:
        """The histograms of a piece of the data."""
        return histograms(self.root, self.tried, codes_in(context.batch(unit)), widths_of(context.roster))

    def both(self, first: Answer, second: Answer) -> Answer:
        """The sums."""
        return {key: first[key] + second[key] for key in first}


def histograms(root: Node, tried: Tried, codes: list[Rows], widths: list[int]) -> Answer:
    """How often each value occurs, attribute by attribute, in each piece of each split that is tried."""
    part = parts_of(root, codes)
    order = np.argsort(part, kind="stable")
    bounds = np.searchsorted(part[order], [(number, number + 1) for number in tried])
    found: Answer = {}
    for (number, splits), (start, stop) in zip(tried.items(), bounds, strict=True):
        rows = order[start:stop]
        held = [of[rows] for of in codes]
        for s, (j, pieces) in enumerate(splits):
            piece, n = pieces[held[j]].astype(np.int64), int(pieces.max()) + 1
            for a, width in enumerate(widths):
                counts = np.bincount(piece * width + held[a], minlength=n * width)
                found[f"{number} {s} {a}"] = counts.reshape(n, width)
    return found


def codes_in(batch: Dataset) -> list[Rows]:
    """The codes of the quasi columns; a missing value is behind the others."""
    return [np.where(c.codes < 0, len(c.domain), c.codes).astype(np.int64) for c in batch.quasi]


def widths_of(roster: Dataset) -> list[int]:
    """How many codes each quasi column has."""
    return [len(c.domain) + 1 for c in roster.quasi]


def parts_of(root: Node, codes: list[Rows] | list[Ids]) -> Rows:
    """The number of the part that each record is in."""
    part = np.full(len(codes[0]), NO_PART, np.int64)
    todo = [(root, np.arange(len(codes[0])))]
    while todo:
        node, rows = todo.pop()
        if node.child_of is None:
            part[rows] = node.number
            continue
        child = node.child_of[codes[node.attribute][rows]]
        todo += [(below, rows[child == c]) for c, below in enumerate(node.children)]
    return part


def whole_of(coder: Coder) -> Node:
    """All records as one part."""
    return Node([np.append(coder.counts[c.name], coder.records - coder.counts[c.name].sum()) for c in coder.roster.quasi])
