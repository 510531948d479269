"""Mondrian: multidimensional partitioning.

1. All records are one part.
2. Split each part in the attribute and at the value that reduce the loss most if every piece keeps k records: ordered values in
   two, values with a hierarchy along the children of the part's lowest common node.
3. A part that cannot be split is a group, and publishes the labels that cover it.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from anonset.algorithms.base import Inversion, order_independent
from anonset.algorithms.relational._kernels.splits import split_parts
from anonset.algorithms.relational.base import Constraint, Relational, constraint_of_records, guarantees_of
from anonset.algorithms.relational.encoding import Recoding, encode
from anonset.algorithms.relational.publication import publish_groups
from anonset.kernels.groups import Quasi
from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.progress import Progress, silent
from anonset.model.release import Release

Splits = Annotated[Literal["strict", "relaxed"], "whether records with equal values stay together, or may be divided"]


@dataclass(frozen=True, slots=True)
class Mondrian(Relational):
    """Parts split in two or along a hierarchy while k records remain; local recoding."""

    splits: Splits = "strict"
    recoding: Recoding = "nodes"
    name: ClassVar[str] = "mondrian"
    counts_population: ClassVar[bool] = True
    inversion: ClassVar[Inversion] = "none found"
    title: ClassVar[str] = "Mondrian"
    paper: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Mondrian (ICDE 2006), splits chosen by loss"

    @order_independent
    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release whose groups are the parts."""
        guarantees = guarantees_of(self, data)
        constraint = constraint_of_records(data, guarantees)
        progress(0.0)
        q = encode(data, self.recoding, self.weights)
        groups = partition(q, constraint, relaxed=self.splits == "relaxed", progress=progress)
        progress(1.0)
        return publish_groups(self, data, groups, guarantees, recoding=self.recoding)


def partition(q: Quasi, constraint: Constraint, *, relaxed: bool, progress: Progress = silent) -> Rows:
    """The part of each record; if a split has a weak piece, another attribute is tried."""
    n, v = q.values.shape
    rows = np.arange(n, dtype=np.int64)
    ranks = np.column_stack([np.searchsorted(np.unique(column), column) for column in q.values.T]).astype(np.int32)
    starts, stops, barred = np.zeros(1, np.int64), np.full(1, n, np.int64), np.zeros((1, v), np.bool_)
    groups, formed = np.full(n, -1, np.int64), 0
    while len(starts):
        new_starts, new_stops, source, attribute = split_parts(q, ranks, rows, starts, stops, barred, constraint.k, relaxed)
        refused = _refused(rows, new_starts, new_stops, source, len(starts), constraint) & (attribute >= 0)
        for p in np.flatnonzero(attribute < 0):
            groups[rows[starts[p] : stops[p]]] = formed
            formed += 1
        made = ((attribute >= 0) & ~refused)[source]
        barred[refused, attribute[refused]] = True
        starts, stops = np.append(starts[refused], new_starts[made]), np.append(stops[refused], new_stops[made])
        barred = np.concatenate([barred[refused], np.zeros((np.count_nonzero(made), v), np.bool_)])
        progress(1.0 - float((stops - starts).sum()) / n)
    return groups


def _refused(rows: Rows, starts: Rows, stops: Rows, source: Rows, n_parts: int, constraint: Constraint) -> Mask:
    """A mask of the old parts that have a weak piece."""
    refused = np.zeros(n_parts, np.bool_)
    if constraint.sensitive is not None:
        order = np.argsort(starts)
        pieces = np.repeat(order, (stops - starts)[order])
        among = constraint.of(
            np.concatenate([rows[start:stop] for start, stop in zip(starts[order], stops[order], strict=True)])
        )
        refused[source[among.weak_groups(pieces, len(starts))[1]]] = True
    return refused
