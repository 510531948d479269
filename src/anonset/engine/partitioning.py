"""Partition the records by their quasi values, either with a tree of splits that are chosen from histograms, or as neighbours
in Gray order, and bring the records of each partition together.

Each partition is anonymized separately. `part` in the names of this module is a partition, not a published part.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.nonreciprocal.order import Cuts, coded_records, quantile_cuts
from anonset.algorithms.relational.encoding import encode
from anonset.engine.domains import Answer, Coder
from anonset.engine.journal import Driver
from anonset.engine.part_files import Rule, both_guided, published
from anonset.engine.questions import Context, Summed
from anonset.engine.shuffle import Slices, slices_of
from anonset.engine.source import BatchRef, BatchSource
from anonset.errors import InfeasibleError
from anonset.kernels.gray import gray_order
from anonset.kernels.groups import RANGE, SET, TREE, Quasi
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.sets import freeze, offsets_of

Counts = NDArray[np.int64]
Tried = dict[int, list[tuple[int, Ids]]]  # by the number of a partition: candidate splits as attribute and side of each code
REST = np.int64(2**31 - 1)
NO_PART = -1


@dataclass(eq=False)
class Node:
    """A partition: the histogram of each attribute and, once it is split, the child of each value of the split attribute."""

    counts: list[Counts]  # by attribute: of each code, then of missing values
    attribute: int = -1
    child_of: Ids | None = None  # by code
    children: list["Node"] = field(default_factory=list)
    number: int = NO_PART  # of a partition that is not split

    @property
    def size(self) -> int:
        """Return the number of records."""
        return int(self.counts[0].sum())


@dataclass(frozen=True, eq=False)
class Space:
    """The quasi attributes as the kernels encode them: values[j][c] is the number of code c, the last of a missing value."""

    q: Quasi
    values: list[NDArray[np.float64]]

    @classmethod
    def of(cls, roster: Dataset, recoding: str, weights: str) -> "Space":
        """Return the space of all values of a roster."""
        columns = tuple(replace(c, codes=np.append(c.codes, np.int32(-1))) for c in roster.quasi)
        q = encode(Dataset(columns), recoding, weights)
        values = []
        for j, column in enumerate(columns):
            numbers = np.zeros(len(column.domain) + 1)
            numbers[column.codes] = q.values[:, j]
            values.append(numbers)
        return cls(q, values)

    def cost(self, counts: list[Counts]) -> float:
        """Return the NCP of a record of a partition, computed as the kernel does."""
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
        """Return the lowest node of tree j above all the codes."""
        q, base = self.q, self.q.first[j]
        leaves = q.low[base + self.values[j][codes].astype(np.int64)]
        node = int(self.values[j][codes[0]])
        while q.low[base + node] > leaves.min() or q.high[base + node] <= leaves.max():
            node = int(q.parent[base + node])
        return node

    def candidates(self, counts: list[Counts], k: int) -> list[tuple[int, Ids]]:
        """Return the candidate splits: the attribute, and the side of each code; every side has at least k records."""
        found: list[tuple[int, Ids]] = []
        for j, held in enumerate(counts):
            if self.q.kind[j] == TREE:
                keys = [self._children(j, held, k)]
            else:
                keys = [self._halves(held, self._ranks(j), k)]
                if self.q.kind[j] == SET:
                    keys.append(self._halves(held, _by_count(held, self._ranks(j)), k))
            found += [(j, sides) for sides in keys if sides is not None]
        return found

    def _ranks(self, j: int) -> Rows:
        return np.unique(self.values[j], return_inverse=True)[1].astype(np.int64)

    def _halves(self, held: Counts, rank: Rows, k: int) -> Ids | None:
        """Return side 0 for the values below the cut nearest to the median, 1 for those above; None if one has too few."""
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
        sides = np.full(len(held), 1, np.int32)
        sides[order[: int(np.searchsorted(edges, place)) + 1]] = 0
        return sides

    def _children(self, j: int, held: Counts, k: int) -> Ids | None:
        """Return a side for each child of the lowest node; None if that is no split.

        Children of fewer than k records form one side, with the smallest of the others added until it has k.
        """
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
    """Return the rank of each value by descending count."""
    order = np.lexsort((rank, -held))
    place = np.empty(len(held), np.int64)
    place[order] = np.arange(len(held))
    return place


@dataclass(frozen=True, eq=False)
class Histograms(Summed):
    """The histograms of each side of each candidate split, for the partitions that are to be split."""

    root: Node
    tried: Tried
    name: ClassVar[str] = "cutting into parts"

    def ask(self, unit: BatchRef, context: Context) -> Answer:
        """Return the histograms of a batch."""
        return histograms(self.root, self.tried, codes_in(context.batch(unit)), widths_of(context.roster))

    def both(self, first: Answer, second: Answer) -> Answer:
        """Add the histograms of two batches."""
        return {key: first[key] + second[key] for key in first}


def histograms(root: Node, tried: Tried, codes: list[Rows], widths: list[int]) -> Answer:
    """Return the histogram of each attribute in each side of each candidate split."""
    part = parts_of(root, codes)
    order = np.argsort(part, kind="stable")
    bounds = np.searchsorted(part[order], [(number, number + 1) for number in tried])
    found: Answer = {}
    for (number, splits), (start, stop) in zip(tried.items(), bounds, strict=True):
        rows = order[start:stop]
        held = [of[rows] for of in codes]
        for s, (j, sides) in enumerate(splits):
            side, n = sides[held[j]].astype(np.int64), int(sides.max()) + 1
            for a, width in enumerate(widths):
                counts = np.bincount(side * width + held[a], minlength=n * width)
                found[f"{number} {s} {a}"] = counts.reshape(n, width)
    return found


def codes_in(batch: Dataset) -> list[Rows]:
    """Return the codes of the quasi columns; a missing value has the code after the last one."""
    return [np.where(c.codes < 0, len(c.domain), c.codes).astype(np.int64) for c in batch.quasi]


def widths_of(roster: Dataset) -> list[int]:
    """Return the number of codes of each quasi column, with that of a missing value."""
    return [len(c.domain) + 1 for c in roster.quasi]


def parts_of(root: Node, codes: list[Rows] | list[Ids]) -> Rows:
    """Return the number of the partition of each record."""
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
    """Return all records as one partition."""
    return Node([np.append(coder.counts[c.name], coder.records - coder.counts[c.name].sum()) for c in coder.roster.quasi])


SPLIT = "split"
MANY = 1 << 60


def partition_tree(driver: Driver, source: BatchSource, space: Space, fit: int, least: int, room: int = MANY) -> Node:
    """Return the tree whose partitions have at most `fit` records, or cannot be split into sides of `least` records.

    There is one pass for each level, or more if the histograms of all its partitions take more than `room` bytes.
    """
    coder = driver.context.coder
    assert coder is not None

    def ask(root: Node, tried: Tried) -> Answer:
        return driver.ask(Histograms(root, tried), source.batches, fit, least)

    return _grown(whole_of(coder), space, fit, least, ask, room)


def _grown(root: Node, space: Space, fit: int, least: int, ask: Callable[[Node, Tried], Answer], room: int = MANY) -> Node:
    """Split the root level by level; `ask` returns the histograms of candidate splits."""
    level, done = [root], 0
    while level:
        below: list[Node] = []
        tried: dict[Node, list[tuple[int, Ids]]] = {}
        taken = 0
        for node in level:
            node.number, done = done, done + 1
        for place, node in enumerate(level, 1):
            splits = space.candidates(node.counts, least) if node.size > fit else []
            if splits:
                tried[node] = splits
                taken += 8 * sum(map(len, node.counts)) * sum(int(sides.max()) + 1 for _, sides in splits)
            if tried and (taken > room or place == len(level)):
                answer = ask(root, {node.number: splits for node, splits in tried.items()})
                below += [child for node, splits in tried.items() for child in _split(node, splits, answer, space)]
                tried, taken = {}, 0
        level = below
    return _numbered(root)


@dataclass(frozen=True, eq=False)
class Further:
    """Splits one partition of the tree further, with its records in memory."""

    space: Space
    fit: int
    least: int

    def parts_of(self, batch: Dataset) -> list[Rows]:
        """Return the records of each partition."""
        codes, widths = codes_in(batch), widths_of(batch)
        root = Node([np.bincount(held, minlength=width) for held, width in zip(codes, widths, strict=True)])
        _grown(root, self.space, self.fit, self.least, lambda root, tried: histograms(root, tried, codes, widths))
        part = parts_of(root, codes)
        order = np.argsort(part, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(part[order])) + 1)


def _split(node: Node, splits: list[tuple[int, Ids]], answer: Answer, space: Space) -> list[Node]:
    """Make the split of the lowest loss, as the kernel does; return the new partitions, none if no split lowers the loss."""
    lowest, best = node.size * space.cost(node.counts) + 1e-9, None
    for s, (j, sides) in enumerate(splits):
        hists = [[answer[f"{node.number} {s} {a}"][p] for a in range(len(node.counts))] for p in range(int(sides.max()) + 1)]
        cost = 0.0
        for counts in hists:
            cost += int(counts[0].sum()) * space.cost(counts)
        if cost < lowest:
            lowest, best = cost, (j, sides, hists)
    if best is None:
        return []
    node.attribute, node.child_of = best[0], best[1]
    node.children = [Node(counts) for counts in best[2]]
    node.counts = []  # not needed any more
    return node.children


def _numbered(root: Node) -> Node:
    """Number the partitions from 0 on; return the tree."""
    todo, number = [root], 0
    while todo:
        node = todo.pop()
        todo += node.children
        if node.child_of is None:
            node.number, number = number, number + 1
    return root


def n_parts(root: Node) -> int:
    """Return the number of partitions."""
    return sum(map(n_parts, root.children)) if root.children else 1


class Parting(Protocol):
    """A partitioning: assigns each record to one of n partitions."""

    @property
    def n(self) -> int:
        """Return the number of partitions."""
        ...

    def parts_of(self, batch: Dataset) -> Rows:
        """Return the number of the partition of each record."""
        ...


@dataclass(frozen=True, eq=False)
class ByTree:
    """The partitioning by the leaves of a tree."""

    root: Node

    @property
    def n(self) -> int:
        """Return the number of leaves."""
        return n_parts(self.root)

    def parts_of(self, batch: Dataset) -> Rows:
        """Return the leaf of each record."""
        return parts_of(self.root, codes_in(batch))


@dataclass(frozen=True, eq=False)
class Split(Summed):
    """Writes the coded records of each batch in slices for their partitions, and counts the values of a column in each."""

    parting: Parting
    counted: str = ""  # the column whose values are counted
    name: ClassVar[str] = "bringing parts together"

    def ask(self, unit: tuple[int, BatchRef], context: Context) -> Answer:
        """Write the records of a batch; return where those of each partition are."""
        number, ref = unit
        batch = context.batch(ref)
        part = self.parting.parts_of(batch)
        answer = write_parts(batch, ref.first, part, self.parting.n, context.work / SPLIT, number)
        if not self.counted:
            return answer
        column = batch.column(self.counted)
        width = len(column.domain) + 1  # -1 counts as a value
        held = np.bincount(part * width + column.codes + 1, minlength=self.parting.n * width)
        return answer | {"held": held.reshape(self.parting.n, width)}

    def both(self, first: Answer, second: Answer) -> Answer:
        """Merge two answers, adding the counts."""
        held = {"held": first["held"] + second["held"]} if "held" in first else {}
        return super().both(first, second) | held


def write_parts(batch: Dataset, first: int, part: Rows, n: int, folder: Path, number: int) -> Answer:
    """Write coded records sorted by partition; return where each partition begins. `first` is the row of the first record."""
    order = np.argsort(part, kind="stable")
    _write(batch.take(order), order + first, folder / f"{number:08}")
    starts = np.searchsorted(part[order], np.arange(n + 1))
    return {"files": np.array([number], np.int64), "starts": starts.astype(np.int64)[None, :]}


def _write(data: Dataset, rows: Rows, folder: Path) -> None:
    """Write codes as plain arrays that can be read in slices."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "rows.npy", rows)
    np.save(folder / "codes.npy", codes_of(data))
    if data.transactions is not None:
        np.save(folder / "offsets.npy", data.transactions.offsets)
        np.save(folder / "items.npy", data.transactions.items)


def codes_of(data: Dataset) -> NDArray[np.int32]:
    """Return the codes of all columns, one row for each column."""
    return np.stack([column.codes for column in data.columns]) if data.columns else np.zeros((0, len(data)), np.int32)


def read_part(unit: Slices, context: Context, where: str = SPLIT) -> tuple[Dataset, Rows]:
    """Return the records of a partition, and their numbers in the input."""
    datasets, rows = [], []
    for file, start, stop in zip(unit.files, unit.starts, unit.stops, strict=True):
        if stop > start:
            folder = context.work / where / file
            rows.append(np.load(folder / "rows.npy", mmap_mode="r")[start:stop])
            codes = np.array(np.load(folder / "codes.npy", mmap_mode="r")[:, start:stop])
            held = None
            if context.roster.transactions is not None:
                offsets = np.load(folder / "offsets.npy", mmap_mode="r")[start : stop + 1]
                items = np.array(np.load(folder / "items.npy", mmap_mode="r")[offsets[0] : offsets[-1]])
                held = Transactions(np.array(offsets - offsets[0]), items, context.roster.transactions.domain)
            datasets.append((codes, held))
    return joined(datasets, context.roster), np.concatenate(rows)


def joined(parts: list[tuple[NDArray[np.int32], Transactions | None]], roster: Dataset) -> Dataset:
    """Concatenate coded records."""
    codes = np.concatenate([codes for codes, _ in parts], axis=1)
    columns = tuple(
        Column(c.name, c.role, c.kind, np.ascontiguousarray(codes[j]), c.domain, c.values, c.hierarchy)
        for j, c in enumerate(roster.columns)
    )
    sets = [held for _, held in parts if held is not None]
    transactions = None
    if sets:
        lengths = np.concatenate([held.lengths for held in sets])
        transactions = Transactions(offsets_of(lengths), np.concatenate([held.items for held in sets]), sets[0].domain)
    return Dataset(
        columns,
        transactions,
        roster.item_hierarchy,
        roster.sensitive_items,
        roster.item_column,
    )


@dataclass(frozen=True, slots=True)
class BatchRun:
    """Neighbouring batches that are anonymized together."""

    number: int
    batches: tuple[BatchRef, ...]

    def __str__(self) -> str:
        return f"{self.batches[0]} to {self.batches[-1]}"


@dataclass(frozen=True, eq=False)
class Solve(Summed):
    """Recodes each partition by a rule, separately."""

    rule: Rule
    parts: int  # number of published parts
    further: Further | None = None  # how a partition is split once its records are in memory
    name: ClassVar[str] = "anonymizing parts"

    def ask(self, unit: Slices | BatchRun, context: Context) -> Answer:
        """Return where the records of a partition are for each published part."""
        if isinstance(unit, BatchRun):
            batches = [context.batch(ref) for ref in unit.batches]
            data = joined([(codes_of(batch), batch.transactions) for batch in batches], context.roster)
            rows = np.concatenate([np.arange(p.first, p.first + p.rows) for p in unit.batches])
        else:
            data, rows = read_part(unit, context)
        parts: Iterable[tuple[Dataset, Rows]] = [(data, rows)]
        if self.further is not None:
            parts = ((data.take(few), rows[few]) for few in self.further.parts_of(data))
        return published(self.rule, parts, self.parts, context, unit.number)

    def both(self, first: Answer, second: Answer) -> Answer:
        """Merge two answers, with one meaning of labels."""
        return both_guided(first, second)


def runs_of(source: BatchSource, rows: int) -> list[BatchRun]:
    """Group neighbouring batches into runs of about `rows` records."""
    runs: list[BatchRun] = []
    held: list[BatchRef] = []
    for ref in source.batches:
        held.append(ref)
        if sum(p.rows for p in held) >= rows:
            runs.append(BatchRun(len(runs), tuple(held)))
            held = []
    if held and runs and sum(p.rows for p in held) < rows // 2:
        runs[-1] = BatchRun(runs[-1].number, (*runs[-1].batches, *held))
    elif held:
        runs.append(BatchRun(len(runs), tuple(held)))
    return runs


def parts_by_tree(driver: Driver, source: BatchSource, space: Space, fit: int, least: int, room: int) -> list[Slices]:
    """Return the records of the partitions of a tree; the histograms of one pass take `room` bytes."""
    root = partition_tree(driver, source, space, fit, least, room)
    return slices_of(driver.ask(Split(ByTree(root)), list(enumerate(source.batches)), into=(SPLIT,)))


SAMPLED = 100  # records of the sample for each partition


@dataclass(frozen=True, eq=False)
class Sample(Summed):
    """A systematic sample: every `every`-th record of the input, encoded as a set of bits."""

    every: int
    bits: int
    cuts: Mapping[str, Cuts]
    name: ClassVar[str] = "sampling"

    def ask(self, unit: BatchRef, context: Context) -> Answer:
        """Return the sample of a batch."""
        rows = np.arange(-unit.first % self.every, unit.rows, self.every)
        held = coded_records(context.batch(unit).take(rows), self.bits, self.cuts)
        return {"first": np.full(len(rows), unit.first) + rows, "lengths": held.lengths, "items": held.items}


@dataclass(frozen=True, eq=False)
class ByGray:
    """The partitioning by intervals of the Gray order, whose borders are the given sets of bits."""

    lengths: Rows
    items: Ids
    bits: int
    cuts: Mapping[str, Cuts]

    @property
    def n(self) -> int:
        """Return the number of partitions."""
        return len(self.lengths) + 1

    def parts_of(self, batch: Dataset) -> Rows:
        """Return the number of borders that are not after each record."""
        held = coded_records(batch, self.bits, self.cuts)
        offsets = offsets_of(np.concatenate([self.lengths, held.lengths]))
        items = np.concatenate([self.items, held.items]).astype(np.int32)
        freeze(offsets, items)  # read-only like those of Transactions, so that the kernel is compiled once for both
        order = gray_order(offsets, items)
        part = np.empty(len(order), np.int64)
        part[order] = np.cumsum(order < len(self.lengths))
        return part[len(self.lengths) :]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The usual, smallest and largest size of a partition; no value of the column `label` has more than 1/l of its records."""

    fit: int
    least: int
    most: int
    label: str = ""
    l: int = 1  # noqa: E741 - the papers' letter


def parts_by_gray(driver: Driver, source: BatchSource, bits: int, limits: Sizes) -> list[Slices]:
    """Return the records of partitions of such sizes in Gray order; too small neighbours are joined."""
    coder = driver.context.coder
    assert coder is not None
    n = max(1, round(source.rows / limits.fit))
    cuts = _cuts(coder, bits)
    parting = ByGray(*_borders(driver, source, n, bits, cuts), bits, cuts)
    answer = driver.ask(Split(parting, limits.label), list(enumerate(source.batches)), n, into=(SPLIT,))
    sizes = np.diff(answer["starts"].sum(axis=0))
    edges = joined_by_order(sizes, answer["held"] if limits.label else np.zeros((n, 1), np.int64), limits.least, limits.l)
    large = int(np.diff(np.append(0, np.cumsum(sizes))[edges]).max())
    if large > limits.most:
        raise InfeasibleError(f"one part needs {large:,} records, and memory has room for {limits.most:,}; allow more")
    return slices_of(answer | {"starts": answer["starts"][:, edges]})


def _cuts(coder: Coder, bits: int) -> dict[str, Cuts]:
    """Return the quantiles of the quasi columns of numbers and ordered words over all records."""
    ranks = {c.name: c.ranks for c in coder.roster.quasi if c.ranks is not None and len(c.ranks)}
    return {name: quantile_cuts(places, bits, coder.counts[name]) for name, places in ranks.items()}


def _borders(driver: Driver, source: BatchSource, n: int, bits: int, cuts: Mapping[str, Cuts]) -> tuple[Rows, Ids]:
    """Return the sets of bits, taken from a sample, that cut the order into n partitions."""
    every = max(1, source.rows // (SAMPLED * n))
    answer = driver.ask(Sample(every, bits, cuts), source.batches, every, bits)
    offsets = offsets_of(answer["lengths"])
    held = Transactions(offsets, answer["items"], tuple(map(str, range(int(answer["items"].max(initial=0)) + 1))))
    held = held.take(np.argsort(answer["first"]))
    order = gray_order(held.offsets, held.items)
    chosen = held.take(order[np.arange(1, n) * len(order) // n])
    return chosen.lengths, chosen.items


def joined_by_order(sizes: Rows, held: Rows, least: int, l: int) -> Rows:  # noqa: E741 - the papers' letter
    """Join neighbours until all are large enough and no value is too frequent; return the borders of the partitions."""
    size = np.append(0, np.cumsum(sizes))
    values = np.concatenate([np.zeros((1, held.shape[1]), np.int64), np.cumsum(held, axis=0)])

    def enough(a: int, b: int) -> bool:
        n = int(size[b] - size[a])
        return n >= least and int((values[b] - values[a]).max()) * l <= n

    edges = [0]
    for end in range(1, len(size)):
        if enough(edges[-1], end):
            edges.append(end)
    if edges[-1] < len(sizes):
        edges.append(len(sizes))
    while len(edges) > 2 and not enough(edges[-2], edges[-1]):
        del edges[-2]
    return np.array(edges)
