"""The loop that all constraint-based algorithms share: the next open constraint, merges until it is satisfied, suppression
where none is left; and what no algorithm could achieve, found before a run.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Literal

import numpy as np

from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.algorithms.constraints.policies import Protected, allowed_suppressions, make_clusters
from anonset.algorithms.constraints.queues import AllItemsetsQueue, CodedItemsets, Itemset, Open, Queue
from anonset.errors import InfeasibleError
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset, Transactions
from anonset.model.policy import AllItemsets, UtilityPolicy
from anonset.model.progress import Progress
from anonset.model.sets import rows_of

Choice = Callable[[ItemClusters, Ids], tuple[int, int] | None]
Pick = Literal["commonest", "rarest", "first"]
Refusal = Callable[[Itemset, int, int, int], Exception]


@dataclass(frozen=True, slots=True)
class Step:
    """One merge (cluster `item` went into another) or suppression (of all `items`), and the constraint that forced it."""

    items: tuple[int, ...]
    constraint: Itemset
    support: int


@dataclass(slots=True)
class History:
    """What was done, in order."""

    merges: list[Step] = field(default_factory=list)
    suppressions: list[Step] = field(default_factory=list)

    @property
    def n_suppressed(self) -> int:
        """The number of items suppressed so far."""
        return sum(len(step.items) for step in self.suppressions)


def of_any_item(clusters: ItemClusters, p: Ids) -> tuple[int, int] | None:
    """The cheapest merge of any item of p: the choice of pcta and upcta."""
    return clusters.cheapest_merge(p)


def of_picked_item(pick: Pick) -> Choice:
    """The cheapest merge of one item of p, the first in the order of `pick` that has any: the choice of coat."""

    def choose(clusters: ItemClusters, p: Ids) -> tuple[int, int] | None:
        merges = (clusters.cheapest_merge(np.array([item], np.int32)) for item in _picked(clusters, p, pick))
        return next((merge for merge in merges if merge is not None), None)

    return choose


def _picked(clusters: ItemClusters, p: Ids, pick: Pick) -> list[int]:
    """The clusters of p, that to be generalized first in front; ties: the smallest id."""
    if pick == "first":
        return sorted(p.tolist())
    sign = -1 if pick == "commonest" else 1
    return sorted(p.tolist(), key=lambda a: (sign * int(clusters.supports[a]), a))


def protect(
    clusters: ItemClusters,
    queue: Queue,
    k: int,
    *,
    choose: Choice,
    allowed: int,
    refuse: Refusal,
    progress: Progress,
    least: int = 1,
) -> History:
    """Merge and suppress until no constraint is open; raise what `refuse` makes where more than `allowed` items would go.

    A constraint is open with a support from `least` to k - 1.
    """
    history = History()
    n = max(1, len(clusters.members))
    while (found := queue.top()) is not None:  # step 1
        constraint, support = found
        p = clusters.translate(constraint)
        while least <= support < k:  # step 3
            pair = choose(clusters, p)
            if pair is not None:  # step 2
                low, high = pair
                queue.merging(low, high)
                clusters.merge(low, high)
                queue.merged(low)
                history.merges.append(Step((high,), constraint, support))
            else:
                cluster = clusters.least_supported(p)
                items = tuple(clusters.members[cluster])
                if history.n_suppressed + len(items) > allowed:
                    raise refuse(constraint, support, cluster, history.n_suppressed)
                clusters.suppress(cluster)
                queue.suppressed(cluster)
                history.suppressions.append(Step(items, constraint, support))
            p = clusters.translate(constraint)
            support = clusters.support(p, k)
        progress(1.0 - len(clusters.members) / n)
    return history


SHOWN = 4


@dataclass(frozen=True, slots=True)
class Hopeless:
    """Constraints that only suppression can satisfy: one of them, its highest reachable support, how many items must go."""

    constraint: Itemset
    reachable: int
    must_go: int


def check_feasible(clusters: ItemClusters, protected: Protected, utility: UtilityPolicy | None, k: int) -> None:
    """Raise where the policies cannot be met together, whatever an algorithm does; the clusters must be single items."""
    if utility is None and int((clusters.transactions.lengths > 0).sum()) >= k:
        return
    found = find_hopeless(clusters, protected, k)
    if found is not None and found.must_go > allowed_suppressions(clusters, utility):
        raise InfeasibleError(refusal_text(clusters, utility, found.constraint, k, found.reachable, found.must_go))


def refusal(data: Dataset, clusters: ItemClusters, utility: UtilityPolicy | None, k: int) -> Refusal:
    """Makes the error for a run that would have to suppress more than is allowed."""

    def refuse(constraint: Itemset, support: int, cluster: int, n_suppressed: int) -> InfeasibleError:
        fresh = make_clusters(data, utility)
        n = n_suppressed + len(clusters.members[cluster])
        return InfeasibleError(refusal_text(fresh, utility, constraint, k, support, n))

    return refuse


def find_hopeless(clusters: ItemClusters, protected: Protected, k: int) -> Hopeless | None:
    """What cannot be met without suppression, or None; the clusters must be single items."""
    coarse, group_item = _coarsest(clusters)
    if isinstance(protected, AllItemsets):
        return _hopeless_sets(clusters, coarse, AllItemsetsQueue(coarse, k, protected.m).top(), k)
    listed = protected
    offsets, items = collapse(listed.offsets, group_item[listed.items])
    reachable = CodedItemsets(offsets, items, listed.repeats).supports(coarse, k)
    reachable[np.diff(offsets) > clusters.longest] = 0  # nobody knows before the run
    which = np.flatnonzero((reachable > 0) & (reachable < k) & (listed.supports(clusters, 1) > 0))
    if len(which) == 0:
        return None
    apart: set[int] = set()
    must_go = 0
    for q in which.tolist():  # constraints without a common item need a suppression each
        if apart.isdisjoint(listed[q]):
            apart.update(listed[q])
            must_go += 1
    return Hopeless(listed[int(which[0])], int(reachable[which[0]]), must_go)


def _coarsest(clusters: ItemClusters) -> tuple[ItemClusters, Ids]:
    """Each group as one item, called by the smallest of its items that occurs; and that item for every item."""
    t = clusters.transactions
    present = np.flatnonzero(clusters.present)
    group_item = np.arange(len(t.domain), dtype=np.int32)
    groups, where, inverse = np.unique(clusters.groups[present], return_index=True, return_inverse=True)
    group_item[present] = present[where][inverse] if len(groups) else present
    offsets, entries = collapse(t.offsets, group_item[t.items])
    return ItemClusters(Transactions(offsets, entries, t.domain), clusters.groups), group_item


def _hopeless_sets(clusters: ItemClusters, coarse: ItemClusters, open_set: Open | None, k: int) -> Hopeless | None:
    if open_set is None:
        return None
    worst, reachable = open_set
    rare_groups = coarse.groups[(coarse.supports > 0) & (coarse.supports < k)]
    must_go = int((np.isin(clusters.groups, rare_groups) & clusters.present).sum())
    r = min(set.intersection(*(_holding(coarse.transactions, c) for c in worst)))
    t = clusters.transactions
    record = t.items[t.offsets[r] : t.offsets[r + 1]]
    witness = {int(clusters.groups[i]): int(i) for i in record[::-1] if clusters.groups[i] in coarse.groups[list(worst)]}
    return Hopeless(tuple(sorted(witness.values())), reachable, max(1, must_go))


def _holding(transactions: Transactions, item: int) -> set[int]:
    """The records that hold an item."""
    rows = rows_of(transactions.offsets)
    return set(rows[transactions.items == item].tolist())


def refusal_text(
    clusters: ItemClusters, utility: UtilityPolicy | None, constraint: Itemset, k: int, reached: int, must_go: int
) -> str:
    """Which constraint cannot be met inside which utility constraints, and what to relax; the clusters must be single items."""
    domain = clusters.transactions.domain
    wanted = (
        f"the privacy constraint {_shown([domain[i] for i in constraint])} reaches {reached} of the k={k} records asked for"
    )
    if utility is None:
        n = int((clusters.transactions.lengths > 0).sum())
        return f"{wanted}: only {n} records hold linkable items; lower k"
    limits = " and ".join(_shown(utility.groups[u]) for u in sorted({int(clusters.groups[i]) for i in constraint}))
    n = int(clusters.present.sum())
    share = math.ceil(10_000 * must_go / n) / 10_000  # rounded up, so that it is enough
    ways = f"allow suppression of at least {must_go} of {n} items ({share:.4f}; {utility.suppression:g} is set)"
    partner = _partner(clusters, constraint, k)
    if partner is not None:
        ways += f", or let the items of {_shown(utility.groups[partner[0]])} and {_shown(utility.groups[partner[1]])} "
        ways += "be generalized together"
    return f"{wanted} with its items generalized as far as the utility constraints {limits} allow; {ways}"


def _partner(clusters: ItemClusters, constraint: Itemset, k: int) -> tuple[int, int] | None:
    """Two groups that, generalized together, would satisfy the constraint: the rarest such; None where no two would."""
    coarse, group_item = _coarsest(clusters)
    wanted = sorted({int(group_item[i]) for i in constraint}, key=lambda c: int(coarse.supports[c]))
    others = np.flatnonzero(coarse.supports)
    holding = cache(partial(_holding, coarse.transactions))
    for c in wanted:
        for g in others[np.argsort(coarse.supports[others], kind="stable")].tolist():
            rows = holding(c) | holding(g)
            rest = [holding(other) for other in wanted if other not in (c, g)]
            if g != c and len(rows.intersection(*rest)) >= k:
                return int(coarse.groups[c]), int(coarse.groups[g])
    return None


def _shown(names: tuple[str, ...] | list[str]) -> str:
    more = f", ... {len(names)} items" if len(names) > SHOWN else ""
    return f"({', '.join(names[:SHOWN])}{more})"
