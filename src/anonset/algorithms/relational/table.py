"""The distinct records of a dataset, and what happens to them when values are replaced by nodes."""

from dataclasses import dataclass

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.recoding import exact_column, exact_items
from anonset.algorithms.relational.encoding import column_weights
from anonset.algorithms.relational.kernels.fulldomain import group_rows
from anonset.algorithms.relational.trees import ColumnTree, column_tree
from anonset.model.arrays import Ids, Mask, Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.left_out import without_left_out
from anonset.model.release import Release, Trace
from anonset.model.sets import offsets_of


@dataclass(frozen=True, slots=True, eq=False)
class DistinctRecords:
    """Distinct record u has the leaves codes[u] and stands for counts[u] records; record r is distinct record row_of[r].

    A recoding is one array: leaf c of attribute j is replaced by the node recoding[first[j] + c].
    """

    trees: tuple[ColumnTree, ...]
    codes: Ids  # (u, v)
    counts: Rows  # (u,)
    row_of: Rows  # (n,)
    first: Rows  # (v + 1,)
    weight: Reals  # (v,)

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.row_of)

    def groups(self, recoding: Ids) -> tuple[Rows, int]:
        """The group of each distinct record under a recoding, and the number of groups."""
        return group_rows(self.codes, recoding, self.first)

    def losses(self, recoding: Ids) -> Reals:
        """The NCP of each distinct record."""
        lost = np.zeros(len(self.codes))
        for j, tree in enumerate(self.trees):
            lost += self.weight[j] * tree.costs[self.nodes(recoding, j)]
        return lost

    def nodes(self, recoding: Ids, j: int) -> Ids:
        """The node of each distinct record in attribute j."""
        return recoding[self.first[j] : self.first[j + 1]][self.codes[:, j]]


def distinct_records(data: Dataset, weights: str = "") -> DistinctRecords:
    """The distinct combinations of quasi values of a dataset."""
    trees = tuple(column_tree(column) for column in data.quasi)
    codes = np.column_stack([tree.codes for tree in trees]).astype(np.int32)
    first = offsets_of([tree.tree.n_leaves for tree in trees])
    row_of, count = group_rows(codes, exact_recoding(trees), first)
    rows = np.zeros(count, np.int64)
    rows[row_of[::-1]] = np.arange(len(codes))[::-1]
    return DistinctRecords(
        trees, codes[rows], np.bincount(row_of, minlength=count), row_of, first, column_weights(data, weights)
    )


def exact_recoding(trees: tuple[ColumnTree, ...]) -> Ids:
    """Every leaf stays as it is."""
    return np.concatenate([np.arange(tree.tree.n_leaves, dtype=np.int32) for tree in trees])


def publish_recoding(
    algorithm: object,
    data: Dataset,
    table: DistinctRecords,
    recoding: Ids,
    suppressed: Mask,
    guarantees: tuple[Guarantee, ...],
    trace: Trace = (),
) -> Release:
    """A release with every value replaced by its node, without the records of the suppressed distinct records."""
    rows = np.flatnonzero(~suppressed[table.row_of])
    quasi = {
        tree.column.name: tree.publish(table.nodes(recoding, j)[table.row_of[rows]], rows) for j, tree in enumerate(table.trees)
    }
    columns = tuple(quasi[c.name] if c.role == "quasi" else exact_column(c.take(rows)) for c in data.columns)
    release = Release(columns, exact_items(data.take(rows)), guarantees, provenance(algorithm), rows, trace=trace)
    return without_left_out(data, release)
