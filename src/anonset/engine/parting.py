"""The driver's side of cutting into parts, and the records of each part brought together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from anonset.engine.coding import Answer
from anonset.engine.driver import Driver
from anonset.engine.questions import Context, Summed
from anonset.engine.rules import Rule
from anonset.engine.source import Piece, PieceSource
from anonset.engine.spilling import Slices, slices_of
from anonset.engine.trees import Histograms, Node, Space, Tried, codes_in, histograms, parts_of, whole_of, widths_of
from anonset.engine.writing import both_guided, published
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.sets import offsets_of

SPLIT = "split"
MANY = 1 << 60


def partition_tree(driver: Driver, source: PieceSource, space: Space, fit: int, least: int, room: int = MANY) -> Node:
    """The tree whose parts have at most `fit` records, or cannot be split into pieces of `least`.

    One pass a level, or more where the histograms of all its parts take more than `room` bytes.
    """
    coder = driver.context.coder
    assert coder is not None

    def ask(root: Node, tried: Tried) -> Answer:
        return driver.ask(Histograms(root, tried), source.pieces, fit, least)

    return _grown(whole_of(coder), space, fit, least, ask, room)


def _grown(root: Node, space: Space, fit: int, least: int, ask: Callable[[Node, Tried], Answer], room: int = MANY) -> Node:
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
                taken += 8 * sum(map(len, node.counts)) * sum(int(pieces.max()) + 1 for _, pieces in splits)
            if tried and (taken > room or place == len(level)):
                answer = ask(root, {node.number: splits for node, splits in tried.items()})
                below += [child for node, splits in tried.items() for child in _split(node, splits, answer, space)]
                tried, taken = {}, 0
        level = below
    return _numbered(root)


@dataclass(frozen=True, eq=False)
class Further:
    """The same tree, grown on in the records of one of its parts, where they are in memory."""

    space: Space
    fit: int
    least: int

    def parts_of(self, batch: Dataset) -> list[Rows]:
        """The records of each part."""
        codes, widths = codes_in(batch), widths_of(batch)
        root = Node([np.bincount(held, minlength=width) for held, width in zip(codes, widths, strict=True)])
        _grown(root, self.space, self.fit, self.least, lambda root, tried: histograms(root, tried, codes, widths))
        part = parts_of(root, codes)
        order = np.argsort(part, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(part[order])) + 1)


def _split(node: Node, splits: list[tuple[int, Ids]], answer: Answer, space: Space) -> list[Node]:
    """Make the cheapest of the splits, where one lowers the loss, as the kernel weighs them; return the new parts."""
    lowest, best = node.size * space.cost(node.counts) + 1e-9, None
    for s, (j, pieces) in enumerate(splits):
        hists = [[answer[f"{node.number} {s} {a}"][p] for a in range(len(node.counts))] for p in range(int(pieces.max()) + 1)]
        cost = 0.0
        for counts in hists:
            cost += int(counts[0].sum()) * space.cost(counts)
        if cost < lowest:
            lowest, best = cost, (j, pieces, hists)
    if best is None:
        return []
    node.attribute, node.child_of = best[0], best[1]
    node.children = [Node(counts) for counts in best[2]]
    node.counts = []  # which nobody asks for again
    return node.children


def _numbered(root: Node) -> Node:
    """The tree with its parts numbered from 0 on."""
    todo, number = [root], 0
    while todo:
        node = todo.pop()
        todo += node.children
        if node.child_of is None:
            node.number, number = number, number + 1
    return root


def n_parts(root: Node) -> int:
    """The number of parts."""
    return sum(map(n_parts, root.children)) if root.children else 1


class Parting(Protocol):
    """Says which of n parts each record belongs to."""

    @property
    def n(self) -> int:
        """The number of parts."""
        ...

    def parts_of(self, batch: Dataset) -> Rows:
        """The number of the part of each record."""
        ...


@dataclass(frozen=True, eq=False)
class ByTree:
    """The leaves of a tree."""

    root: Node

    @property
    def n(self) -> int:
        """The number of leaves."""
        return n_parts(self.root)

    def parts_of(self, batch: Dataset) -> Rows:
        """The leaf of each record."""
        return parts_of(self.root, codes_in(batch))


@dataclass(frozen=True, eq=False)
class Split(Summed):
    """The coded records of each piece, written for the parts they belong to; and how often values are in each part."""

    parting: Parting
    counted: str = ""  # of which column
    name: ClassVar[str] = "bringing parts together"

    def ask(self, unit: tuple[int, Piece], context: Context) -> Answer:
        """Where the records of a piece are for each part."""
        number, piece = unit
        batch = context.batch(piece)
        part = self.parting.parts_of(batch)
        answer = write_parts(batch, piece.first, part, self.parting.n, context.work / SPLIT, number)
        if not self.counted:
            return answer
        column = batch.column(self.counted)
        width = len(column.domain) + 1  # -1 is a value, too
        held = np.bincount(part * width + column.codes + 1, minlength=self.parting.n * width)
        return answer | {"held": held.reshape(self.parting.n, width)}

    def both(self, first: Answer, second: Answer) -> Answer:
        """Both, with the counts added."""
        held = {"held": first["held"] + second["held"]} if "held" in first else {}
        return super().both(first, second) | held


def write_parts(batch: Dataset, first: int, part: Rows, n: int, folder: Path, number: int) -> Answer:
    """Write coded records sorted by part, and say where those of each part begin; `first` is the first one's row."""
    order = np.argsort(part, kind="stable")
    _write(batch.take(order), order + first, folder / f"{number:08}")
    starts = np.searchsorted(part[order], np.arange(n + 1))
    return {"files": np.array([number], np.int64), "starts": starts.astype(np.int64)[None, :]}


def _write(data: Dataset, rows: Rows, folder: Path) -> None:
    """Codes as plain arrays, to be read in slices."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "rows.npy", rows)
    np.save(folder / "codes.npy", codes_of(data))
    if data.transactions is not None:
        np.save(folder / "offsets.npy", data.transactions.offsets)
        np.save(folder / "items.npy", data.transactions.items)


def codes_of(data: Dataset) -> NDArray[np.int32]:
    """The codes of all columns, one below the other."""
    return np.stack([column.codes for column in data.columns]) if data.columns else np.zeros((0, len(data)), np.int32)


def read_part(unit: Slices, context: Context, where: str = SPLIT) -> tuple[Dataset, Rows]:
    """The records of a part, and their numbers in the input."""
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
    """Coded records below each other."""
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
class PieceRun:
    """Neighbouring pieces that are worked on together."""

    number: int
    pieces: tuple[Piece, ...]

    def __str__(self) -> str:
        return f"{self.pieces[0]} to {self.pieces[-1]}"


@dataclass(frozen=True, eq=False)
class Solve(Summed):
    """What a rule publishes of each part, as if there were nothing else."""

    rule: Rule
    parts: int  # that are published: others than those that are worked on
    further: Further | None = None  # how a part is cut once its records are together
    name: ClassVar[str] = "anonymizing parts"

    def ask(self, unit: Slices | PieceRun, context: Context) -> Answer:
        """Where the records of a part are for each part that is published."""
        if isinstance(unit, PieceRun):
            batches = [context.batch(piece) for piece in unit.pieces]
            data = joined([(codes_of(batch), batch.transactions) for batch in batches], context.roster)
            rows = np.concatenate([np.arange(p.first, p.first + p.rows) for p in unit.pieces])
        else:
            data, rows = read_part(unit, context)
        parts: Iterable[tuple[Dataset, Rows]] = [(data, rows)]
        if self.further is not None:
            parts = ((data.take(few), rows[few]) for few in self.further.parts_of(data))
        return published(self.rule, parts, self.parts, context, unit.number)

    def both(self, first: Answer, second: Answer) -> Answer:
        """Both, with one explanation of labels."""
        return both_guided(first, second)


def runs_of(source: PieceSource, rows: int) -> list[PieceRun]:
    """Pieces in runs of about so many records."""
    runs: list[PieceRun] = []
    held: list[Piece] = []
    for piece in source.pieces:
        held.append(piece)
        if sum(p.rows for p in held) >= rows:
            runs.append(PieceRun(len(runs), tuple(held)))
            held = []
    if held and runs and sum(p.rows for p in held) < rows // 2:
        runs[-1] = PieceRun(runs[-1].number, (*runs[-1].pieces, *held))
    elif held:
        runs.append(PieceRun(len(runs), tuple(held)))
    return runs


def parts_by_tree(driver: Driver, source: PieceSource, space: Space, fit: int, least: int, room: int) -> list[Slices]:
    """The parts of a tree, brought together; histograms take `room` bytes at once."""
    root = partition_tree(driver, source, space, fit, least, room)
    return slices_of(driver.ask(Split(ByTree(root)), list(enumerate(source.pieces)), into=(SPLIT,)))
