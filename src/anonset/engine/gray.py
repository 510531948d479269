"""Parts of the Gray order: neighbours of the order in which similar records are side by side, cut at records of a sample."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.nonreciprocal.order import Cuts, coded_records, quantile_cuts
from anonset.engine.coding import Answer, Coder
from anonset.engine.driver import Driver
from anonset.engine.parting import SPLIT, Split
from anonset.engine.questions import Context, Summed
from anonset.engine.source import Piece, PieceSource
from anonset.engine.spilling import Slices, slices_of
from anonset.errors import InfeasibleError
from anonset.kernels.gray import gray_order
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.sets import freeze, offsets_of

SAMPLED = 100  # records of a sample for each part


@dataclass(frozen=True, eq=False)
class Sample(Summed):
    """Every so manyth record of the input as a set of bits."""

    every: int
    bits: int
    cuts: Mapping[str, Cuts]
    name: ClassVar[str] = "sampling"

    def ask(self, unit: Piece, context: Context) -> Answer:
        """The sample of a piece."""
        rows = np.arange(-unit.first % self.every, unit.rows, self.every)
        held = coded_records(context.batch(unit).take(rows), self.bits, self.cuts)
        return {"first": np.full(len(rows), unit.first) + rows, "lengths": held.lengths, "items": held.items}


@dataclass(frozen=True, eq=False)
class ByGray:
    """Between which of the given sets of bits, in Gray order, a record is."""

    lengths: Rows
    items: Ids
    bits: int
    cuts: Mapping[str, Cuts]

    @property
    def n(self) -> int:
        """The number of parts."""
        return len(self.lengths) + 1

    def parts_of(self, batch: Dataset) -> Rows:
        """The number of sets before each record; those before it that are equal to it count."""
        held = coded_records(batch, self.bits, self.cuts)
        offsets = offsets_of(np.concatenate([self.lengths, held.lengths]))
        items = np.concatenate([self.items, held.items]).astype(np.int32)
        freeze(offsets, items)  # as those of transactions are: one compiled form for both
        order = gray_order(offsets, items)
        part = np.empty(len(order), np.int64)
        part[order] = np.cumsum(order < len(self.lengths))
        return part[len(self.lengths) :]


@dataclass(frozen=True, slots=True)
class Sizes:
    """About how many records a part has, how many at least and at most; and of which column no value is in more than 1/l."""

    fit: int
    least: int
    most: int
    label: str = ""
    l: int = 1  # noqa: E741 - the papers' letter


def parts_by_gray(driver: Driver, source: PieceSource, bits: int, wanted: Sizes) -> list[Slices]:
    """Parts of the Gray order of such sizes, brought together; neighbours are joined where they are too small."""
    coder = driver.context.coder
    assert coder is not None
    n = max(1, round(source.rows / wanted.fit))
    cuts = _cuts(coder, bits)
    parting = ByGray(*_borders(driver, source, n, bits, cuts), bits, cuts)
    answer = driver.ask(Split(parting, wanted.label), list(enumerate(source.pieces)), n, into=(SPLIT,))
    sizes = np.diff(answer["starts"].sum(axis=0))
    edges = joined(sizes, answer["held"] if wanted.label else np.zeros((n, 1), np.int64), wanted.least, wanted.l)
    large = int(np.diff(np.append(0, np.cumsum(sizes))[edges]).max())
    if large > wanted.most:
        raise InfeasibleError(f"one part needs {large:,} records, and memory has room for {wanted.most:,}; allow more")
    return slices_of(answer | {"starts": answer["starts"][:, edges]})


def _cuts(coder: Coder, bits: int) -> dict[str, Cuts]:
    """The quantiles of numeric quasi columns, over all records."""
    numeric = [c for c in coder.roster.quasi if c.values is not None and len(c.values)]
    return {c.name: quantile_cuts(c.values, bits, coder.counts[c.name]) for c in numeric if c.values is not None}


def _borders(driver: Driver, source: PieceSource, n: int, bits: int, cuts: Mapping[str, Cuts]) -> tuple[Rows, Ids]:
    """Sets of bits of a sample at which the order is cut into n parts."""
    every = max(1, source.rows // (SAMPLED * n))
    answer = driver.ask(Sample(every, bits, cuts), source.pieces, every, bits)
    offsets = offsets_of(answer["lengths"])
    held = Transactions(offsets, answer["items"], tuple(map(str, range(int(answer["items"].max(initial=0)) + 1))))
    held = held.take(np.argsort(answer["first"]))
    order = gray_order(held.offsets, held.items)
    chosen = held.take(order[np.arange(1, n) * len(order) // n])
    return chosen.lengths, chosen.items


def joined(sizes: Rows, held: Rows, least: int, l: int) -> Rows:  # noqa: E741 - the papers' letter
    """Where parts begin and end when neighbours are joined until all are large enough and no value is too frequent."""
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
