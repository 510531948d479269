"""From policies, which name items, to what a run needs: clusters with groups and weights, a queue, and the guarantees."""

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import numpy as np

from anonset.algorithms.constraints._kernels.rare_itemsets import list_rare_itemsets
from anonset.algorithms.constraints.clusters import ClusterPlaces, ClusterWeights, ItemClusters
from anonset.algorithms.constraints.queues import (
    AllItemsetsQueue,
    CodedItemsets,
    ListedQueue,
    Protected,
    Queue,
    StaticQueue,
    coded,
    coded_names,
    maximal_rare_transactions,
)
from anonset.errors import Call, Fix, InputError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.guarantees import CompleteK, Constraints, Guarantee, KmAnonymity, UtilityConstraints
from anonset.model.policy import AllItemsets, Itemsets, PrivacyPolicy, UtilityPolicy
from anonset.model.sets import offsets_of

Order = Literal["current", "static"]


def make_clusters(
    data: Dataset, utility: UtilityPolicy | None, *, semantic: bool = False, make: Callable[..., ItemClusters] = ItemClusters
) -> ItemClusters:
    """Every item a cluster of its own, with the group and the weight that the utility policy gives it.

    `semantic`: a cluster also weighs more the wider its items are spread over the hierarchy.
    """
    linkable = data.linkable
    d = len(linkable.domain)
    places = _places(data) if semantic else None
    if utility is None:
        return make(linkable, np.zeros(d, np.int32), places=places)
    groups = item_groups(data, utility)
    uncovered = np.flatnonzero((groups < 0) & (linkable.supports > 0))
    if len(uncovered):
        raise InputError(
            f"{len(uncovered)} items are in no utility constraint, e.g. {linkable.domain[uncovered[0]]!r}",
            fix=[Fix("name them"), Fix("let each be a group of its own ({})", Call("UtilityPolicy.completed"))],
        )
    weights = [Fraction(utility.weights.get(name, 1.0)) for name in linkable.domain]
    return make(linkable, groups, ClusterWeights(weights) if len(set(weights)) > 1 else None, places)


def _places(data: Dataset) -> ClusterPlaces:
    if data.item_hierarchy is None:
        raise InputError("semantic weights need a hierarchy of the items; give one, or leave weights = equal")
    return ClusterPlaces(data.item_hierarchy)


def item_groups(data: Dataset, utility: UtilityPolicy) -> Ids:
    """For each item its utility constraint, -1 for none; names that the data do not have are ignored."""
    assert data.transactions is not None
    group = {name: u for u, names in enumerate(utility.groups) for name in names}
    return np.array([group.get(name, -1) for name in data.transactions.domain], np.int32)


def allowed_suppressions(clusters: ItemClusters, utility: UtilityPolicy | None) -> int:
    """How many items may be suppressed: a share of those that occur."""
    if utility is None:
        return 0
    n = int(clusters.present.sum())
    allowed = int(utility.suppression * n)
    return allowed if allowed == 0 or allowed / n <= utility.suppression else allowed - 1


def protected_sets(data: Dataset, clusters: ItemClusters, privacy: PrivacyPolicy, k: int) -> Protected:
    """What is to be protected: all itemsets, or listed ones; the clusters must be single items."""
    if isinstance(privacy, AllItemsets):
        return privacy
    if isinstance(privacy, Itemsets):
        return coded_names(data, privacy.itemsets)
    return maximal_rare_transactions(data.linkable, clusters, k)


def make_queue(clusters: ItemClusters, protected: Protected, k: int, order: Order = "current") -> Queue:
    """The queue of the constraints; the clusters must be single items."""
    if isinstance(protected, AllItemsets):
        if order == "current":
            return AllItemsetsQueue(clusters, k, protected.m)
        rare, supports = rare_itemsets(clusters, protected.m, k)
        return StaticQueue(clusters, k, rare, supports, lambda: AllItemsetsQueue(clusters, k, protected.m, ranked=False))
    if order == "current":
        return ListedQueue(clusters, k, protected)
    supports = protected.supports(clusters, k)
    open_now = (supports > 0) & (supports < k)
    rest = lambda: ListedQueue(clusters, k, protected, ranked=False)  # noqa: E731 - a function for one call
    return StaticQueue(clusters, k, protected.take(open_now), supports[open_now], rest)


def rare_itemsets(clusters: ItemClusters, m: int, k: int) -> tuple[CodedItemsets, Ids]:
    """All sets of at most m items with a support in 1..k-1, and their supports."""
    t = clusters.transactions
    m = max(1, min(m, int(t.lengths.max(initial=1))))
    out, supports = np.empty((0, m), np.int32), np.empty(0, np.int32)
    for _ in range(2):  # the first pass counts, the second writes
        n = list_rare_itemsets(m, k, clusters.alone, clusters.records.rows, clusters.records.holders, out, supports)
        if n == len(supports):
            break
        out, supports = np.empty((n, m), np.int32), np.empty(n, np.int32)
    sizes = (out >= 0).sum(axis=1)
    order = np.lexsort((*out.T[::-1], sizes))
    out = out[order]
    return coded(offsets_of(sizes[order]), out[out >= 0]), supports[order]


def promises(privacy: PrivacyPolicy, utility: UtilityPolicy | None, k: int) -> tuple[Guarantee, ...]:
    """The guarantees a release under these policies carries."""
    promise: Guarantee
    if isinstance(privacy, AllItemsets):
        promise = KmAnonymity(k, privacy.m)
    elif isinstance(privacy, Itemsets):
        promise = Constraints(k, privacy.itemsets)
    else:
        promise = CompleteK(k)
    return (promise,) if utility is None else (promise, UtilityConstraints(utility.groups, utility.suppression))
