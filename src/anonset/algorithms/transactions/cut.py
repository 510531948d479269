"""Cuts of the item hierarchy: the records as a cut shows them, itemsets that are too rare, and moving the cut up until
none is.
"""

from typing import Annotated, Literal, NamedTuple

import numpy as np

from anonset.algorithms.transactions._kernels.cuts import Cut, close_items, close_itemsets
from anonset.algorithms.transactions._kernels.cuts import CutProblem as CutProblem
from anonset.algorithms.transactions._kernels.postings import node_supports, post_items, show
from anonset.algorithms.transactions._kernels.rare_itemsets import (
    CutRecords,
    Ranked,
    rare_itemsets,
    rare_pairs,
    rare_shown_pairs,
)
from anonset.algorithms.work_limit import require_countable
from anonset.errors import InfeasibleError, InputError
from anonset.kernels.set_walk import SensitiveItems
from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.builders import Material, build
from anonset.model.dataset import Dataset, Transactions
from anonset.model.hierarchy import Hierarchy
from anonset.model.progress import Progress, part_of, silent
from anonset.model.sets import offsets_of


class HierarchyFrame(NamedTuple):
    """What all searches over one hierarchy share; make it once with `frame`."""

    parent: Ids
    low: Ids
    high: Ids
    weight: Rows  # the number of linkable leaves of a node, or 0 where that is one: NCP times the number of leaves
    order: Rows  # nodes with more leaves first, then from left to right ([002] 4.1, the order without a scan)


NO_SECRETS = SensitiveItems(np.zeros(1, np.int64), np.zeros(0, np.int32), 0)


def frame(tree: Hierarchy, sensitive: Mask | None = None) -> HierarchyFrame:
    """Return the frame of a hierarchy; sensitive items, which are published as they are, do not count as leaves."""
    linkable = np.ones(tree.n_leaves, np.bool_) if sensitive is None else ~sensitive
    total = offsets_of(linkable)
    size = total[tree.high] - total[tree.low]
    order = np.empty(len(tree), np.int64)
    order[np.lexsort((np.arange(len(tree)), tree.low, -tree.sizes))] = np.arange(len(tree))
    return HierarchyFrame(tree.parent, tree.low, tree.high, np.where(size > 1, size, 0), order)


def frame_of(data: Dataset) -> HierarchyFrame:
    """Return the frame of the item hierarchy of a dataset."""
    if data.item_hierarchy is None:
        raise InputError("this needs a hierarchy of the items; give one, or have one built, e.g. balanced:5")
    return frame(data.item_hierarchy, data.sensitive_items)


def secrets(data: Dataset) -> SensitiveItems:
    """Return the sensitive items of a dataset."""
    if data.transactions is None or data.sensitive_items is None:
        return SensitiveItems(np.zeros(len(data) + 1, np.int64), np.zeros(0, np.int32), 0)
    only = data.transactions.without(~data.sensitive_items)
    code = np.cumsum(data.sensitive_items) - 1
    return SensitiveItems(only.offsets, code[only.items].astype(np.int32), int(data.sensitive_items.sum()))


def cut_problem(
    shape: HierarchyFrame,
    transactions: Transactions,
    rows: Rows,
    k: int,
    l: int = 1,  # noqa: E741 - the papers' letter
    hidden: SensitiveItems = NO_SECRETS,
    supports: Rows | None = None,
) -> CutProblem:
    """Return the task to protect the given rows; `supports` says how often each item occurs where the rows stand for more."""
    posted = post_items(transactions.offsets, transactions.items, rows, len(transactions.domain))
    counts = posted[1] if supports is None else offsets_of(supports)
    return CutProblem(*shape[:4], *posted, k, l, *hidden, counts)


def whole_problem(data: Dataset, k: int) -> CutProblem:
    """Return the task to protect all records of a dataset; InfeasibleError where even the root of the hierarchy does not."""
    require_holders(data, k)
    return cut_problem(frame_of(data), data.linkable, np.arange(len(data), dtype=np.int64), k)


def require_holders(data: Dataset, k: int) -> None:
    """Raise InfeasibleError unless there are k records, and k of them (or none) hold items to link on."""
    n, holders = len(data), int((data.linkable.lengths > 0).sum())
    if k > n:
        raise InfeasibleError(f"k={k} exceeds the {n} records of the dataset")
    if 0 < holders < k:
        raise InfeasibleError(f"only {holders} records have items to link on, fewer than k={k}; no generalization hides them")


def cut_at(problem: CutProblem, nodes: Ids) -> Cut:
    """Return the state of a search that stands at the given node for each leaf."""
    cost = np.diff(problem.counts) * problem.weight[nodes]
    total = offsets_of(cost)
    return Cut(nodes.copy(), total[problem.high] - total[problem.low], np.ones(len(problem.parent), np.bool_))


def leaf_cut(problem: CutProblem) -> Cut:
    """Return the state of a search that has not generalized anything yet."""
    return Cut(
        np.arange(len(problem.starts) - 1, dtype=np.int32),
        np.zeros(len(problem.parent), np.int64),
        np.ones(len(problem.parent), np.bool_),
    )


def by_support(problem: CutProblem) -> Rows:
    """Return the order of the count-tree ([002] 4.1): nodes of more records first, then smaller ids."""
    order = np.empty(len(problem.parent), np.int64)
    order[np.argsort(-node_supports(problem.entries, problem.parent), kind="stable")] = np.arange(len(order))
    return order


BY_SUPPORT, LEARNED = "balanced:5", "learned"  # for all records as good as each other; learned ones serve small groups better


def with_tree(data: Dataset, how: str = LEARNED) -> Dataset:
    """Return the dataset with its item hierarchy, or with one that is built for it."""
    if data.item_hierarchy is not None or data.transactions is None or not data.transactions.domain:
        return data
    return data.with_item_hierarchy(build(how, Material.of_items(data.linkable)))


Order = Annotated[
    Literal["lazy", "paper"], "lazy: count what the cut shows; paper: count all generalizations, as the count-tree does"
]

AT_ONCE = 1_000  # open itemsets to look for before they are closed
TABLE = 1 << 24  # pairs of nodes to count at once, at most
FEWEST, FEW = 128, 8  # parts of all positions: node by node from the one, all records from the other


def protect(
    problem: CutProblem,
    cut: Cut,
    m: int,
    order: Rows,
    *,
    above: bool = False,
    among: Mask | None = None,
    progress: Progress = silent,
) -> None:
    """Move the cut up until no itemset of at most m nodes is open: sizes 1 to m, one after the other ([002] Algorithm 4)."""
    touched = None if among is None else among.copy()
    for size in range(1, m + 1):
        part = part_of(progress, (size - 1) / m, size / m)
        if not close(problem, cut, size, order, above=above, among=touched, progress=part):
            break
        if touched is not None:
            touched |= cut.fresh


def close(
    problem: CutProblem,
    cut: Cut,
    size: int,
    order: Rows,
    *,
    above: bool = False,
    among: Mask | None = None,
    limit: int = 0,
    progress: Progress = silent,
) -> bool:
    """Move the cut up until no itemset of the size is open; return whether there can be larger open ones.

    Open itemsets are closed in preorder of `order`. above: itemsets of nodes above the cut are visited as well, as in the
    count-tree of [002], and one visit is enough; else the visit is repeated for the nodes it moved to. among: only itemsets
    with one of these nodes can be open. limit: itemsets in so many records are closed (0: k).
    """
    cut.fresh[:] = False
    if size == 1:
        _require(close_items(problem, cut))
        progress(1.0)
        return True
    fresh = np.ones(len(problem.parent), np.bool_) if among is None else among
    moved = np.zeros(len(problem.parent), np.bool_)
    while True:
        if not visit(problem, cut, size, order, fresh, above=above, limit=limit, progress=progress):
            return False
        moved |= cut.fresh
        if above or not cut.fresh.any():
            cut.fresh[:] = moved
            return True
        fresh = cut.fresh.copy()
        cut.fresh[:] = False


def visit(
    problem: CutProblem,
    cut: Cut,
    size: int,
    order: Rows,
    fresh: Mask,
    *,
    above: bool = False,
    limit: int = 0,
    progress: Progress = silent,
) -> bool:
    """Close what is open now among the itemsets of the size with a fresh node; return whether there can be larger open ones."""
    if size == 2 and not above and (pairs := _pairs(problem, cut.node, order, fresh)) is not None:
        return _visit_pairs(problem, cut, *pairs, limit or problem.k, progress)
    view = shown(problem.entries, problem, cut.node, order, fresh, above=above)
    if view.longest < size:
        return False
    if size > 2:
        require_countable(view.lengths, size)
    first = 0
    while first < view.n_fresh:
        rare, first = view.rare(size, limit or problem.k, first, AT_ONCE, counted=cut.node[view.ranked.low] <= view.node)
        _close(problem, cut, rare, progress, first / view.n_fresh)
    return True


def _close(problem: CutProblem, cut: Cut, rare: Ids, progress: Progress, done: float) -> None:
    if len(rare):
        _require(close_itemsets(problem, cut, rare))
    progress(done)


def _visit_pairs(problem: CutProblem, cut: Cut, seen: CutRecords, node: Ids, k: int, progress: Progress) -> bool:
    """Close pairs, of one node after the other as long as they are under few of the positions, then of all others at once.

    What moves up early takes others along, which need not be counted any more, or becomes too dear for who listens.
    """
    first, share, longer = 0, FEWEST, True
    while first < len(seen.low):
        counted = cut.node[problem.low[node]] <= node
        most = len(problem.at) // share + 1 if share > FEW else 0
        rare, first, longer = rare_shown_pairs(seen, counted, k, first, most)
        _close(problem, cut, node[rare], progress, first / len(seen.low))
        share //= 2
    return longer


def _pairs(problem: CutProblem, nodes: Ids, order: Rows, fresh: Mask) -> tuple[CutRecords, Ids] | None:
    """Return the records as a cut shows them, to count pairs in, and the node of each rank; None where no table fits."""
    held = np.zeros(len(problem.parent), np.bool_)
    held[nodes[np.diff(problem.starts) > 0]] = True
    here = np.flatnonzero(held)
    node = here[np.lexsort((order[here], ~fresh[here]))].astype(np.int32)
    first = node[: int(fresh[here].sum())]
    if len(first) * len(node) > min(TABLE, 8 * len(problem.entries)):
        return None
    rank = np.full(len(problem.parent), -1, np.int32)
    rank[node] = np.arange(len(node))
    return CutRecords(
        problem.entries, problem.starts, problem.at, rank[nodes], problem.low[first], problem.high[first], len(node)
    ), node


def open_itemset(view: "View", k: int, m: int) -> Ids | None:
    """Return some open itemset of at most m nodes, one of them fresh, or None."""
    for size in range(1, min(m, view.longest) + 1):
        first = 0
        while first < view.n_fresh:
            rare, first = view.rare(size, k, first, 1)
            if len(rare):
                found: Ids = rare[0]
                return found
    return None


class View(NamedTuple):
    """Records as a cut shows them, the node of each rank, how many of the first ranks are fresh, and room to count in."""

    ranked: Ranked
    node: Ids
    n_fresh: int
    lengths: Rows
    pairs: Ids

    @property
    def longest(self) -> int:
        """How many nodes the longest record shows."""
        return int(self.lengths.max(initial=0))

    def rare(self, size: int, k: int, first: int, enough: int, counted: Mask | None = None) -> tuple[Ids, int]:
        """Return itemsets of nodes in 1..k-1 records, from a first rank on, and the next rank to go on with."""
        ranked = self.ranked if counted is None else self.ranked._replace(counted=counted)
        if size == 2:
            found, following = rare_pairs(ranked, k, first, self.n_fresh, enough, self.pairs)
        else:
            found, following = rare_itemsets(ranked, size, k, first, self.n_fresh, enough, self.pairs)
        return self.node[found], following


def shown(entries: Ids, problem: CutProblem, nodes: Ids, order: Rows, fresh: Mask, *, above: bool = False) -> View:
    """Return the view of entries that a cut gives."""
    seen, starts, at, node, n_fresh = show(entries, problem.parent, nodes, order, fresh, above)
    lengths = np.diff(np.flatnonzero(seen < 0)) - 1
    pairs = np.zeros(min(len(node) ** 2, TABLE, 8 * len(seen)), np.int32)
    ranked = Ranked(seen, starts, at, problem.low[node], problem.high[node], above, np.ones(len(node), np.bool_))
    return View(ranked, node, n_fresh, lengths, pairs)


def _require(closed: bool) -> None:
    if not closed:
        raise InfeasibleError("some itemset stays open whatever its items are generalized to")
