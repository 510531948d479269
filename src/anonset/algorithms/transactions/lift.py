"""Local recoding of occurrences (`lift`, ours): an item is generalized in just the records where it is too rare.

Every record is lifted, by `Lifting`:
1. Offer every record its items, or the nodes that it starts from, as labels.
2. Take labels away until every set of at most m labels that a record shows is shown by k records; what stays is placed.
3. Offer what was taken again one node up the hierarchy, together with what is placed, and so on up to the root.
4. Spare labels whose sets all have more than k records: their occurrences start again from their items.
5. What is not placed goes to the root, with labels that are rare together with the root (residue = star), or is left out.

Without a hierarchy all of this is done under several that are built (`TREES`), and the best result is kept.
It is done from several starts, by `Lift`:
6. From the items; and from levels of the hierarchy, the cut of `aa` and the groups of `pcta` where these may lose less. Each
   group of records takes the start that loses least (`lift`).
7. With minimize = queries, let a node take all occurrences of its items where counts of frequent items come out right by that
   (`even_out`).
8. Where these counts are still wrong, records stay exact or are shown by the cut of `aa`, if that is better.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from anonset.algorithms.base import BaseAlgorithm, provenance
from anonset.algorithms.recoding import exact_columns, items_at_nodes
from anonset.algorithms.transactions._kernels.label_pairs import close_pairs
from anonset.algorithms.transactions._kernels.label_sets import (
    GroupedLabels,
    LabelChoice,
    close_sets,
    close_singles,
    mark_undiverse_groups,
)
from anonset.algorithms.transactions._kernels.occurrences import (
    fill_root,
    fix_root,
    lift_hidden,
    lowest_nodes,
    offer_nodes,
    place_or_lift,
    restart_all_but_first,
    restart_hidden,
    stands_for_one,
    unplaced_records,
)
from anonset.algorithms.transactions._kernels.small_sets import close_small_sets, free_labels
from anonset.algorithms.transactions.aa import cut_for
from anonset.algorithms.transactions.cut import BY_SUPPORT, frame_of, require_holders, secrets, with_tree
from anonset.algorithms.transactions.lift_trace import lifted_rows
from anonset.algorithms.work_limit import require_countable
from anonset.errors import InfeasibleError, ParameterError
from anonset.kernels.recode import collapse
from anonset.kernels.set_walk import SensitiveItems, SetLimits
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import Guarantee, KmAnonymity, Part, PartialItems
from anonset.model.hierarchy import Hierarchy, plant_paths
from anonset.model.labels import GeneralizedItems
from anonset.model.parameters import Bounds, K, M, Protect, Seed, check_parameters
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Release, Trace
from anonset.model.sets import rows_of, take

Aim = Literal["queries", "ncp", "ul"]
Minimize = Annotated[Aim, "what to keep low: wrong counts (as many items exact as possible), item NCP, or UL"]
Residue = Annotated[Literal["star", "drop"], "what reaches the root is shown as the root's label, or left out"]
Limit = Annotated[float, Bounds(0.0, 1.0), "share of the item occurrences that residue = drop may leave out"]


class SparingLimit(NamedTuple):
    """How many rounds of sparing there may be, and the share of the loss that one must gain for another to follow."""

    rounds: int
    gain: float


# Tuned constants, with what was measured (bench/table_lift.py and table_lift_queries.py, k = 5, m = 2; all figures are in
# docs/algorithms/lift.md). Those marked "chosen" were set once, and no table compares other values.

# Step 2: what a set in exactly k records, which becomes rare when its label goes, takes off the worth of a rare set. 3 instead:
# 5 points fewer exact on INFORMS 2005 and four times the error of common pairs; 0 instead: twice that error.
NEAR_WEIGHT = 0.3
# Step 2: the rarer label goes first where supports of siblings are off their mean by no more than this share. Always: frequent
# queries off by .043 instead of .027 on INFORMS 2005 and by .075 instead of .068 on groceries, whose siblings differ; where it
# holds, BMS-WebView-2 .007 instead of .028.
ALIKE = 0.25
# Step 5: rounds in which labels that are rare together with the root go up node by node, before they go to it. 0 instead:
# lost occurrences rise by more than half on click-streams; without a limit more records need more rounds, for a few labels.
CLIMBS = 4
# Step 6: rounds of sparing one label of each record. Chosen: queries stop early, since another pass of step 4 gains .1 to .2
# points for half as much time again; ncp and ul, whose users accept 8 s instead of .6 s on BMS-WebView-2, go on.
SPARING: dict[Aim, SparingLimit] = {
    "queries": SparingLimit(8, 0.01),
    "ncp": SparingLimit(30, 0.001),
    "ul": SparingLimit(30, 0.001),
}
# Steps 6 and 8: the share of lost, or of wrongly counted, occurrences above which something else is tried. Chosen; on
# T10I4D100K with m = 3 frequent queries are off by .061 instead of .247, with 5.5 % exact instead of 36 %.
TOO_MANY = 0.05
# Step 7: items in this share of the records are frequent. For all items instead: 11 points fewer exact on BMS-WebView-2, and
# frequent queries come out the same.
FREQUENT = 0.01
# Steps 7 and 8: how many wrong counts make up for an exact occurrence. Chosen; with it T10I4D100K, k = 25, is off by .014
# instead of .059, and 1 to 7 points fewer are exact.
COUNT_PRICE = 0.25
# Step 8: rounds in which records that cannot stay exact go to the cut of `aa`. After the second hardly any is left.
CUT_ROUNDS = 2

# Hierarchies that are tried where none is given, and the occurrences up to which more than the first is. Another result is
# taken where its price by the aim is lower by a share of WORTH_IT, no more is lost and no less is exact. On data without common
# items twice as many are exact and a third as many lost (k = 10); on click-streams and baskets the first one mostly stays. Not
# tried: orders by id, where 1 to 4 points more are exact and counts of 100 to 299 people are off by .40 instead of .22 on
# BMS-WebView-2, by .18 instead of .02 on groceries; and learned ones, which never won by more than 1 % and take twice the time.
TREES = (BY_SUPPORT, "balanced:10", "balanced:30")
WORTH_IT = 0.01
MOST_TRIED = 2_000_000
FEW_ITEMS = 5  # at most: all of these hierarchies have one level

LARGEST_COUNTED = 3  # labels of the sets that are counted in tables; larger ones are searched for depth first
ALL = 1 << 30


class AncestorLadder(NamedTuple):
    """The path up from each node of a hierarchy: the next node with more linkable leaves, -1 above the root."""

    above: Ids
    sizes: Ids  # linkable leaves of each node
    n_leaves: int
    root: int


class Records(NamedTuple):
    """Linkable items of records that lie group by group: group g has the records bounds[g] .. bounds[g + 1] - 1."""

    bounds: Offsets
    offsets: Offsets
    items: Ids
    secrets: SensitiveItems


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


class Shares(NamedTuple):
    """The shares of item occurrences that are lost, and that are exact."""

    lost: float
    exact: float


@dataclass(frozen=True, slots=True)
class Lift(BaseAlgorithm):
    """Every set of at most m shown labels is in k records; a record may show labels of different levels."""

    k: K
    m: M = 2
    minimize: Minimize = "queries"
    residue: Residue = "star"
    residue_limit: Limit = 0.1
    protect: Protect = "no"
    seed: Seed = None
    name: ClassVar[str] = "lift"
    counts_population: ClassVar[bool] = True
    title: ClassVar[str] = "Local recoding of occurrences"
    paper: ClassVar[str] = "ours"
    guarantee: ClassVar[str] = "km-anonymity; partial-items where residue = drop"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.protect == "inversion" and (self.residue, self.minimize) != ("star", "queries"):
            raise ParameterError("protect = inversion shows every item, by chance: leave residue and minimize as they are")

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Publish each occurrence of an item as the lowest node of the hierarchy that it can be shown as."""
        progress(0.0)
        require_holders(data, self.k)
        rooted, nodes, tree = self._best_nodes(data, progress)  # steps 1 to 8
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
            trace=self._trace(rooted, nodes, tree),
        )

    def _best_nodes(self, data: Dataset, progress: Progress) -> tuple[Dataset, Ids, str]:
        """Return the data with a hierarchy of their items, the node of each occurrence, and how the hierarchy was built."""
        if self.protect == "inversion" and data.transactions is not None:
            from anonset.algorithms.transactions.chance import nodes_by_chance  # it lifts as this module does

            rooted = with_tree(data, BY_SUPPORT)  # supports stay the same when people exchange items
            if rooted.item_hierarchy is not None:  # there are items
                return rooted, nodes_by_chance(rooted, self.k, self.m, self.seed), ""
        if data.item_hierarchy is not None or data.transactions is None:
            return *self._nodes(data, progress), ""
        few = len(data.transactions.domain) <= FEW_ITEMS or len(data.transactions.items) > MOST_TRIED
        found, first, lowest = list[tuple[Dataset, Ids, str]](), Shares(1.0, 0.0), np.inf
        for t, how in enumerate(TREES[:1] if few else TREES):
            part = part_of(progress, 0.9 * t / len(TREES), 0.9 * (t + 1) / len(TREES))
            rooted, nodes = self._nodes(with_tree(data, how), part)
            shares, price = self._price(rooted, nodes)
            first = shares if t == 0 else first
            no_worse = shares.lost <= first.lost and shares.exact >= first.exact
            if not found or (price < (1.0 - WORTH_IT) * lowest and no_worse):
                found, lowest = [(rooted, nodes, how)], price
            part(1.0)
        return found[0]

    def _price(self, data: Dataset, nodes: Ids) -> tuple[Shares, float]:
        """Return the shares of occurrences that are lost and exact, and what all of them lose by the aim."""
        if data.item_hierarchy is None or not len(nodes):
            return Shares(0.0, 1.0), 0.0
        held, sensitive = data.linkable, data.sensitive_items
        assert data.transactions is not None
        nodes = nodes if sensitive is None else nodes[~sensitive[data.transactions.items]]
        up = ladder(data.item_hierarchy, sensitive)
        every = max(1, len(nodes))
        shares = Shares(float(((nodes < 0) | (nodes == up.root)).sum() / every), float((nodes == held.items).sum() / every))
        if self.minimize == "queries":
            return shares, wrong_counts(held, nodes, data.item_hierarchy, up)[1]
        return shares, float(_losses(whole(held.offsets, held.items, secrets(data)), up, self.minimize)(nodes).sum())

    def _nodes(self, data: Dataset, progress: Progress) -> tuple[Dataset, Ids]:
        """Return the data with a hierarchy of their items and the node of each occurrence, -1 where it is left out."""
        if data.item_hierarchy is None:  # there are no items
            return data, np.zeros(0, np.int32)
        if self.minimize == "queries":
            found = self._lift(data, self.minimize)
            if self.residue == "drop" and (found.nodes < 0).sum() > self.residue_limit * len(data.linkable.items):
                found = self._lift(data, "ncp")
            return data, found.nodes
        found = self._lift(data, self.minimize, aa_cut(data, self.k, self.m))
        progress(0.5)
        grouped = in_pcta_groups(data, self.k, self.m)  # step 6
        if grouped is not None:
            other = self._lift(grouped, self.minimize)
            if other.loss.sum() < found.loss.sum():
                return grouped, other.nodes
        return data, found.nodes

    def _lift(self, data: Dataset, aim: Aim, cuts: tuple[Ids, ...] = ()) -> Lifted:
        """Return the node of each occurrence, that of sensitive items being the item itself."""
        assert data.transactions is not None
        assert data.item_hierarchy is not None
        linkable, sensitive = data.linkable, data.sensitive_items
        records = whole(linkable.offsets, linkable.items, secrets(data))
        up = ladder(data.item_hierarchy, sensitive)
        rarer_first = aim == "queries" and siblings_are_alike(linkable, data.item_hierarchy)
        options = LiftOptions(aim, self.residue == "star", cuts, rarer_first)
        found = lift(records, up, SetLimits(self.k, self.m, 1), options)  # steps 1 to 6
        if aim == "queries":
            found = found._replace(nodes=self._with_right_counts(data, found.nodes, records, up, options))  # steps 7 and 8
        if sensitive is None:
            return found
        nodes = data.transactions.items.copy()
        nodes[~sensitive[nodes]] = found.nodes
        return found._replace(nodes=nodes)

    def _with_right_counts(self, data: Dataset, nodes: Ids, records: Records, up: AncestorLadder, options: LiftOptions) -> Ids:
        """Return nodes with which counts of frequent items come out right, or less wrong."""
        assert data.item_hierarchy is not None
        held, tree = data.linkable, data.item_hierarchy
        found = even_out(held, nodes, tree, up)  # step 7
        share, price = wrong_counts(held, found, tree, up)
        for cut in aa_cut(data, self.k, self.m) if share > TOO_MANY else ():  # step 8
            other: Ids | None = nodes
            for _ in range(CUT_ROUNDS):
                if other is not None:
                    start = exact_or_cut(held, other, cut)
                    other = lift_from(start, records, up, SetLimits(self.k, self.m, 1), options)
            if other is not None and wrong_counts(held, other, tree, up)[1] < price:
                return other
        return found

    def _trace(self, data: Dataset, nodes: Ids, tree: str) -> Trace:
        if data.transactions is None or data.item_hierarchy is None:
            return ()
        if data.sensitive_items is not None:
            nodes = nodes[~data.sensitive_items[data.transactions.items]]
        summary, *rows = lifted_rows(data.linkable, data.item_hierarchy, nodes, self.k)
        return ({**summary, "hierarchy": tree} if tree else summary, *rows)

    def _check_left_out(self, data: Dataset, nodes: Ids) -> None:
        gone, n = int((nodes < 0).sum()), len(data.linkable.items)
        if gone > self.residue_limit * n:
            raise InfeasibleError(
                f"{gone} of {n} item occurrences ({gone / n:.1%}) would be left out, and residue_limit={self.residue_limit:g} "
                "allows fewer; raise it, lower k or m, or show them as the root (residue = star)"
            )


def ladder(tree: Hierarchy, sensitive: Mask | None = None) -> AncestorLadder:
    """Return the paths up a hierarchy; sensitive items, which are published as they are, do not count as leaves."""
    linkable = np.ones(tree.n_leaves, np.bool_) if sensitive is None else ~sensitive
    total = np.concatenate([[0], np.cumsum(linkable)]).astype(np.int32)
    sizes = total[tree.high] - total[tree.low]
    above = tree.parent.copy()
    for v in range(len(tree) - 2, -1, -1):  # parents come after their children
        p = above[v]
        if p >= 0 and sizes[p] == sizes[v]:
            above[v] = above[p]
    return AncestorLadder(above, sizes, tree.n_leaves, tree.root)


def whole(offsets: Offsets, items: Ids, secrets: SensitiveItems) -> Records:
    """Return all records as one group."""
    return Records(np.array([0, len(offsets) - 1], np.int64), offsets, items, secrets)


def in_groups(offsets: Offsets, items: Ids, secrets: SensitiveItems, rows: Rows, bounds: Offsets) -> Records:
    """Return the given records; those of group g are rows[bounds[g] : bounds[g + 1]]."""
    taken, hidden = take(offsets, items, rows), take(secrets.offsets, secrets.items, rows)
    return Records(bounds, *taken, SensitiveItems(*hidden, secrets.n))


# Steps 1 to 5: lifting


class Lifting:
    """What the records of some groups show: occurrence p is at nodes[p], which its record shows where placed[p] is true.

    failed[g] says that group g cannot be protected on its own.
    """

    __slots__ = ("_choice", "_labels", "_limits", "_records", "_up", "failed", "nodes", "placed")

    def __init__(self, records: Records, up: AncestorLadder, limits: SetLimits, *, rarer_first: bool = False) -> None:
        self._records, self._up, self._limits = records, up, limits
        self._choice = LabelChoice(NEAR_WEIGHT, rarer_first)
        n, entries = len(records.offsets) - 1, len(records.items)
        self.nodes, self.placed = np.empty(entries, np.int32), np.empty(entries, np.bool_)
        labels, count, fixed = np.empty(entries, np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32)
        self._labels = GroupedLabels(records.bounds, records.offsets, labels, count, fixed)
        self.failed = np.zeros(len(records.bounds) - 1, np.bool_)

    def start(self, nodes: Ids) -> None:
        """Steps 1 to 3, from the given node of each occurrence."""
        self.nodes[:] = nodes
        self.placed[:] = False
        self._labels.count[:] = 0
        self.failed[:] = False
        if self._limits.l > 1:  # whatever is lifted, the empty set has all records of its group
            mark_undiverse_groups(self._records.bounds, self._records.secrets, self._limits.l, self.failed)
        self._climb()

    @property
    def can_spare(self) -> bool:
        """Whether it can be told which labels can be spared."""
        return self._limits.m <= LARGEST_COUNTED and self._limits.l == 1

    def spare(self) -> None:
        """Step 4."""
        self._free(self._labels.labels >= self._up.n_leaves, ALL)

    def spare_one(self) -> None:
        """Step 4 for one label of each record that stands for one occurrence, which can come back to where it was."""
        shown = self._labels
        self._free(stands_for_one(shown.offsets, self.nodes, shown.labels, shown.count, self._general), 1)

    def part(self) -> None:
        """Step 4 for occurrences that share a label with others: the label stays, and they can come back to it."""
        restart_all_but_first(self._records.offsets, self._records.items, self.nodes, self.placed, self._general)
        self._climb()

    def end(self, *, star: bool) -> None:
        """Step 5."""
        if star:
            self._end_at_root()
        else:
            self.nodes[~self.placed] = -1

    def _climb(self) -> None:
        """Steps 1 to 3 for what is not placed."""
        shown, offered, moved = self._labels, self._nothing(), 1
        offsets, labels, count = shown.offsets, shown.labels, shown.count
        rows = unplaced_records(offsets, self.placed)
        while moved:
            offered[:] = False
            shown.fixed[:] = count
            offer_nodes(rows, offsets, self.nodes, self.placed, labels, count, offered)  # step 1
            self._close(offered, offered)  # step 2
            moved = place_or_lift(rows, offsets, self.nodes, self.placed, labels, count, self._up.above)  # step 3

    def _close(self, watched: Mask, doubtful: Mask) -> Mask:
        """Step 2: no set with a watched label stays open; at first only those with a doubtful label can be.

        Return the labels that were taken, of which sets that were not watched may be open.
        """
        k, m, l = self._limits  # noqa: E741 - the papers' letter
        shown, gone = self._labels, self._nothing()
        if m == 1:
            close_singles(shown, doubtful, gone, k)
        else:
            close_pairs(shown, watched, doubtful, gone, k, self._choice)
        if m > 2:  # after pairs: long records have too many larger sets
            require_countable(shown.count.astype(np.int64), LARGEST_COUNTED)
            close_small_sets(shown, doubtful | gone, gone, k, LARGEST_COUNTED, self._choice)
        if m > LARGEST_COUNTED or l > 1:
            stuck = np.zeros(len(self.failed), np.bool_)
            close_sets(shown, doubtful | gone, self._records.secrets, self._limits, NEAR_WEIGHT, stuck)
            self.failed |= stuck
        return gone & ~watched if m == 2 and l == 1 else gone

    def _free(self, leaving: Mask, each: int) -> None:
        """Step 4: take up to `each` labels of a record at the leaving places, and lift what was behind them again."""
        shown = self._labels
        free_labels(shown, self._general, leaving, self._limits.k, self._limits.m, each)
        restart_hidden(shown.offsets, self._records.items, self.nodes, self.placed, shown.labels, shown.count)
        self._climb()

    def _end_at_root(self) -> None:
        """Step 5 where everything has to be shown."""
        shown, root = self._labels, self._up.root
        for turn in count():
            if self.placed.all():
                return
            watched = self._nothing()
            watched[root] = True
            self.nodes[~self.placed] = root
            self.placed[:] = True
            fill_root(shown, self.nodes, root, self._limits.k, watched, self.failed)
            fix_root(shown, self.nodes, root)
            watched = self._close(watched, watched)
            while watched.any():  # now any set of a label that was taken somewhere may be open
                watched = self._close(np.ones_like(watched), watched)
            above = self._up.above if turn < CLIMBS else np.full_like(self._up.above, root)
            lift_hidden(shown.offsets, self.nodes, self.placed, shown.labels, shown.count, above)
            if turn < CLIMBS:
                self._climb()

    @property
    def _general(self) -> Mask:
        return np.arange(len(self._up.above)) >= self._up.n_leaves

    def _nothing(self) -> Mask:
        return np.zeros(len(self._up.above), np.bool_)


Losses = Callable[[Ids], Reals]


def lift(records: Records, up: AncestorLadder, limits: SetLimits, options: LiftOptions) -> Lifted:
    """Protect every group on its own, from the start that loses least for it; which starts are tried depends on all groups."""
    state, losses = _state(records, up, limits, options), _losses(records, up, options.aim)
    found, cuts = _from_items(state, records, options.star, losses), [*options.cuts, *level_cuts(up)]
    if options.aim == "queries":
        lost = int(((found.nodes < 0) | (found.nodes == up.root)).sum())
        cuts = cuts[:1] if lost > TOO_MANY * len(found.nodes) or found.failed.any() else []
    if found.failed.any():
        cuts.append(np.full(up.n_leaves, up.root, np.int32))
    sizes = np.diff(records.offsets[records.bounds])
    for cut in cuts:
        for nodes in _from_nodes(state, cut[records.items], losses, options):
            loss = losses(nodes)
            better = ~state.failed & ((loss < found.loss) | found.failed)
            here = np.repeat(better, sizes)
            found.nodes[here], found.loss[better], found.failed[better] = nodes[here], loss[better], False
    return found


def lift_from(nodes: Ids, records: Records, up: AncestorLadder, limits: SetLimits, options: LiftOptions) -> Ids | None:
    """Return the nodes when all occurrences start from the given ones and none is spared; None where a group stays open."""
    state = _state(records, up, limits, options)
    state.start(nodes)
    state.end(star=options.star)
    return None if state.failed.any() else state.nodes


def _state(records: Records, up: AncestorLadder, limits: SetLimits, options: LiftOptions) -> Lifting:
    if not options.star:
        up = up._replace(above=np.where(up.above == up.root, -1, up.above).astype(np.int32))
    return Lifting(records, up, limits, rarer_first=options.rarer_first)


def _from_items(state: Lifting, records: Records, star: bool, losses: Losses) -> Lifted:
    """Keep as many items exact as possible: start from the items, and spare labels once."""
    state.start(records.items)
    if state.can_spare:
        state.spare()
    state.end(star=star)
    return Lifted(state.nodes.copy(), state.failed.copy(), losses(state.nodes))


def _from_nodes(state: Lifting, nodes: Ids, losses: Losses, options: LiftOptions) -> Iterator[Ids]:
    """Lose nothing first: from the given nodes spare one label of each record at a time, while that pays; yield candidates."""
    state.start(nodes)
    if state.placed.all():
        yield state.nodes
    before, limit = np.inf, SPARING[options.aim]
    for _ in range(limit.rounds if state.can_spare else 0):
        now = float(losses(np.where(state.placed, state.nodes, -1)).sum())
        if now >= before - limit.gain * abs(before):
            break
        before = now
        state.spare_one()
        state.part()
    state.end(star=options.star)
    yield state.nodes


def _losses(records: Records, up: AncestorLadder, aim: Aim) -> Losses:
    """Return the function that says what the nodes of the occurrences of each group lose."""
    n, starts = max(1, int(up.sizes[up.root])), records.offsets[records.bounds]
    if aim == "ul":
        return lambda nodes: _log_losses(records, up, nodes)
    if aim == "queries":
        cost = np.append(1.0 - 1.0 / np.maximum(up.sizes, 1), 1.0)
    else:
        cost = np.append(np.where(up.sizes > 1, up.sizes / n, 0.0), 1.0)

    def summed(nodes: Ids) -> Reals:
        total = np.concatenate([[0.0], np.cumsum(cost[nodes])])
        return np.asarray(total[starts[1:]] - total[starts[:-1]])

    return summed


def _log_losses(records: Records, up: AncestorLadder, nodes: Ids) -> Reals:
    """Return log2 of the sum of 2^size - 1 over the labels that the records of each group show; left out counts as the root."""
    offsets, shown = collapse(records.offsets, np.where(nodes < 0, up.root, nodes).astype(np.int32))
    sizes, starts = up.sizes[shown].astype(np.float64), offsets[records.bounds]
    filled, loss = starts[:-1] < starts[1:], np.full(len(starts) - 1, -np.inf)
    if filled.any():
        loss[filled] = np.logaddexp2.reduceat(sizes + np.log2(-np.expm1(-sizes * np.log(2.0))), starts[:-1][filled])
    return loss


# Step 6: starts


def aa_cut(data: Dataset, k: int, m: int) -> tuple[Ids, ...]:
    """Return the node of each item in the cut that `aa` finds; nothing where there is none."""
    cut = cut_for(frame_of(data), data.linkable, np.arange(len(data), dtype=np.int64), k, m)
    return () if cut is None else (cut,)


def in_pcta_groups(data: Dataset, k: int, m: int) -> Dataset | None:
    """Return the dataset with a hierarchy of two steps: items, the groups that `pcta` merges them into, and the root."""
    from anonset.algorithms import make  # the registry names this algorithm

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


def level_cuts(up: AncestorLadder) -> list[Ids]:
    """Return the node of each item that is one step below the root, two steps below, and so on while some are no items."""
    below_root = _paths(up)
    below_root = np.where((below_root >= 0) & (below_root != up.root), below_root, -1)
    steps = np.maximum((below_root >= 0).sum(axis=0) - 1, 0)  # from the item to the node below the root
    items = np.arange(up.n_leaves)
    nodes = np.where(below_root >= 0, below_root, items).astype(np.int32)
    return [nodes[np.maximum(steps - below, 0), items] for below in range(int(steps.max(initial=0)))]


def _paths(up: AncestorLadder) -> Ids:
    """Return the node that is s steps above each item, as row s; -1 above the root."""
    paths = [np.arange(up.n_leaves, dtype=np.int32)]
    while (paths[-1] >= 0).any():
        paths.append(np.where(paths[-1] >= 0, up.above[paths[-1]], -1).astype(np.int32))
    return np.stack(paths[:-1] or paths)


# Steps 7 and 8: right counts


def even_out(held: Transactions, nodes: Ids, tree: Hierarchy, up: AncestorLadder) -> Ids:
    """Return the node of each occurrence, after nodes have taken what was below them; -1 stays what it is.

    Sets need no further look: all records that showed a set with an item that moved now show it with the node.
    """
    paths = _paths(up)
    step = np.zeros(len(nodes), np.int64)
    for s in range(1, len(paths)):
        step[nodes == paths[s, held.items]] = s
    d, shown = up.n_leaves, nodes >= 0
    counts = np.bincount(step[shown] * d + held.items[shown], minlength=len(paths) * d).reshape(len(paths), d)
    supports, sizes, least = held.supports.astype(np.int64), np.maximum(1, up.sizes), FREQUENT * len(held)
    lowest = lowest_nodes(paths, counts.astype(np.float64), supports, tree.low, tree.high, sizes, least, COUNT_PRICE)
    return np.where(shown, np.maximum(nodes, lowest[held.items]), nodes).astype(np.int32)


def siblings_are_alike(held: Transactions, tree: Hierarchy) -> bool:
    """Return whether siblings are about as frequent, so that one of n is a good guess at each of them."""
    above = np.maximum(tree.parent[: tree.n_leaves], 0)  # a tree of one item has nothing above it
    mean = np.bincount(above, held.supports, len(tree)) / np.maximum(1, np.bincount(above, held.supports > 0, len(tree)))
    return bool(np.abs(held.supports - mean[above])[held.supports > 0].sum() <= ALIKE * held.supports.sum())


def wrong_counts(held: Transactions, nodes: Ids, tree: Hierarchy, up: AncestorLadder) -> tuple[float, float]:
    """Return the share of frequent items' occurrences that are counted wrongly, and the price of these and of the loss."""
    sizes = np.maximum(1, up.sizes)
    shown = np.bincount(collapse(held.offsets, nodes)[1], minlength=len(tree)) / sizes
    counts = np.cumsum(np.bincount(tree.low, shown, len(tree) + 1) - np.bincount(tree.high, shown, len(tree) + 1))
    frequent = held.supports >= FREQUENT * len(held)
    wrong = float(np.abs(counts[: tree.n_leaves] - held.supports)[frequent].sum())
    lost = float(np.append(1.0 - 1.0 / sizes, 1.0)[nodes].sum())  # the last is that of what is left out, -1
    return wrong / max(1, held.supports[frequent].sum()), wrong + COUNT_PRICE * lost


def exact_or_cut(held: Transactions, nodes: Ids, cut: Ids) -> Ids:
    """Return the items of records that show all of theirs, and the nodes of the cut for all others."""
    hidden = np.bincount(rows_of(held.offsets), nodes != held.items, len(held))
    return np.where(np.repeat(hidden == 0, held.lengths), held.items, cut[held.items]).astype(np.int32)
