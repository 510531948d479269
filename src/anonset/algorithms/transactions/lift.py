"""Local recoding of occurrences (`lift`, ours): a label is lifted in just the records where it is too rare.

Steps: starts from other algorithms, lifting of groups of records in several ways of which each group takes the best, and counts
of frequent items that come out right when a label of n items is read as one n-th of each.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.recoding import exact_columns, items_at_nodes
from anonset.algorithms.transactions._kernels.label_pairs import PairRecordLabels as LabelPairs
from anonset.algorithms.transactions._kernels.label_pairs import close_pairs
from anonset.algorithms.transactions._kernels.label_sets import LabelGuarantee, close_sets
from anonset.algorithms.transactions._kernels.occurrences import (
    PRICE,
    close_singles,
    crown,
    lowest_nodes,
    offer,
    pad,
    restart,
    restart_others,
    settle,
    sole,
    too_frequent,
    unsettled,
    uproot,
)
from anonset.algorithms.transactions._kernels.small_sets import SetRecordLabels, close_small_sets, free_labels
from anonset.algorithms.transactions.aa import cut_for
from anonset.algorithms.transactions.cut import BY_SUPPORT, Secrets, frame_of, require_holders, secrets, with_tree
from anonset.algorithms.transactions.lift_trace import lifted_rows
from anonset.algorithms.work_limit import require_countable
from anonset.errors import InfeasibleError
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import Guarantee, KmAnonymity, Part, PartialItems
from anonset.model.hierarchy import Hierarchy, plant_paths
from anonset.model.labels import GeneralizedItems
from anonset.model.parameters import Bounds, K, M, check_parameters
from anonset.model.progress import Progress, silent
from anonset.model.release import Release, Trace
from anonset.model.sets import rows_of, take


def aa_cut(data: Dataset, k: int, m: int) -> tuple[Ids, ...]:
    """The node of each item in the cut that `aa` finds; nothing where there is none."""
    cut = cut_for(frame_of(data), data.linkable, np.arange(len(data), dtype=np.int64), k, m)
    return () if cut is None else (cut,)


def exact_or_cut(held: Transactions, nodes: Ids, cut: Ids) -> Ids:
    """The items of records that show all of theirs, and the nodes of the cut for all others."""
    hidden = np.bincount(rows_of(held.offsets), nodes != held.items, len(held))
    return np.where(np.repeat(hidden == 0, held.lengths), held.items, cut[held.items]).astype(np.int32)


def in_pcta_groups(data: Dataset, k: int, m: int) -> Dataset | None:
    """The dataset with a hierarchy of two steps: items, the groups that `pcta` merges them into, and the root."""
    from anonset.algorithms import make  # the registry names the algorithm that asks for this

    try:
        items = make("pcta", {"k": k, "m": m}).anonymize(data).items
    except InfeasibleError:
        return None
    assert isinstance(items, GeneralizedItems)
    if len(items.suppressed) or not len(items.labels):
        return None
    group = np.full(len(items.domain), -1)
    group[items.labels.members] = np.repeat(np.arange(len(items.labels)), items.labels.sizes)
    names = zip(items.domain, group.tolist(), strict=True)
    wide = items.labels.sizes > 1
    return data.with_item_hierarchy(
        plant_paths([(name, items.labels.texts[g]) if g >= 0 and wide[g] else (name,) for name, g in names])
    )


ALL = 1 << 30
SMALL = 3  # labels of the sets that are counted in a table
CLIMBS = 4  # rounds beside the root in which labels go up node by node: more records need more rounds, for a few labels


class AncestorLadder(NamedTuple):
    """The way up from each node of a hierarchy: the next node with more linkable leaves, -1 above the root."""

    above: Ids
    sizes: Ids  # linkable leaves of each node
    n_leaves: int
    root: int


def ladder(tree: Hierarchy, sensitive: Mask | None = None) -> AncestorLadder:
    """The way up a hierarchy; sensitive items, which are published as they are, do not count as leaves."""
    linkable = np.ones(tree.n_leaves, np.bool_) if sensitive is None else ~sensitive
    total = np.concatenate([[0], np.cumsum(linkable)]).astype(np.int32)
    sizes = total[tree.high] - total[tree.low]
    above = tree.parent.copy()
    for v in range(len(tree) - 2, -1, -1):  # parents come after their children
        p = above[v]
        if p >= 0 and sizes[p] == sizes[v]:
            above[v] = above[p]
    return AncestorLadder(above, sizes, tree.n_leaves, tree.root)


class Records(NamedTuple):
    """Linkable items of records that lie group by group: group g has the records bounds[g] .. bounds[g + 1] - 1."""

    bounds: Offsets
    offsets: Offsets
    items: Ids
    secrets: Secrets


class Lifting:
    """What the records of some groups show: occurrence p stands at nodes[p], which its record shows where placed[p] is true.

    failed[g] says that group g cannot be protected on its own.
    """

    __slots__ = ("_asked", "_count", "_fixed", "_rarer_first", "_records", "_shown", "_way", "failed", "nodes", "placed")

    def __init__(self, records: Records, way: AncestorLadder, asked: LabelGuarantee, *, rarer_first: bool = False) -> None:
        self._records, self._way, self._asked, self._rarer_first = records, way, asked, rarer_first
        n, entries = len(records.offsets) - 1, len(records.items)
        self.nodes, self.placed = np.empty(entries, np.int32), np.empty(entries, np.bool_)
        self._shown = np.empty(entries, np.int32)
        self._count, self._fixed = np.zeros(n, np.int32), np.zeros(n, np.int32)
        self.failed = np.zeros(len(records.bounds) - 1, np.bool_)

    def start(self, nodes: Ids) -> None:
        """Steps 1 to 3, from the given node of each occurrence."""
        self.nodes[:] = nodes
        self.placed[:] = False
        self._count[:] = 0
        self.failed[:] = False
        if self._asked.l > 1:  # whatever is lifted, the empty set has all records of its group
            too_frequent(self._records.bounds, *self._records.secrets, self._asked.l, self.failed)
        self._climb()

    @property
    def can_spare(self) -> bool:
        """Whether it is known which labels can be spared."""
        return self._asked.m <= SMALL and self._asked.l == 1

    def spare(self) -> None:
        """Step 4."""
        self._free(self._shown >= self._way.n_leaves, ALL)

    def spare_one(self) -> None:
        """Step 4 for one label of each record that stands for one occurrence: that can come back to where it was."""
        offsets, general = self._records.offsets, self._general
        self._free(sole(offsets, self.nodes, self._shown, self._count, general), 1)

    def part(self) -> None:
        """Step 4 for occurrences that share a label with others: the label stays, and they can come back to it."""
        restart_others(self._records.offsets, self._records.items, self.nodes, self.placed, self._general)
        self._climb()

    def _free(self, leaving: Mask, each: int) -> None:
        bounds, offsets, items, _ = self._records
        shown = SetRecordLabels(bounds, offsets, self._shown, self._count, self._fixed)
        free_labels(shown, self._general, leaving, self._asked.k, self._asked.m, each)
        restart(offsets, items, self.nodes, self.placed, self._shown, self._count)
        self._climb()

    @property
    def _general(self) -> Mask:
        return np.arange(len(self._way.above)) >= self._way.n_leaves

    def end(self, *, star: bool) -> None:
        """Step 5."""
        if star:
            self._end_at_root()
        else:
            self.nodes[~self.placed] = -1

    def _climb(self) -> None:
        """Steps 1 to 3 for what is not placed."""
        offsets, offered, moved = self._records.offsets, self._nothing(), 1
        rows = unsettled(offsets, self.placed)
        while moved:
            offered[:], self._fixed[:] = False, self._count
            offer(rows, offsets, self.nodes, self.placed, self._shown, self._count, offered)
            self._close(offered, offered)
            moved = settle(rows, offsets, self.nodes, self.placed, self._shown, self._count, self._way.above)

    def _end_at_root(self) -> None:
        """Step 5 where everything has to be shown."""
        (bounds, offsets, *_), root = self._records, self._way.root
        for turn in count():
            if self.placed.all():
                return
            watched = self._nothing()
            self.nodes[~self.placed], self.placed[:], watched[root] = root, True, True
            pad(bounds, offsets, self.nodes, self._shown, self._count, root, self._asked.k, watched, self.failed)
            crown(offsets, self.nodes, self._shown, self._count, self._fixed, root)
            watched = self._close(watched, watched)
            while watched.any():  # now any set of a label that was taken somewhere may be open
                watched = self._close(np.ones_like(watched), watched)
            above = self._way.above if turn < CLIMBS else np.full_like(self._way.above, root)
            uproot(offsets, self.nodes, self.placed, self._shown, self._count, above)
            if turn < CLIMBS:
                self._climb()

    def _close(self, watched: Mask, doubtful: Mask) -> Mask:
        """Step 2: no set with a watched label stays open; now only those with a doubtful one can be.

        The labels that were taken, of which sets that were not watched may be open.
        """
        k, m, l = self._asked  # noqa: E741 - the papers' letter
        bounds, offsets, _, secrets = self._records
        shown, gone = SetRecordLabels(bounds, offsets, self._shown, self._count, self._fixed), self._nothing()
        if m == 1:
            close_singles(*shown, doubtful, gone, k)
        else:
            close_pairs(LabelPairs(*shown), watched, doubtful, gone, k, self._rarer_first)
        if m > 2:  # after pairs: long records have too many larger sets
            require_countable(self._count.astype(np.int64), SMALL)
            close_small_sets(shown, doubtful | gone, gone, k, SMALL, self._rarer_first)
        if m > SMALL or l > 1:
            stuck = np.zeros(len(self.failed), np.bool_)
            close_sets(*shown, doubtful | gone, *secrets, self._asked, stuck)
            self.failed |= stuck
        return gone & ~watched if m == 2 and l == 1 else gone

    def _nothing(self) -> Mask:
        return np.zeros(len(self._way.above), np.bool_)


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


FREQUENT = 0.01  # share of the records
ALIKE = 0.25  # of an item's support, on average: how far those of siblings may be from their mean


def evened(held: Transactions, nodes: Ids, tree: Hierarchy, way: AncestorLadder) -> Ids:
    """The node of each occurrence, after nodes have taken what stood below them; -1 stays what it is."""
    paths = _paths(way)
    place = np.zeros(len(nodes), np.int64)
    for s in range(1, len(paths)):
        place[nodes == paths[s, held.items]] = s
    d, shown = way.n_leaves, nodes >= 0
    counts = np.bincount(place[shown] * d + held.items[shown], minlength=len(paths) * d).reshape(len(paths), d)
    supports, sizes = held.supports.astype(np.int64), np.maximum(1, way.sizes)
    lowest = lowest_nodes(paths, counts.astype(np.float64), supports, tree.low, tree.high, sizes, FREQUENT * len(held))
    return np.where(shown, np.maximum(nodes, lowest[held.items]), nodes).astype(np.int32)


def alike(held: Transactions, tree: Hierarchy) -> bool:
    """Whether siblings are about as frequent, so that one of n is a good guess at each of them."""
    above = np.maximum(tree.parent[: tree.n_leaves], 0)  # a tree of one item has nothing above it
    mean = np.bincount(above, held.supports, len(tree)) / np.maximum(1, np.bincount(above, held.supports > 0, len(tree)))
    return bool(np.abs(held.supports - mean[above])[held.supports > 0].sum() <= ALIKE * held.supports.sum())


def wrong_counts(held: Transactions, nodes: Ids, tree: Hierarchy, way: AncestorLadder) -> tuple[float, float]:
    """How many occurrences of frequent items are counted wrongly, as a share of all of them; and what all nodes lose."""
    sizes = np.maximum(1, way.sizes)
    shown = np.bincount(collapse(held.offsets, nodes)[1], minlength=len(tree)) / sizes
    counts = np.cumsum(np.bincount(tree.low, shown, len(tree) + 1) - np.bincount(tree.high, shown, len(tree) + 1))
    frequent = held.supports >= FREQUENT * len(held)
    wrong = float(np.abs(counts[: tree.n_leaves] - held.supports)[frequent].sum())
    lost = float(np.append(1.0 - 1.0 / sizes, 1.0)[nodes].sum())  # the last is that of what is left out, -1
    return wrong / max(1, held.supports[frequent].sum()), wrong + PRICE * lost


def _paths(way: AncestorLadder) -> Ids:
    """The node that is s steps above each item; -1 above the root."""
    paths = [np.arange(way.n_leaves, dtype=np.int32)]
    while (paths[-1] >= 0).any():
        paths.append(np.where(paths[-1] >= 0, way.above[paths[-1]], -1).astype(np.int32))
    return np.stack(paths[:-1])


Minimize = Annotated[
    Literal["queries", "ncp", "ul"], "what to keep low: wrong counts (as many items exact as possible), item NCP, or UL"
]
Residue = Annotated[Literal["star", "drop"], "what reaches the root is shown as the root's label, or left out"]
Limit = Annotated[float, Bounds(0.0, 1.0), "share of the item occurrences that residue = drop may leave out"]
ROUNDS = 2  # in which records that cannot stay exact go to the cut of `aa`: in the second hardly any is left


@dataclass(frozen=True, slots=True)
class Lift:
    """Every set of at most m shown labels is in k records; labels of different levels stand beside each other."""

    k: K
    m: M = 2
    minimize: Minimize = "queries"
    residue: Residue = "star"
    residue_limit: Limit = 0.1
    name: ClassVar[str] = "lift"
    title: ClassVar[str] = "Local recoding of occurrences"
    paper: ClassVar[str] = "ours"
    guarantee: ClassVar[str] = "km-anonymity; partial-items where residue = drop"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    randomized: ClassVar[bool] = False
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})
    comparator: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Each occurrence of an item as the lowest node of its hierarchy that it can be shown as."""
        progress(0.0)
        require_holders(data, self.k)
        rooted, nodes = self._lifted(with_tree(data, BY_SUPPORT), progress)
        progress(0.9)
        promises: tuple[Guarantee, ...] = (KmAnonymity(self.k, self.m),)
        if self.residue == "drop":
            self._check_left_out(rooted, nodes)
            promises += (PartialItems(self.residue_limit),)
        return Release(
            exact_columns(data),
            items_at_nodes(rooted, nodes),
            promises,
            provenance(self),
            np.arange(len(data), dtype=np.int64),
            trace=self._trace(rooted, nodes),
        )

    def _lifted(self, data: Dataset, progress: Progress) -> tuple[Dataset, Ids]:
        """The data with a hierarchy of their items and the node of each occurrence, -1 where it is left out."""
        if data.item_hierarchy is None:  # there are no items
            return data, np.zeros(0, np.int32)
        if self.minimize == "queries":
            found = self._lift(data, self.minimize)
            if self.residue == "drop" and (found.nodes < 0).sum() > self.residue_limit * len(data.linkable.items):
                found = self._lift(data, "ncp")
            return data, found.nodes
        found = self._lift(data, self.minimize, aa_cut(data, self.k, self.m))
        progress(0.5)
        other = in_pcta_groups(data, self.k, self.m)
        if other is not None:
            grouped = self._lift(other, self.minimize)
            if grouped.loss.sum() < found.loss.sum():
                return other, grouped.nodes
        return data, found.nodes

    def _lift(self, data: Dataset, aim: Aim, cuts: tuple[Ids, ...] = ()) -> Lifted:
        """The node of each occurrence, sensitive ones as they are."""
        assert data.transactions is not None
        assert data.item_hierarchy is not None
        linkable, sensitive = data.linkable, data.sensitive_items
        records = whole(linkable.offsets, linkable.items, secrets(data))
        way = ladder(data.item_hierarchy, sensitive)
        wanted = LiftOptions(aim, self.residue == "star", cuts, aim == "queries" and alike(linkable, data.item_hierarchy))
        found = lift(records, way, LabelGuarantee(self.k, self.m, 1), wanted)
        if aim == "queries":
            found = found._replace(nodes=self._for_counts(data, found.nodes, records, way, wanted))
        if sensitive is None:
            return found
        nodes = data.transactions.items.copy()
        nodes[~sensitive[nodes]] = found.nodes
        return found._replace(nodes=nodes)

    def _for_counts(self, data: Dataset, nodes: Ids, records: Records, way: AncestorLadder, wanted: LiftOptions) -> Ids:
        """Nodes with which counts of frequent items are right.

        Where they are still wrong, records stay exact or are shown by the cut of `aa`, if less is wrong or lost then.
        """
        assert data.item_hierarchy is not None
        held, tree = data.linkable, data.item_hierarchy
        found = evened(held, nodes, tree, way)
        share, price = wrong_counts(held, found, tree, way)
        for cut in aa_cut(data, self.k, self.m) if share > MANY else ():
            other: Ids | None = nodes
            for _ in range(ROUNDS):
                if other is not None:
                    other = lift_from(exact_or_cut(held, other, cut), records, way, LabelGuarantee(self.k, self.m, 1), wanted)
            if other is not None and wrong_counts(held, other, tree, way)[1] < price:
                return other
        return found

    def _trace(self, data: Dataset, nodes: Ids) -> Trace:
        if data.transactions is None or data.item_hierarchy is None:
            return ()
        if data.sensitive_items is not None:
            nodes = nodes[~data.sensitive_items[data.transactions.items]]
        return lifted_rows(data.linkable, data.item_hierarchy, nodes, self.k)

    def _check_left_out(self, data: Dataset, nodes: Ids) -> None:
        gone, n = int((nodes < 0).sum()), len(data.linkable.items)
        if gone > self.residue_limit * n:
            raise InfeasibleError(
                f"{gone} of {n} item occurrences ({gone / n:.1%}) would be left out, and residue_limit={self.residue_limit:g} "
                "allows fewer; raise it, lower k or m, or show them as the root (residue = star)"
            )
