"""What a search for a cut of the item hierarchy stands on: the hierarchy, the records and where the search is.

An itemset of published nodes is open when it occurs in fewer than k records. With l > 1 it is open, too, when some sensitive
item is in more than 1/l of the records it occurs in.
"""

from typing import NamedTuple

import numpy as np

from anonset.algorithms.transactions.kernels.cuts import Cut, Task
from anonset.algorithms.transactions.kernels.postings import node_supports, post_items
from anonset.errors import InfeasibleError, InputError
from anonset.model.arrays import Ids, Mask, Offsets, Rows
from anonset.model.builders import Material, build
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.sets import offsets_of
from anonset.model.transactions import Transactions


class HierarchyFrame(NamedTuple):
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


def frame(tree: Hierarchy, sensitive: Mask | None = None) -> HierarchyFrame:
    """The frame of a hierarchy; sensitive items, which are published as they are, do not count as leaves."""
    linkable = np.ones(tree.n_leaves, np.bool_) if sensitive is None else ~sensitive
    total = offsets_of(linkable)
    size = total[tree.high] - total[tree.low]
    order = np.empty(len(tree), np.int64)
    order[np.lexsort((np.arange(len(tree)), tree.low, -tree.sizes))] = np.arange(len(tree))
    return HierarchyFrame(tree.parent, tree.low, tree.high, np.where(size > 1, size, 0), order)


def frame_of(data: Dataset) -> HierarchyFrame:
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
    shape: HierarchyFrame,
    transactions: Transactions,
    rows: Rows,
    k: int,
    l: int = 1,  # noqa: E741 - the papers' letter
    hidden: Secrets = NO_SECRETS,
    supports: Rows | None = None,
) -> Task:
    """The task to protect the given rows; `supports` says how often each item occurs where the rows stand for more."""
    posted = post_items(transactions.offsets, transactions.items, rows, len(transactions.domain))
    counts = posted[1] if supports is None else offsets_of(supports)
    return Task(*shape[:4], *posted, k, l, *hidden, counts)


def whole_task(data: Dataset, k: int) -> Task:
    """The task to protect all records of a dataset; InfeasibleError where even the root of the hierarchy does not."""
    require_holders(data, k)
    return task(frame_of(data), data.linkable, np.arange(len(data), dtype=np.int64), k)


def require_holders(data: Dataset, k: int) -> None:
    """Raise InfeasibleError unless there are k records, and k of them (or none) hold items to link on."""
    n, holders = len(data), int((data.linkable.lengths > 0).sum())
    if k > n:
        raise InfeasibleError(f"k={k} exceeds the {n} records of the dataset")
    if 0 < holders < k:
        raise InfeasibleError(f"only {holders} records have items to link on, fewer than k={k}; no generalization hides them")


def cut_at(job: Task, nodes: Ids) -> Cut:
    """The state of a search that stands at the given node for each leaf."""
    cost = np.diff(job.counts) * job.weight[nodes]
    total = offsets_of(cost)
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


BY_SUPPORT, LEARNED = "balanced:5", "learned"  # for all records as good as each other; learned ones serve small groups better


def with_tree(data: Dataset, how: str = LEARNED) -> Dataset:
    """The dataset with its item hierarchy, or with one that is built for it."""
    if data.item_hierarchy is not None or data.transactions is None or not data.transactions.domain:
        return data
    return data.with_item_hierarchy(build(how, Material.of_items(data.linkable)))
