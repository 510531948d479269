"""From policies to a release: what pcta, upcta and coat do alike."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.constraints.absent import AbsentToo
from anonset.algorithms.constraints.clusters import Clusters
from anonset.algorithms.constraints.feasibility import check_feasible, refusal
from anonset.algorithms.constraints.policies import (
    Order,
    allowed_suppressions,
    make_clusters,
    make_queue,
    promises,
    protected_sets,
)
from anonset.algorithms.constraints.protection import Choice, History, Step, protect
from anonset.algorithms.constraints.queues import Queue
from anonset.algorithms.recoding import exact_columns, group_text, items_in_groups
from anonset.errors import InfeasibleError
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Part
from anonset.model.labels import GeneralizedItems
from anonset.model.parameters import K, M, check_parameters
from anonset.model.policy import AllItemsets, PrivacyPolicy, UtilityPolicy
from anonset.model.progress import Progress
from anonset.model.release import Release, Trace
from anonset.model.transactions import item_order

PrivacyParameter = Annotated[PrivacyPolicy | None, "itemsets to protect; none: every set of at most m items"]
UtilityParameter = Annotated[UtilityPolicy | None, "which items may be generalized together; none: any"]
Queueing = Annotated[Order, "which support puts a constraint first: the one now or the original one"]
Weighing = Annotated[
    Literal["equal", "semantic"], "what a generalized item weighs: as any other, or as its items are spread over the hierarchy"
]
Refine = Annotated[bool, "split generalized items again where the constraints allow it"]


@dataclass(frozen=True, slots=True)
class ConstraintBased:
    """What every constraint-based algorithm is asked for."""

    k: K
    m: M = 2
    privacy: PrivacyParameter = None
    queue: Queueing = "current"
    weights: Weighing = "equal"
    refine: Refine = False
    name: ClassVar[str]
    guarantee: ClassVar[str] = "km-anonymity, complete-k or constraints, as the privacy policy has it"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    randomized: ClassVar[bool] = False
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})
    comparator: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)


@dataclass(frozen=True, slots=True)
class UtilityBound(ConstraintBased):
    """What an algorithm is asked for that keeps utility constraints."""

    utility: UtilityParameter = None
    guarantee: ClassVar[str] = "km-anonymity, complete-k or constraints, and utility-constraints, as the policies have it"


def release_under(
    algorithm: ConstraintBased,
    data: Dataset,
    *,
    choose: Choice,
    utility: UtilityPolicy | None,
    progress: Progress,
    absent_too: bool = False,
) -> Release:
    """The release in which no constraint of the policies is open; InfeasibleError that says what to relax where none is.

    With `absent_too` a constraint that no record holds is open as well.
    """
    k = algorithm.k
    if k > len(data):
        raise InfeasibleError(f"k={k} exceeds the {len(data)} records of the dataset")
    privacy = algorithm.privacy if algorithm.privacy is not None else AllItemsets(algorithm.m)
    clusters = make_clusters(data, utility, semantic=algorithm.weights == "semantic")
    protected = protected_sets(data, clusters, privacy, k)
    check_feasible(clusters, protected, utility, k)
    queue = make_queue(clusters, protected, k, algorithm.queue)
    queue = AbsentToo(queue, clusters, protected) if absent_too else queue
    least = 0 if absent_too else 1
    allowed = allowed_suppressions(clusters, utility)
    refuse = refusal(data, clusters, utility, k)
    history = protect(clusters, queue, k, choose=choose, allowed=allowed, refuse=refuse, progress=progress, least=least)
    if algorithm.refine:
        split_again(clusters, queue, progress)
    release = Release(
        exact_columns(data),
        _published(data, clusters),
        promises(privacy, utility, k),
        provenance(algorithm),
        np.arange(len(data), dtype=np.int64),
        trace=trace_of(clusters, history, k),
    )
    progress(1.0)
    return release


def _published(data: Dataset, clusters: Clusters) -> GeneralizedItems:
    domain = clusters.transactions.domain
    texts = list(domain)
    for cluster, items in clusters.members.items():
        if len(items) > 1:
            texts[cluster] = group_text(item_order(domain[i] for i in items))
    return items_in_groups(data, clusters.cluster_of, texts)


def split_again(clusters: Clusters, queue: Queue, progress: Progress) -> None:
    """Take items out of generalized items, the most frequent first, as long as no constraint opens.

    The largest generalized items, which cost most, come first. An item may leave alone; what is left may lose more.
    """
    supports = clusters.transactions.supports
    large = sorted((c for c, items in clusters.members.items() if len(items) > 1), key=lambda c: (-clusters.sizes[c], c))
    for done, cluster in enumerate(large):
        rest = cluster
        for item in sorted(clusters.members[cluster], key=lambda i: (-supports[i], i)):
            if clusters.sizes[rest] > 1:
                rest = _without(clusters, queue, rest, item)
        progress(done / len(large))


def _without(clusters: Clusters, queue: Queue, cluster: int, item: int) -> int:
    """Take an item out of a cluster if that opens nothing; return the cluster that the others are in."""
    rest = clusters.take_out(item)
    if queue.lets_out(item, cluster, rest):
        return rest
    queue.merging(cluster, max(item, rest))
    clusters.merge(cluster, max(item, rest))
    return cluster


def trace_of(clusters: Clusters, history: History, k: int) -> Trace:
    """One object for each generalized item and each suppression: members, support, the constraints that forced it."""
    domain = clusters.transactions.domain
    forced: dict[int, list[Step]] = defaultdict(list)
    for step in history.merges:
        if (cluster := int(clusters.cluster_of[step.items[0]])) >= 0:
            forced[cluster].append(step)
    rows = [
        _row("generalized", sorted(items), int(clusters.supports[cluster]), forced[cluster], domain, k)
        for cluster, items in sorted(clusters.members.items())
        if len(items) > 1
    ]
    rows += [_row("suppressed", sorted(step.items), 0, [step], domain, k) for step in history.suppressions]
    return tuple(rows)


def _row(action: str, items: list[int], support: int, steps: list[Step], domain: tuple[str, ...], k: int) -> dict[str, Any]:
    names = [domain[i] for i in items]
    because: list[dict[str, Any]] = []
    for step in steps:
        constraint = [domain[i] for i in step.constraint]
        if not because or because[-1]["constraint"] != constraint:
            because.append({"constraint": constraint, "support": step.support})
    return {
        "action": action,
        "item": group_text(item_order(names)),
        "members": names,
        "support": support,
        "k": k,
        "because": because,
    }
