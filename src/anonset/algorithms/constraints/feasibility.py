"""Privacy constraints that no algorithm can satisfy inside the utility constraints, found before a run, and what to relax."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.algorithms.constraints.policies import allowed_suppressions, make_clusters
from anonset.algorithms.constraints.queues import AllItemsetsQueue, CodedItemsets, Itemset, Open, Protected
from anonset.errors import InfeasibleError
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset, Transactions
from anonset.model.policy import AllItemsets, UtilityPolicy
from anonset.model.sets import rows_of

Refusal = Callable[[Itemset, int, int, int], Exception]
NAMES_LISTED = 4


@dataclass(frozen=True, slots=True)
class UnreachableConstraints:
    """Constraints that only suppression can satisfy: one of them, its highest support, and how many items to suppress."""

    constraint: Itemset
    reachable: int
    to_suppress: int


def check_feasible(clusters: ItemClusters, protected: Protected, utility: UtilityPolicy | None, k: int) -> None:
    """Raise where the policies cannot be met together, whatever an algorithm does; the clusters must be single items."""
    if utility is None and int((clusters.transactions.lengths > 0).sum()) >= k:
        return
    found = find_unreachable(clusters, protected, k)
    if found is not None and found.to_suppress > allowed_suppressions(clusters, utility):
        raise InfeasibleError(refusal_text(clusters, utility, found.constraint, k, found.reachable, found.to_suppress))


def refusal(data: Dataset, clusters: ItemClusters, utility: UtilityPolicy | None, k: int) -> Refusal:
    """Makes the error for a run that would have to suppress more than is allowed."""

    def refuse(constraint: Itemset, support: int, cluster: int, n_suppressed: int) -> InfeasibleError:
        fresh = make_clusters(data, utility)
        n = n_suppressed + len(clusters.members[cluster])
        return InfeasibleError(refusal_text(fresh, utility, constraint, k, support, n))

    return refuse


def find_unreachable(clusters: ItemClusters, protected: Protected, k: int) -> UnreachableConstraints | None:
    """What cannot be met without suppression, or None; the clusters must be single items."""
    coarse, group_item = _coarsest(clusters)
    if isinstance(protected, AllItemsets):
        return _unreachable_sets(clusters, coarse, AllItemsetsQueue(coarse, k, protected.m).top(), k)
    listed = protected
    offsets, items = collapse(listed.offsets, group_item[listed.items])
    reachable = CodedItemsets(offsets, items, listed.repeats).supports(coarse, k)
    reachable[np.diff(offsets) > clusters.longest] = 0  # nobody knows before the run
    which = np.flatnonzero((reachable > 0) & (reachable < k) & (listed.supports(clusters, 1) > 0))
    if len(which) == 0:
        return None
    apart: set[int] = set()
    to_suppress = 0
    for q in which.tolist():  # constraints without a common item need a suppression each
        if apart.isdisjoint(listed[q]):
            apart.update(listed[q])
            to_suppress += 1
    return UnreachableConstraints(listed[int(which[0])], int(reachable[which[0]]), to_suppress)


def _coarsest(clusters: ItemClusters) -> tuple[ItemClusters, Ids]:
    """Each group as one item, called by the smallest of its items that occurs; and that item for every item."""
    t = clusters.transactions
    present = np.flatnonzero(clusters.present)
    group_item = np.arange(len(t.domain), dtype=np.int32)
    groups, where, inverse = np.unique(clusters.groups[present], return_index=True, return_inverse=True)
    group_item[present] = present[where][inverse] if len(groups) else present
    offsets, entries = collapse(t.offsets, group_item[t.items])
    return ItemClusters(Transactions(offsets, entries, t.domain), clusters.groups), group_item


def _unreachable_sets(
    clusters: ItemClusters, coarse: ItemClusters, open_set: Open | None, k: int
) -> UnreachableConstraints | None:
    if open_set is None:
        return None
    worst, reachable = open_set
    rare_groups = coarse.groups[(coarse.supports > 0) & (coarse.supports < k)]
    to_suppress = int((np.isin(clusters.groups, rare_groups) & clusters.present).sum())
    r = min(set.intersection(*(_holding(coarse.transactions, c) for c in worst)))
    t = clusters.transactions
    record = t.items[t.offsets[r] : t.offsets[r + 1]]
    witness = {int(clusters.groups[i]): int(i) for i in record[::-1] if clusters.groups[i] in coarse.groups[list(worst)]}
    return UnreachableConstraints(tuple(sorted(witness.values())), reachable, max(1, to_suppress))


def _holding(transactions: Transactions, item: int) -> set[int]:
    """The records that hold an item."""
    rows = rows_of(transactions.offsets)
    return set(rows[transactions.items == item].tolist())


def refusal_text(
    clusters: ItemClusters, utility: UtilityPolicy | None, constraint: Itemset, k: int, reached: int, to_suppress: int
) -> str:
    """Which constraint cannot be met inside which utility constraints, and what to relax; the clusters must be single items."""
    domain = clusters.transactions.domain
    shortfall = (
        f"the privacy constraint {_listed([domain[i] for i in constraint])} reaches {reached} of the k={k} required records"
    )
    if utility is None:
        n = int((clusters.transactions.lengths > 0).sum())
        return f"{shortfall}: only {n} records hold linkable items; lower k"
    limits = " and ".join(_listed(utility.groups[u]) for u in sorted({int(clusters.groups[i]) for i in constraint}))
    n = int(clusters.present.sum())
    share = math.ceil(10_000 * to_suppress / n) / 10_000  # rounded up, so that it is enough
    ways = f"allow suppression of at least {to_suppress} of {n} items ({share:.4f}; {utility.suppression:g} is set)"
    partner = _partner(clusters, constraint, k)
    if partner is not None:
        ways += f", or let the items of {_listed(utility.groups[partner[0]])} and {_listed(utility.groups[partner[1]])} "
        ways += "be generalized together"
    return f"{shortfall} with its items generalized as far as the utility constraints {limits} allow; {ways}"


def _partner(clusters: ItemClusters, constraint: Itemset, k: int) -> tuple[int, int] | None:
    """Two groups that, generalized together, would satisfy the constraint: the rarest such; None where no two would."""
    coarse, group_item = _coarsest(clusters)
    groups = sorted({int(group_item[i]) for i in constraint}, key=lambda c: int(coarse.supports[c]))
    others = np.flatnonzero(coarse.supports)
    holding = cache(partial(_holding, coarse.transactions))
    for c in groups:
        for g in others[np.argsort(coarse.supports[others], kind="stable")].tolist():
            rows = holding(c) | holding(g)
            rest = [holding(other) for other in groups if other not in (c, g)]
            if g != c and len(rows.intersection(*rest)) >= k:
                return int(coarse.groups[c]), int(coarse.groups[g])
    return None


def _listed(names: tuple[str, ...] | list[str]) -> str:
    more = f", ... {len(names)} items" if len(names) > NAMES_LISTED else ""
    return f"({', '.join(names[:NAMES_LISTED])}{more})"
