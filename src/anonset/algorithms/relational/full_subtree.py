"""Full-subtree recoding: cuts through the trees of all columns, moved down (`top-down`) or up (`bottom-up`) one node at
a time.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from anonset.algorithms.record_order import whatever_the_order
from anonset.algorithms.relational.base import Constraint, Relational, Suppression, constraint_of, guarantees_of, most_left_out
from anonset.algorithms.relational.distinct_records import DistinctRecords, distinct_records, exact_recoding, publish_recoding
from anonset.model.arrays import Ids, Mask, Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.progress import Progress, silent
from anonset.model.release import Release

TOUCHED = 0.1  # what it is worth that a weak record is generalized at all: without it, no way leads through many small steps


class RecodingState(NamedTuple):
    """What a recoding does to each distinct record: whether its group is too weak, its group's size, its loss."""

    weak: Mask
    sizes: Rows
    losses: Reals


def root_recoding(table: DistinctRecords) -> Ids:
    """Every value replaced by its root."""
    return np.concatenate([np.full(tree.tree.n_leaves, tree.tree.root, np.int32) for tree in table.trees])


def state(table: DistinctRecords, recoding: Ids, constraint: Constraint) -> RecodingState:
    """What a recoding does; a record of a weak group, which is left out, loses 1."""
    groups, count = table.groups(recoding)
    sizes, weak = constraint.judge(groups, count)
    return RecodingState(weak, sizes, np.where(weak, 1.0, table.losses(recoding)))


class Moves(NamedTuple):
    """The nodes of one attribute that may move, their worth, what moving them adds to the records left out, and the way."""

    nodes: Ids  # by falling worth
    worth: Reals
    adds: Reals
    recoding: Ids  # with all of them moved
    marked: Ids  # for each leaf, the node of `nodes` it belongs to


def specialize(table: DistinctRecords, recoding: Ids, constraint: Constraint, limit: int, progress: Progress) -> Ids:
    """Replace nodes by their children, the node that gains most first, while at most `limit` records are in weak groups."""
    now, barred = state(table, recoding, constraint), [np.zeros(len(tree.tree), np.bool_) for tree in table.trees]
    while True:
        spare = limit - float(table.counts @ now.weak)
        moves = [_down(table, recoding, j, now, constraint, spare, barred[j]) for j in range(len(table.trees))]
        j, chosen = _worthiest(moves, spare, -1e-12)
        if len(chosen) == 0:
            return recoding
        moved = _move(table, recoding, j, moves[j], chosen)
        then = state(table, moved, constraint)
        if table.counts @ then.weak > limit:  # nearness to all records is not decided group by group: what was left out counts
            barred[j][chosen] = True
            continue
        recoding, now = moved, then
        progress(1.0 - min(1.0, float(table.counts @ now.losses) / table.n))


def generalize(table: DistinctRecords, recoding: Ids, constraint: Constraint, limit: int, progress: Progress) -> Ids:
    """Replace nodes by their parent, most anonymity for the loss first, until at most `limit` records are in weak groups."""
    while (out := float(table.counts @ (now := state(table, recoding, constraint)).weak)) > limit:
        moves = [_up(table, recoding, j, now, constraint) for j in range(len(table.trees))]
        j, chosen = _worthiest(moves, np.inf, -1.0)
        recoding = _move(table, recoding, j, moves[j], chosen)
        progress(1.0 - min(1.0, out / table.n))
    return recoding


def _worthiest(moves: list[Moves], spare: float, least: float) -> tuple[int, Ids]:
    """The worthiest node to move, and with it those of its attribute that are worth more than any of another attribute.

    Moves in one attribute do not meddle with each other.
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
    """Nodes of attribute j that may be replaced by their children, worth what that lowers the loss."""
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
    """Nodes of attribute j that may replace all their children, worth the anonymity they bring for their loss."""
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
    """An algorithm that looks for one cut through each hierarchy for all records."""

    suppression: Suppression = 0.0

    @whatever_the_order
    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release at the cuts that were found; records of weak groups are left out."""
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
    """From the roots down, the most useful node first; one cut through each hierarchy for all records."""

    name: ClassVar[str] = "top-down"
    title: ClassVar[str] = "Top-down specialization"
    paper: ClassVar[str] = "Fung, Wang, Yu: Top-down specialization (ICDE 2005), with the loss in place of a class"

    def recode(self, table: DistinctRecords, constraint: Constraint, limit: int, progress: Progress = silent) -> Ids:
        """The node that replaces each leaf."""
        return specialize(table, root_recoding(table), constraint, limit, progress)


@dataclass(frozen=True, slots=True)
class BottomUp(FullSubtree):
    """From the values up, the most helpful node first; one cut through each hierarchy for all records."""

    name: ClassVar[str] = "bottom-up"
    title: ClassVar[str] = "Bottom-up generalization"
    paper: ClassVar[str] = "Wang, Yu, Chakraborty: Bottom-up generalization (ICDM 2004), with the loss in place of a class"

    def recode(self, table: DistinctRecords, constraint: Constraint, limit: int, progress: Progress = silent) -> Ids:
        """The node that replaces each leaf."""
        recoding = generalize(table, exact_recoding(table.trees), constraint, limit, progress)  # step 2
        return specialize(table, recoding, constraint, limit, progress)  # step 3
