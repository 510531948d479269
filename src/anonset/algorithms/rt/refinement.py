"""Refinement of merged clusters (original to anonset), in which neither NCP nor UL rises.

1. Move records to clusters that lose less, many at a time or one in exchange for another (`refine`).
2. Split the records of a cluster in two item tables where that loses less: rare sets in one of them (`Splitting`).
3. Replace nodes of the item hierarchy by their children while the cluster stays protected (`Lowering`).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from anonset.algorithms.rt._kernels.protection import rare_holders
from anonset.algorithms.rt.cluster_merge import cluster_states
from anonset.algorithms.rt.item_step import ItemOutcome, Items, LabelTable, join
from anonset.kernels.groups import Quasi, states_of_records, union_costs
from anonset.kernels.recode import collapse, published_labels
from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.hierarchy import Hierarchy
from anonset.model.progress import Progress
from anonset.model.sets import filter_members, rows_of

Polish = Callable[[ItemOutcome], ItemOutcome]
ROUNDS = 3
SLACK = 1e-9


class RowMove(NamedTuple):
    """An input row that went from one cluster to another."""

    row: int
    source: int
    target: int


class MoveProposal(NamedTuple):
    """Rows of cluster `source` that cluster `target` covers as it is; there they lose `gain` less NCP in all."""

    source: int
    target: int
    rows: Rows
    gain: float


def refine(
    quasi: Quasi,
    items: Items,
    outcomes: Mapping[int, ItemOutcome],
    k: int,
    polish: Polish,
    progress: Progress,
    *,
    rounds: int = ROUNDS,
) -> tuple[dict[int, ItemOutcome], list[RowMove]]:
    """The clusters after some rounds of moves, the items of each polished, and the moves."""
    now, moves = dict(outcomes), []
    for done in range(rounds):
        made = _round(quasi, items, now, k)
        moves += made
        progress((done + 1) / (rounds + 1))
        if not made:
            break
    return {name: polish(outcome) for name, outcome in now.items()}, moves


def _round(quasi: Quasi, items: Items, now: dict[int, ItemOutcome], k: int) -> list[RowMove]:
    """Try every proposal once, those that gain most first, and change `now` in place; return the moves."""
    made: list[RowMove] = []
    proposals = sorted(_proposals(quasi, now), key=lambda move: (-move.gain, move.source, move.target))
    for move in proposals:
        still = np.intersect1d(move.rows, now[move.source].rows)
        for out, back in _trials(quasi, now, move, still, k):
            new = _moved(quasi, items, now, move, out, back)
            if new is not None:
                now[move.source], now[move.target] = new
                made += [RowMove(int(r), move.source, move.target) for r in out]
                made += [RowMove(int(r), move.target, move.source) for r in back]
                break
    return made


def _proposals(quasi: Quasi, now: Mapping[int, ItemOutcome]) -> Iterator[MoveProposal]:
    """For each cluster and the cheaper ones that cover records of it, these records."""
    names = list(now)
    states, losses = cluster_states(quasi, [now[name].rows for name in names])
    for a, name in enumerate(names):
        rows = now[name].rows
        if losses[a] <= losses.min() + SLACK:
            continue
        target = np.full(len(rows), -1, np.int64)
        records = states_of_records(quasi, rows)
        for p in range(len(rows)):
            fits = union_costs(quasi, states, records, p) <= losses + SLACK
            best = int(np.where(fits, losses, np.inf).argmin())
            if losses[best] < losses[a] - SLACK:
                target[p] = best
        for b in np.unique(target[target >= 0]):
            moving = rows[target == b]
            yield MoveProposal(name, names[b], moving, float(losses[a] - losses[b]) * len(moving))


def _trials(
    quasi: Quasi, now: Mapping[int, ItemOutcome], move: MoveProposal, rows: Rows, k: int
) -> Iterator[tuple[Rows, Rows]]:
    """Which rows to move, and which to move back: all, fewer, or one for one where the source has no more than k."""
    spare = len(now[move.source].rows) - k
    none = np.zeros(0, np.int64)
    for size in (len(rows), len(rows) // 2, len(rows) // 4):
        if min(size, spare) > 0:
            yield rows[: min(size, spare)], none
    if spare == 0 and len(rows):
        left = np.setdiff1d(now[move.source].rows, rows[:1])
        if len(left):
            there = now[move.target].rows
            state, _ = cluster_states(quasi, [left])
            yield rows[:1], there[[int(union_costs(quasi, states_of_records(quasi, there), state, 0).argmin())]]


def _moved(
    quasi: Quasi, items: Items, now: Mapping[int, ItemOutcome], move: MoveProposal, out: Rows, back: Rows
) -> tuple[ItemOutcome, ItemOutcome] | None:
    """The two clusters after the move, or None where they lose more than before, or the same."""
    source, target = now[move.source], now[move.target]
    left = np.concatenate([np.setdiff1d(source.rows, out), back])
    right = np.concatenate([np.setdiff1d(target.rows, back), out])
    gain = _lost(quasi, [source.rows, target.rows]) - _lost(quasi, [left, right])
    if gain < -1e-12:
        return None
    fewer = items.outcome(left)
    more = items.outcome(right) if fewer is not None else None
    if fewer is None or more is None:
        return None
    rise = fewer.lost + more.lost - source.lost - target.lost
    return None if rise > 0 or (gain <= SLACK and rise > -SLACK) else (fewer, more)


def _lost(quasi: Quasi, clusters: list[Rows]) -> float:
    """NCP summed over the records of the clusters."""
    _, losses = cluster_states(quasi, clusters)
    return float(sum(len(rows) * loss for rows, loss in zip(clusters, losses, strict=True)))


class Splitting:
    """Splits the item table of a cluster in two where that loses less.

    1. Show the items at one level of the hierarchy. 2. Set records apart that show a set which fewer than k of the others show.
    3. Fill them up to k records with the shortest of the others, and repeat from step 2. 4. Take the best level.
    """

    __slots__ = ("_k", "_levels", "_linkable", "_m")

    def __init__(self, data: Dataset, tree: Hierarchy, k: int, m: int) -> None:
        self._linkable, self._k, self._m = data.linkable, k, m
        self._levels = _levels(tree)

    def split(self, items: Items, outcome: ItemOutcome) -> ItemOutcome:
        """The records in two item tables, or unchanged where no split loses less."""
        best = outcome
        for level in self._levels:
            apart = self._apart(outcome.rows, level)
            found = self._in_two(items, outcome.rows, apart)
            if found is not None and found.lost < best.lost:
                best = found
        return best

    def _in_two(self, items: Items, rows: Rows, apart: Mask) -> ItemOutcome | None:
        if not apart.any() or apart.all():
            return None
        rest = items.outcome(rows[~apart])
        few = items.outcome(rows[apart]) if rest is not None else None
        return None if rest is None or few is None else join([rest, few])

    def _apart(self, rows: Rows, level: Ids) -> Mask:
        """The records to set apart: steps 2 and 3."""
        t = self._linkable.take(rows)
        offsets, shown = collapse(t.offsets, level[t.items])
        lengths, owner = t.lengths, rows_of(offsets)
        apart = np.zeros(len(rows), np.bool_)
        while True:
            kept = ~apart[owner]
            rare = rare_holders(*filter_members(offsets, shown, kept), int(level.max()) + 1, self._k, self._m)
            missing = self._k - int((lengths[apart | rare] > 0).sum())
            if (apart | rare).any() and missing > 0:
                free = np.flatnonzero(~apart & ~rare & (lengths > 0))
                rare[free[np.argsort(lengths[free], kind="stable")[:missing]]] = True
            if not rare.any():
                return apart
            apart |= rare


def _levels(tree: Hierarchy) -> list[Ids]:
    """For each depth below the root, the node of each leaf at that depth (or the leaf), as numbers from 0."""
    node = np.arange(tree.n_leaves, dtype=np.int32)
    found: list[Ids] = []
    for depth in range(tree.height, 0, -1):
        deep = tree.depth[node] > depth
        while deep.any():
            node[deep] = tree.parent[node[deep]]
            deep = tree.depth[node] > depth
        found.append(np.unique(node, return_inverse=True)[1].astype(np.int32))
    return found[::-1]


class Lowering:
    """Replaces hierarchy nodes that a cluster shows by their children, one node at a time."""

    __slots__ = ("_data", "_k", "_l", "_label_table", "_m", "_node_of", "_number", "_tree")

    def __init__(self, data: Dataset, tree: Hierarchy, labels: LabelTable, k: int, m: int, l: int) -> None:  # noqa: E741
        self._data, self._tree, self._label_table = data, tree, labels
        self._k, self._m, self._l = k, m, l
        self._number = labels.node_numbers(tree)
        self._node_of = {int(a): v for v, a in reversed(list(enumerate(self._number)))}

    def lower(self, items: Items, outcome: ItemOutcome) -> ItemOutcome:
        """The records with nodes replaced by children while the cluster stays protected, the costliest first."""
        assert self._data.transactions is not None
        t = self._data.transactions.take(outcome.rows)
        labels = self._labels(t, outcome)
        best = outcome
        waiting = self._costliest_first(labels, np.unique(labels))
        while waiting:
            label = waiting.pop(0)
            split = self._split(t, labels, label)
            if split is None:
                continue
            shown = collapse(t.offsets, split)
            found = items.measured(outcome.rows, *shown)
            if found.lost <= best.lost * (1.0 + 1e-12) and self._label_table.protects(*shown, self._k, self._m, self._l):
                new = np.setdiff1d(split[labels == label], labels)
                labels, best = split, found
                waiting = self._costliest_first(labels, np.array([*waiting, *new]))
        return best

    def _labels(self, t: Transactions, outcome: ItemOutcome) -> Ids:
        """The label behind each item occurrence."""
        offsets, members = self._label_table.members
        rows = np.arange(len(t), dtype=np.int64)
        return published_labels(t.offsets, t.items, rows, outcome.offsets, outcome.shown, offsets, members, len(t.domain))

    def _costliest_first(self, labels: Ids, some: Rows | Ids) -> list[int]:
        counts = np.bincount(labels, minlength=int(some.max(initial=0)) + 1)
        sizes = self._label_table.sizes
        general = [int(a) for a in np.unique(some) if sizes[a] > 1]
        return sorted(general, key=lambda a: (-int(counts[a] * sizes[a]), a))

    def _split(self, t: Transactions, labels: Ids, label: int) -> Ids | None:
        """The labels with one replaced by the children of its node, or None where it is not a node."""
        node = self._node_of.get(label)
        children = self._tree.children(node) if node is not None else []
        if not children:
            return None
        here = labels == label
        which = np.searchsorted(self._tree.low[children], t.items[here], side="right") - 1
        split = labels.copy()
        split[here] = self._number[np.array(children)[which]]
        return split
