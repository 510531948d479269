"""From policies to a release: what pcta, upcta and coat do alike."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.constraints.absent import AbsentToo
from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.algorithms.constraints.feasibility import check_feasible, refusal
from anonset.algorithms.constraints.policies import (
    Order,
    allowed_suppressions,
    make_clusters,
    make_queue,
    promises,
    protected_sets,
)
from anonset.algorithms.constraints.protection import Choice, History, Step, of_any_item, protect
from anonset.algorithms.constraints.queues import Queue
from anonset.algorithms.recoding import exact_columns, group_text, items_in_groups
from anonset.errors import InfeasibleError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Part
from anonset.model.parameters import K, M, check_parameters
from anonset.model.policy import AllItemsets, PrivacyPolicy, UtilityPolicy
from anonset.model.progress import Progress, silent
from anonset.model.release import Release, Trace
from anonset.model.transactions import item_order

PrivacyParameter = Annotated[PrivacyPolicy | None, "itemsets to protect; none: every set of at most m items"]
UtilityParameter = Annotated[UtilityPolicy | None, "which items may be generalized together; none: any"]
Queueing = Annotated[Order, "which support puts a constraint first: the one now or the original one"]
Weighing = Annotated[
    Literal["equal", "semantic"], "what a generalized item weighs: as any other, or as its items are spread over the hierarchy"
]
Refine = Annotated[bool, "split generalized items again where the constraints allow it"]


class Wishes(NamedTuple):
    """Which merge is chosen, inside which policy; with `absent_too` a constraint that no record holds is open as well."""

    choose: Choice = of_any_item
    utility: UtilityPolicy | None = None
    absent_too: bool = False


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
    title: ClassVar[str]
    paper: ClassVar[str]
    guarantee: ClassVar[str] = "km-anonymity, complete-k or constraints, as the privacy policy has it"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    randomized: ClassVar[bool] = False
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})
    comparator: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def wishes(self) -> Wishes:
        """What tells one such algorithm from another."""
        return Wishes()

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data with items generalized inside the utility constraints, or suppressed, until no constraint is open."""
        return release_under(self, data, progress)


@dataclass(frozen=True, slots=True)
class UtilityBound(ConstraintBased):
    """What an algorithm is asked for that keeps utility constraints."""

    utility: UtilityParameter = None
    guarantee: ClassVar[str] = "km-anonymity, complete-k or constraints, and utility-constraints, as the policies have it"

    @property
    def wishes(self) -> Wishes:
        """The utility policy is kept."""
        return Wishes(utility=self.utility)


def settle(
    algorithm: ConstraintBased, data: Dataset, progress: Progress, make: Callable[..., ItemClusters] = ItemClusters
) -> tuple[ItemClusters, History]:
    """The clusters in which no constraint of the policies is open; InfeasibleError that says what to relax where none are."""
    k, (choose, utility, absent_too) = algorithm.k, algorithm.wishes
    clusters = make_clusters(data, utility, semantic=algorithm.weights == "semantic", make=make)
    protected = protected_sets(data, clusters, privacy_of(algorithm), k)
    check_feasible(clusters, protected, utility, k)
    queue = make_queue(clusters, protected, k, algorithm.queue)
    queue = AbsentToo(queue, clusters, protected) if absent_too else queue
    least = 0 if absent_too else 1
    allowed = allowed_suppressions(clusters, utility)
    refuse = refusal(data, clusters, utility, k)
    history = protect(clusters, queue, k, choose=choose, allowed=allowed, refuse=refuse, progress=progress, least=least)
    if algorithm.refine:
        split_again(clusters, queue, progress)
    return clusters, history


def privacy_of(algorithm: ConstraintBased) -> PrivacyPolicy:
    """What is to be protected."""
    return algorithm.privacy if algorithm.privacy is not None else AllItemsets(algorithm.m)


def release_under(algorithm: ConstraintBased, data: Dataset, progress: Progress) -> Release:
    """The release in which no constraint of the policies is open."""
    if algorithm.k > len(data):
        raise InfeasibleError(f"k={algorithm.k} exceeds the {len(data)} records of the dataset")
    clusters, history = settle(algorithm, data, progress)
    release = grouped_release(algorithm, data, clusters.cluster_of, trace_of(clusters, history, algorithm.k))
    progress(1.0)
    return release


def grouped_release(algorithm: ConstraintBased, data: Dataset, cluster_of: Ids, trace: Trace = ()) -> Release:
    """The release in which items are published as the clusters they are in, and suppressed where they are in none."""
    assert data.transactions is not None
    texts = cluster_texts(cluster_of, data.transactions.domain)
    promised = promises(privacy_of(algorithm), algorithm.wishes.utility, algorithm.k)
    rows = np.arange(len(data), dtype=np.int64)
    items = items_in_groups(data, cluster_of, texts)
    return Release(exact_columns(data), items, promised, provenance(algorithm), rows, trace=trace)


def cluster_texts(cluster_of: Ids, domain: tuple[str, ...]) -> list[str]:
    """How each cluster is shown, by its smallest item."""
    texts, members = list(domain), defaultdict[int, list[str]](list)
    for i, cluster in enumerate(cluster_of.tolist()):
        members[cluster].append(domain[i])
    for cluster, names in members.items():
        if cluster >= 0 and len(names) > 1:
            texts[cluster] = group_text(item_order(names))
    return texts


def split_again(clusters: ItemClusters, queue: Queue, progress: Progress) -> None:
    """Take items out of generalized items, the most frequent first, as long as no constraint opens.

    The largest generalized items, which cost most, come first. An item may leave alone; what is left may lose more.
    """
    supports = clusters.item_supports
    large = sorted((c for c, items in clusters.members.items() if len(items) > 1), key=lambda c: (-clusters.sizes[c], c))
    for done, cluster in enumerate(large):
        rest = cluster
        for item in sorted(clusters.members[cluster], key=lambda i: (-supports[i], i)):
            if clusters.sizes[rest] > 1:
                rest = _without(clusters, queue, rest, item)
        progress(done / len(large))


def _without(clusters: ItemClusters, queue: Queue, cluster: int, item: int) -> int:
    """Take an item out of a cluster if that opens nothing; return the cluster that the others are in."""
    rest = clusters.take_out(item)
    if queue.lets_out(item, cluster, rest):
        return rest
    queue.merging(cluster, max(item, rest))
    clusters.merge(cluster, max(item, rest))
    return cluster


def trace_of(clusters: ItemClusters, history: History, k: int) -> Trace:
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
