"""The search for a cut of the item hierarchy: itemsets of one size are looked at until none is open.

An itemset of published nodes is open when it occurs in fewer than k records. With l > 1 it is open, too, when some sensitive
item is in more than 1/l of the records it occurs in.
"""

from typing import NamedTuple

import numpy as np

from anonset.algorithms.base import Progress, silent
from anonset.errors import InfeasibleError, InputError
from anonset.kernels.cuts import Cut, Task, close_items, close_itemsets
from anonset.kernels.itemsets import Ranked, rare_itemsets
from anonset.kernels.postings import node_supports, post_items, show
from anonset.model.arrays import Ids, Mask, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.transactions import Transactions

AT_ONCE = 1_000  # open itemsets to look for before they are closed
TABLE = 1 << 24  # pairs of nodes to count at once, at most


class Frame(NamedTuple):
    """What all searches over one hierarchy share; make it once with `frame`."""

    parent: Ids
    low: Ids
    high: Ids
    weight: Rows  # the number of linkable leaves of a node, or 0 where that is one: NCP times the number of leaves
    order: Rows  # nodes with more leaves first, then from left to right ([002] 4.1, the order without a scan)


class Secrets(NamedTuple):
    """The sensitive items of all records: record r holds items[offsets[r] : offsets[r + 1]], codes below n."""

    offsets: Offsets
    items: Ids
    n: int


NO_SECRETS = Secrets(np.zeros(1, np.int64), np.zeros(0, np.int32), 0)


def frame(tree: Hierarchy, sensitive: Mask | None = None) -> Frame:
    """The frame of a hierarchy; sensitive items, which are published as they are, do not count as leaves."""
    linkable = np.ones(tree.n_leaves, np.bool_) if sensitive is None else ~sensitive
    total = np.concatenate([[0], np.cumsum(linkable)]).astype(np.int64)
    size = total[tree.high] - total[tree.low]
    order = np.empty(len(tree), np.int64)
    order[np.lexsort((np.arange(len(tree)), tree.low, -tree.sizes))] = np.arange(len(tree))
    return Frame(tree.parent, tree.low, tree.high, np.where(size > 1, size, 0), order)


def frame_of(data: Dataset) -> Frame:
    """The frame of the item hierarchy of a dataset."""
    if data.item_hierarchy is None:
        raise InputError("this needs a hierarchy of the items; give one, or have one built, e.g. balanced:5")
    return frame(data.item_hierarchy, data.sensitive_items)


def secrets(data: Dataset) -> Secrets:
    """The sensitive items of a dataset."""
    if data.transactions is None or data.sensitive_items is None:
        return Secrets(np.zeros(len(data) + 1, np.int64), np.zeros(0, np.int32), 0)
    only = data.transactions.without(~data.sensitive_items)
    code = np.cumsum(data.sensitive_items) - 1
    return Secrets(only.offsets, code[only.items].astype(np.int32), int(data.sensitive_items.sum()))


def task(
    shape: Frame,
    transactions: Transactions,
    rows: Rows,
    k: int,
    l: int = 1,  # noqa: E741 - the papers' letter
    hidden: Secrets = NO_SECRETS,
) -> Task:
    """The task to protect the given rows."""
    posted = post_items(transactions.offsets, transactions.items, rows, len(transactions.domain))
    return Task(*shape[:4], *posted, k, l, *hidden)


def whole_task(data: Dataset, k: int) -> Task:
    """The task to protect all records of a dataset; InfeasibleError where even the root of the hierarchy does not."""
    n, holders = len(data), int((data.linkable.lengths > 0).sum())
    if k > n:
        raise InfeasibleError(f"k={k} exceeds the {n} records of the dataset")
    if 0 < holders < k:
        raise InfeasibleError(f"only {holders} records have items to link on, fewer than k={k}; no generalization hides them")
    return task(frame_of(data), data.linkable, np.arange(n, dtype=np.int64), k)


def cut_at(job: Task, nodes: Ids) -> Cut:
    """The state of a search that stands at the given node for each leaf."""
    cost = np.diff(job.starts) * job.weight[nodes]
    total = np.concatenate([[0], np.cumsum(cost)]).astype(np.int64)
    return Cut(nodes.copy(), total[job.high] - total[job.low], np.ones(len(job.parent), np.bool_))


def leaf_cut(job: Task) -> Cut:
    """The state of a search that has not generalized anything yet."""
    return Cut(
        np.arange(len(job.starts) - 1, dtype=np.int32),
        np.zeros(len(job.parent), np.int64),
        np.ones(len(job.parent), np.bool_),
    )


def by_support(job: Task) -> Rows:
    """The order of the count-tree ([002] 4.1): nodes of more records first, then smaller ids."""
    order = np.empty(len(job.parent), np.int64)
    order[np.argsort(-node_supports(job.entries, job.parent), kind="stable")] = np.arange(len(order))
    return order


def protect(job: Task, cut: Cut, m: int, order: Rows, *, above: bool = False, progress: Progress = silent) -> None:
    """Move the cut up until no itemset of at most m nodes is open: sizes 1 to m, one after the other ([002] Algorithm 4)."""
    for size in range(1, m + 1):
        if not close(job, cut, size, order, above=above, progress=part_of(progress, (size - 1) / m, size / m)):
            break


def part_of(progress: Progress, start: float, stop: float) -> Progress:
    """A listener that hears of one part of the work."""
    return lambda done: progress(start + done * (stop - start))


def close(
    job: Task, cut: Cut, size: int, order: Rows, *, above: bool = False, limit: int = 0, progress: Progress = silent
) -> bool:
    """Move the cut up until no itemset of the size is open; return whether there can be larger open ones.

    Open itemsets are closed in preorder of `order`. above: itemsets of nodes above the cut are visited as well, as in the
    count-tree of [002], and one visit is enough; else the visit is repeated for the nodes it moved to. Itemsets in `limit`
    records or more are not looked at (0: k).
    """
    if size == 1:
        _require(close_items(job, cut))
        progress(1.0)
        return True
    cut.fresh[:] = True
    while True:
        entries, starts, at, node, n_fresh = show(job.entries, job.parent, cut.node, order, cut.fresh, above)
        if len(at) == 0 or _longest(entries) < size:
            return False
        cut.fresh[:] = False
        low, high, first = job.low[node], job.high[node], 0
        pairs = np.zeros(min(len(node) ** 2, TABLE, 8 * len(entries)), np.int32)
        while first < n_fresh:
            ranked = Ranked(entries, starts, at, low, high, above, cut.node[low] <= node)
            rare, first = rare_itemsets(ranked, size, limit or job.k, first, n_fresh, AT_ONCE, pairs)
            if len(rare):
                _require(close_itemsets(job, cut, node[rare]))
            progress(first / n_fresh)
        if above or not cut.fresh.any():
            return True


def _longest(entries: Ids) -> int:
    """The number of nodes of the record that shows most."""
    return int(np.diff(np.flatnonzero(entries < 0)).max()) - 1


def _require(closed: bool) -> None:
    if not closed:
        raise InfeasibleError("some itemset stays open whatever its items are generalized to")
