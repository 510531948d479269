"""A tree for every quasi column, so that values can be replaced by nodes: for the algorithms that recode whole domains."""

from dataclasses import dataclass, replace

import numpy as np

from anonset.algorithms.recoding import exact_column
from anonset.algorithms.relational.encoding import node_costs
from anonset.algorithms.relational.generalize import node_column
from anonset.model.arrays import Ids, Reals, Rows
from anonset.model.columns import Column
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import PublishedColumn


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTree:
    """A column and the tree its values climb.

    The tree is the column's hierarchy; without one, pairs of neighbouring numbers, pairs of pairs and so on, or one node above
    all words. Where values are missing they are one more leaf, and "anything" one more root above it and all others.
    """

    column: Column
    tree: Hierarchy
    codes: Ids  # the leaf of each record
    costs: Reals  # loss of a value published as each node
    shown: Ids  # the node of column.hierarchy that publishes each node, -1 for missing

    def publish(self, nodes: Ids, rows: Rows) -> PublishedColumn:
        """The column with record rows[p] published as node nodes[p]."""
        if self.column.hierarchy is None:
            return exact_column(self.column.take(rows))
        return node_column(self.column.take(rows), self.shown[nodes])


def column_tree(column: Column) -> ColumnTree:
    """The column with the tree its values climb; a column of missing values only has nothing to climb."""
    if len(column.domain) == 0:
        nothing = np.zeros(len(column), np.int32)
        return ColumnTree(column, _word_tree(("*",)), nothing, np.zeros(1), np.array([-1], np.int32))
    tree = column.hierarchy or (_number_tree if column.values is not None else _word_tree)(column.domain)
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
    """Stars that are no label yet."""
    found: list[str] = []
    star = "*"
    while len(found) < count:
        if star not in labels:
            found.append(star)
        star += "*"
    return found
