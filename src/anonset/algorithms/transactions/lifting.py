"""Several ways to lift the occurrences of groups of records, of which each group takes the one that loses least.

Exact items first: start from the items, and spare what can be spared once. Nothing lost first: start from the nodes of one
level, the highest below the root where little can be exact, and let every record spare one label at a time while that pays.
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import numpy as np

from anonset.algorithms.transactions.cutting import Secrets
from anonset.algorithms.transactions.kernels.label_sets import LabelGuarantee
from anonset.algorithms.transactions.lift_state import AncestorLadder, Lifting, Records
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.sets import take

Aim = Literal["queries", "ncp", "ul"]
MANY = 0.05  # share of lost occurrences beyond which something else is tried


class Patience(NamedTuple):
    """How many rounds of sparing there may be, and the share of the loss that one must gain for another to follow."""

    rounds: int
    gain: float


PATIENCE: dict[Aim, Patience] = {"queries": Patience(8, 0.01), "ncp": Patience(30, 0.001), "ul": Patience(30, 0.001)}


class LiftOptions(NamedTuple):
    """What to keep low, whether everything has to be shown, and cuts (a node for each item) to start from as well.

    Where rarer labels go first, frequent ones stay exact: right where siblings are about as frequent.
    """

    aim: Aim = "queries"
    star: bool = True
    cuts: tuple[Ids, ...] = ()
    rarer_first: bool = False


class Lifted(NamedTuple):
    """The node each item occurrence is shown as, -1 where it is left out.

    By group: whether it cannot be protected on its own, and what it loses.
    """

    nodes: Ids
    failed: Mask
    loss: Reals


Losses = Callable[[Ids], Reals]


def lift(records: Records, way: AncestorLadder, asked: LabelGuarantee, wanted: LiftOptions) -> Lifted:
    """Every group protected on its own, by the way that is cheapest for it; all together decide which ways are tried."""
    state, losses = _state(records, way, asked, wanted), _losses(records, way, wanted.aim)
    found, cuts = _exact_first(state, records, wanted.star, losses), [*wanted.cuts, *level_cuts(way)]
    if wanted.aim == "queries":
        lost = int(((found.nodes < 0) | (found.nodes == way.root)).sum())
        cuts = cuts[:1] if lost > MANY * len(found.nodes) or found.failed.any() else []
    if found.failed.any():
        cuts.append(np.full(way.n_leaves, way.root, np.int32))
    sizes = np.diff(records.offsets[records.bounds])
    for cut in cuts:
        for nodes in _nothing_lost_first(state, cut[records.items], losses, wanted):
            loss = losses(nodes)
            better = ~state.failed & ((loss < found.loss) | found.failed)
            here = np.repeat(better, sizes)
            found.nodes[here], found.loss[better], found.failed[better] = nodes[here], loss[better], False
    return found


def lift_from(nodes: Ids, records: Records, way: AncestorLadder, asked: LabelGuarantee, wanted: LiftOptions) -> Ids | None:
    """The nodes of the occurrences when all start from the given ones and none is spared; None where that protects not all."""
    state = _state(records, way, asked, wanted)
    state.start(nodes)
    state.end(star=wanted.star)
    return None if state.failed.any() else state.nodes


def _state(records: Records, way: AncestorLadder, asked: LabelGuarantee, wanted: LiftOptions) -> Lifting:
    if not wanted.star:
        way = way._replace(above=np.where(way.above == way.root, -1, way.above).astype(np.int32))
    return Lifting(records, way, asked, rarer_first=wanted.rarer_first)


def whole(offsets: Offsets, items: Ids, secrets: Secrets) -> Records:
    """All records as one group."""
    return Records(np.array([0, len(offsets) - 1], np.int64), offsets, items, secrets)


def in_groups(offsets: Offsets, items: Ids, secrets: Secrets, rows: Rows, bounds: Offsets) -> Records:
    """The given records; those of group g are rows[bounds[g] : bounds[g + 1]]."""
    taken, hidden = take(offsets, items, rows), take(secrets.offsets, secrets.items, rows)
    return Records(bounds, *taken, Secrets(*hidden, secrets.n))


def level_cuts(way: AncestorLadder) -> list[Ids]:
    """The node of each item that is one step below the root, two steps below, and so on while some are no items."""
    paths, items = [np.arange(way.n_leaves, dtype=np.int32)], np.arange(way.n_leaves)
    while True:
        up = way.above[paths[-1]]
        higher = np.where((up >= 0) & (up != way.root), up, paths[-1]).astype(np.int32)
        if np.array_equal(higher, paths[-1]):
            break
        paths.append(higher)
    ways = np.array(paths)
    steps = (np.diff(ways, axis=0) != 0).sum(axis=0)  # from the item to the node below the root
    return [ways[np.maximum(steps - below, 0), items] for below in range(int(steps.max(initial=0)))]


def _exact_first(state: Lifting, records: Records, star: bool, losses: Losses) -> Lifted:
    state.start(records.items)
    if state.can_spare:
        state.spare()
    state.end(star=star)
    return Lifted(state.nodes.copy(), state.failed.copy(), losses(state.nodes))


def _nothing_lost_first(state: Lifting, nodes: Ids, losses: Losses, wanted: LiftOptions) -> Iterator[Ids]:
    """From the given nodes one label of each record at a time is spared, while that pays; the states worth looking at."""
    state.start(nodes)
    if state.placed.all():
        yield state.nodes
    before, patience = np.inf, PATIENCE[wanted.aim]
    for _ in range(patience.rounds if state.can_spare else 0):
        now = float(losses(np.where(state.placed, state.nodes, -1)).sum())
        if now >= before - patience.gain * abs(before):
            break
        before = now
        state.spare_one()
        state.part()
    state.end(star=wanted.star)
    yield state.nodes


def _losses(records: Records, way: AncestorLadder, aim: Aim) -> Losses:
    """What the nodes of the occurrences of each group lose."""
    n, starts = max(1, int(way.sizes[way.root])), records.offsets[records.bounds]
    if aim == "ul":
        return lambda nodes: _log_losses(records, way, nodes)
    if aim == "queries":
        cost = np.append(1.0 - 1.0 / np.maximum(way.sizes, 1), 1.0)
    else:
        cost = np.append(np.where(way.sizes > 1, way.sizes / n, 0.0), 1.0)

    def summed(nodes: Ids) -> Reals:
        total = np.concatenate([[0.0], np.cumsum(cost[nodes])])
        return np.asarray(total[starts[1:]] - total[starts[:-1]])

    return summed


def _log_losses(records: Records, way: AncestorLadder, nodes: Ids) -> Reals:
    """log2 of the sum of 2^size - 1 over the labels that the records of each group show; what is left out is at the root."""
    offsets, shown = collapse(records.offsets, np.where(nodes < 0, way.root, nodes).astype(np.int32))
    sizes, starts = way.sizes[shown].astype(np.float64), offsets[records.bounds]
    filled, loss = starts[:-1] < starts[1:], np.full(len(starts) - 1, -np.inf)
    if filled.any():
        loss[filled] = np.logaddexp2.reduceat(sizes + np.log2(-np.expm1(-sizes * np.log(2.0))), starts[:-1][filled])
    return loss
