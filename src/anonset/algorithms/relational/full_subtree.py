"""Full-subtree recoding: one cut through the tree of each column, moved down or up one node at a time.

`top-down`:
1. Start from the roots. 2. Replace the node with the highest gain by its children while the groups satisfy the constraint.

`bottom-up`:
1. Start from the values. 2. Replace nodes by their parent, the highest gain in anonymity for the loss first, until the groups
satisfy the constraint. 3. Move down again as `top-down` does, where that is possible.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from anonset.algorithms.base import Inversion, order_independent
from anonset.algorithms.relational.base import Constraint, Relational, Suppression, constraint_of, guarantees_of, most_left_out
from anonset.algorithms.relational.distinct_records import DistinctRecords, distinct_records, exact_recoding, publish_recoding
from anonset.model.arrays import Ids, Mask, Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.progress import Progress, silent
from anonset.model.release import Release

TOUCHED = (
    0.1  # gain of generalizing a weak record at all: without it, many small steps with no gain of their own are never taken
)


class RecodingState(NamedTuple):
    """For each distinct record under a recoding: whether its group is weak, the size of its group, its loss."""

    weak: Mask
    sizes: Rows
    losses: Reals


def root_recoding(table: DistinctRecords) -> Ids:
    """The recoding that replaces every value by its root."""
    return np.concatenate([np.full(tree.tree.n_leaves, tree.tree.root, np.int32) for tree in table.trees])


def state(table: DistinctRecords, recoding: Ids, constraint: Constraint) -> RecodingState:
    """The state under a recoding; a record of a weak group is left out and loses 1."""
    groups, count = table.groups(recoding)
    sizes, weak = constraint.judge(groups, count)
    return RecodingState(weak, sizes, np.where(weak, 1.0, table.losses(recoding)))


class Moves(NamedTuple):
    """The nodes of one attribute that may move, what each gains, and how many more records each leaves out."""

    nodes: Ids  # by falling gain
    worth: Reals
    adds: Reals
    recoding: Ids  # with all of them moved
    marked: Ids  # for each leaf, the node of `nodes` it belongs to


def specialize(table: DistinctRecords, recoding: Ids, constraint: Constraint, limit: int, progress: Progress) -> Ids:
    """The recoding after nodes are replaced by their children, the highest gain first, while at most `limit` records are in
    weak groups.
    """
    now, barred = state(table, recoding, constraint), [np.zeros(len(tree.tree), np.bool_) for tree in table.trees]
    while True:
        spare = limit - float(table.counts @ now.weak)
        moves = [_down(table, recoding, j, now, constraint, spare, barred[j]) for j in range(len(table.trees))]
        j, chosen = _best_moves(moves, spare, -1e-12)
        if len(chosen) == 0:
            return recoding
        moved = _move(table, recoding, j, moves[j], chosen)
        then = state(table, moved, constraint)
        if table.counts @ then.weak > limit:  # t-closeness is not decided group by group: left-out records count
            barred[j][chosen] = True
            continue
        recoding, now = moved, then
        progress(1.0 - min(1.0, float(table.counts @ now.losses) / table.n))


def generalize(table: DistinctRecords, recoding: Ids, constraint: Constraint, limit: int, progress: Progress) -> Ids:
    """The recoding after nodes are replaced by their parent, most anonymity for the loss first, until at most `limit` records
    are in weak groups.
    """
    while (out := float(table.counts @ (now := state(table, recoding, constraint)).weak)) > limit:
        moves = [_up(table, recoding, j, now, constraint) for j in range(len(table.trees))]
        j, chosen = _best_moves(moves, np.inf, -1.0)
        recoding = _move(table, recoding, j, moves[j], chosen)
        progress(1.0 - min(1.0, out / table.n))
    return recoding


def _best_moves(moves: list[Moves], spare: float, least: float) -> tuple[int, Ids]:
    """The attribute of the node with the highest gain, and its nodes with a higher gain than any of another attribute.

    Moves within one attribute do not affect each other.
    """
    worth = np.array([move.worth[0] if len(move.worth) else -np.inf for move in moves])
    j = int(np.argmax(worth))
    others = np.delete(worth, j).max(initial=least)
    if worth[j] <= least or worth[j] <= others:
        return j, moves[j].nodes[: int(worth[j] > least)]
    fits = np.cumsum(np.maximum(moves[j].adds, 0.0)) <= spare
    fits[0] = True
    return j, moves[j].nodes[(moves[j].worth > others) & fits]


def _move(table: DistinctRecords, recoding: Ids, j: int, moves: Moves, chosen: Ids) -> Ids:
    here = np.zeros(len(recoding), np.bool_)
    here[table.first[j] : table.first[j + 1]] = np.isin(moves.marked, chosen)
    return np.where(here, moves.recoding, recoding)


def _down(
    table: DistinctRecords, recoding: Ids, j: int, now: RecodingState, constraint: Constraint, spare: float, barred: Mask
) -> Moves:
    """The nodes of attribute j that may be replaced by their children; the gain is the reduction of the loss."""
    tree, part = table.trees[j].tree, slice(table.first[j], table.first[j + 1])
    lower = recoding.copy()
    lower[part] = one_step_down(tree, recoding[part])
    node = table.nodes(recoding, j)
    may = np.unique(node[(node >= tree.n_leaves) & ~barred[node]])
    if len(may) == 0:
        return Moves(may, np.zeros(0), np.zeros(0), lower, recoding[part])
    then = state(table, lower, constraint)
    gain: Reals = np.bincount(node, table.counts * (now.losses - then.losses), len(tree))[may].astype(np.float64)
    adds: Reals = np.bincount(node, table.counts * (then.weak * 1.0 - now.weak), len(tree))[may].astype(np.float64)
    order = np.argsort(-gain, kind="stable")
    order = order[adds[order] <= spare]
    return Moves(may[order], gain[order], adds[order], lower, recoding[part])


def _up(table: DistinctRecords, recoding: Ids, j: int, now: RecodingState, constraint: Constraint) -> Moves:
    """The nodes of attribute j that may replace all their children; the gain is anonymity per loss."""
    tree, part = table.trees[j].tree, slice(table.first[j], table.first[j + 1])
    upper = recoding.copy()
    upper[part] = one_step_up(tree, recoding[part])
    may = np.unique(upper[part][upper[part] != recoding[part]])
    if len(may) == 0:
        return Moves(may, np.zeros(0), np.zeros(0), upper, upper[part])
    then = state(table, upper, constraint)
    node, costs = table.nodes(upper, j), table.weight[j] * table.trees[j].costs
    price = np.bincount(node, table.counts * (costs[node] - costs[table.nodes(recoding, j)]), len(tree))[may]
    nearer = constraint.strength(then.sizes) - constraint.strength(now.sizes) + TOUCHED * now.weak
    gain = np.bincount(node, table.counts * nearer, len(tree))[may]
    worth = (gain + 1e-9) / (price + 1e-9)
    order = np.argsort(-worth, kind="stable")[: 1 + len(may) // 8]
    return Moves(may[order], worth[order], np.zeros(len(order)), upper, upper[part])


def one_step_down(tree: Hierarchy, cut: Ids) -> Ids:
    """The cut with every node replaced by its children: for each leaf, the node below cut[leaf] on the way to it."""
    below = np.arange(tree.n_leaves, dtype=np.int32)
    while (high := tree.depth[below] > tree.depth[cut] + 1).any():
        below[high] = tree.parent[below[high]]
    return np.where(tree.depth[below] > tree.depth[cut], below, cut)


def one_step_up(tree: Hierarchy, cut: Ids) -> Ids:
    """The cut with every run of nodes that are all the children of one parent replaced by it."""
    parent = np.where(cut == tree.root, tree.root, tree.parent[cut])
    whole = np.bincount(parent, minlength=len(tree)) == tree.sizes
    return np.where(whole[parent], parent, cut).astype(np.int32)


@dataclass(frozen=True, slots=True)
class FullSubtree(Relational, ABC):
    """Base class of algorithms that search one cut through each hierarchy for all records."""

    suppression: Suppression = 0.0

    @order_independent
    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The release at the final cuts; records of weak groups are left out."""
        guarantees = guarantees_of(self, data)
        progress(0.0)
        table = distinct_records(data, self.weights)
        constraint = constraint_of(data, guarantees, table.row_of, table.counts)
        recoding = self.recode(table, constraint, most_left_out(self.suppression, data), progress)
        progress(1.0)
        return publish_recoding(self, data, table, recoding, state(table, recoding, constraint).weak, guarantees)

    @abstractmethod
    def recode(self, table: DistinctRecords, constraint: Constraint, limit: int, progress: Progress = silent) -> Ids:
        """The node that replaces each leaf."""


@dataclass(frozen=True, slots=True)
class TopDown(FullSubtree):
    """From the roots down, the node with the highest gain first; one cut through each hierarchy for all records."""

    name: ClassVar[str] = "top-down"
    inversion: ClassVar[Inversion] = "none found"
    title: ClassVar[str] = "Top-down specialization"
    paper: ClassVar[str] = "Fung, Wang, Yu: Top-down specialization (ICDE 2005), with the loss in place of a class"

    def recode(self, table: DistinctRecords, constraint: Constraint, limit: int, progress: Progress = silent) -> Ids:
        """The node that replaces each leaf."""
        return specialize(table, root_recoding(table), constraint, limit, progress)


@dataclass(frozen=True, slots=True)
class BottomUp(FullSubtree):
    """From the values up, the node with the highest gain first; one cut through each hierarchy for all records."""

    name: ClassVar[str] = "bottom-up"
    inversion: ClassVar[Inversion] = "none found"
    title: ClassVar[str] = "Bottom-up generalization"
    paper: ClassVar[str] = "Wang, Yu, Chakraborty: Bottom-up generalization (ICDM 2004), with the loss in place of a class"

    def recode(self, table: DistinctRecords, constraint: Constraint, limit: int, progress: Progress = silent) -> Ids:
        """The node that replaces each leaf."""
        recoding = generalize(table, exact_recoding(table.trees), constraint, limit, progress)  # step 2
        return specialize(table, recoding, constraint, limit, progress)  # step 3
