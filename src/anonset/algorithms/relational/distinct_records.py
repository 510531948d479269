"""The distinct records of a dataset, a tree for every quasi column, and recodings that replace values by nodes."""

from dataclasses import dataclass, replace

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.recoding import exact_column, exact_items
from anonset.algorithms.relational._kernels.fulldomain import group_rows
from anonset.algorithms.relational.encoding import column_weights, node_costs
from anonset.algorithms.relational.publication import node_column, without_left_out
from anonset.model.arrays import Ids, Mask, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import PublishedColumn
from anonset.model.release import Release, Trace
from anonset.model.sets import offsets_of


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTree:
    """A column and the tree along which its values are generalized.

    The tree is the column's hierarchy; without one, pairs of neighbouring numbers or ordered words, pairs of pairs and so on,
    or one node above all other words. Where values are missing they are one more leaf, and a root for any value is above it and
    all others.
    """

    column: Column
    tree: Hierarchy
    codes: Ids  # the leaf of each record
    costs: Reals  # loss of a value published as each node
    shown: Ids  # the node of column.hierarchy that publishes each node, -1 for missing

    def publish(self, nodes: Ids, rows: Rows) -> PublishedColumn:
        """The column in which record rows[p] is published as node nodes[p]."""
        if self.column.hierarchy is None:
            return exact_column(self.column.take(rows))
        return node_column(self.column.take(rows), self.shown[nodes])


def column_tree(column: Column) -> ColumnTree:
    """The column with its tree; a column of missing values only has a tree of one node."""
    if len(column.domain) == 0:
        nothing = np.zeros(len(column), np.int32)
        return ColumnTree(column, _word_tree(("*",)), nothing, np.zeros(1), np.array([-1], np.int32))
    tree = column.hierarchy or (_word_tree if column.ranks is None else _number_tree)(column.domain)
    column = replace(column, hierarchy=tree)
    n, d = len(tree), tree.n_leaves
    costs = node_costs(column, tree)
    if (column.codes >= 0).all():
        return ColumnTree(column, tree, column.codes, costs, np.arange(n, dtype=np.int32))
    parent = np.where(tree.parent < 0, n, tree.parent) + 1  # inner nodes move up by one, and the root gets a parent
    parent = np.concatenate([parent[:d], [n + 1], parent[d:], [-1]]).astype(np.int32)
    labels = _unlike(tree.labels, 2)
    extended = Hierarchy((*tree.labels[:d], labels[0], *tree.labels[d:], labels[1]), parent)
    shown = np.concatenate([np.arange(d), [-1], np.arange(d, n), [tree.root]]).astype(np.int32)
    codes = np.where(column.codes < 0, d, column.codes).astype(np.int32)
    return ColumnTree(column, extended, codes, np.concatenate([costs[:d], [0.0], costs[d:], [1.0]]), shown)


def _number_tree(domain: tuple[str, ...]) -> Hierarchy:
    labels, parent = list(domain), [-1] * len(domain)
    level = [(v, v) for v in range(len(domain))]  # first and last leaf
    nodes = list(range(len(domain)))
    while len(nodes) > 1:
        spans, above = [], []
        for p in range(0, len(nodes), 2):
            pair = nodes[p : p + 2]
            spans.append((level[p][0], level[p + len(pair) - 1][1]))
            above.append(len(labels))
            for child in pair:
                parent[child] = len(labels)
            labels.append(f"[{domain[spans[-1][0]]}:{domain[spans[-1][1]]}]")
            parent.append(-1)
        level, nodes = spans, above
    return Hierarchy(tuple(labels), np.array(parent, np.int32))


def _word_tree(domain: tuple[str, ...]) -> Hierarchy:
    if len(domain) == 1:
        return Hierarchy(domain, np.array([-1], np.int32))
    return Hierarchy((*domain, _unlike(domain, 1)[0]), np.array([len(domain)] * len(domain) + [-1], np.int32))


def _unlike(labels: tuple[str, ...], count: int) -> list[str]:
    """Labels of stars that the tree does not have."""
    found: list[str] = []
    star = "*"
    while len(found) < count:
        if star not in labels:
            found.append(star)
        star += "*"
    return found


@dataclass(frozen=True, slots=True, eq=False)
class DistinctRecords:
    """Distinct record u has the leaves codes[u] and counts[u] copies; record r is distinct record row_of[r].

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
    """The recoding that keeps every leaf."""
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
    """The release with every value replaced by its node, without the copies of suppressed distinct records."""
    rows = np.flatnonzero(~suppressed[table.row_of])
    quasi = {
        tree.column.name: tree.publish(table.nodes(recoding, j)[table.row_of[rows]], rows) for j, tree in enumerate(table.trees)
    }
    columns = tuple(quasi[c.name] if c.role == "quasi" else exact_column(c.take(rows)) for c in data.columns)
    release = Release(columns, exact_items(data.take(rows)), guarantees, provenance(algorithm), rows, trace=trace)
    return without_left_out(data, release)
