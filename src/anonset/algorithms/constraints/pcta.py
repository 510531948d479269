"""PCTA and UPCTA ([003] Algorithms 1 and 2), and COAT ([003] section 2.4, [001] section 2.3).

Every item starts as a cluster of its own; a cluster is published as one generalized item. All three take one privacy constraint
after the other and merge clusters until k records hold it. The steps of the two algorithms in [003], and where they are here:

| PCTA   | UPCTA  |                                                                    |                           |
|--------|--------|--------------------------------------------------------------------|---------------------------|
| 1, 2   | 1, 2   | clusters of one item, a queue of the privacy constraints           | `protected_clusters`      |
| 3, 4   | 3, 4   | p is the open constraint with the highest support                  | `satisfy`, `queues`       |
| 5-11   | 5-13   | the clusters in which the items of p are now                       | `ItemClusters.translate`  |
| 12, 15 | 14, 17 | while p is open                                                    | `satisfy`                 |
| 16-21  | 18-25  | the cheapest merge of an item of p (COAT: of one picked item)      | `choose_merge`            |
| 22-26  | 26-31  | merge                                                              | `ItemClusters.merge`      |
|        | 32-38  | no merge is allowed: suppress the cluster that fewest records hold | `ItemClusters.suppress`   |
|        | 39, 40 | refuse where more items are suppressed than allowed                | `satisfy`, `feasibility`  |
| 28     | 42     | the release                                                        | `grouped_release`         |

[003] A. Gkoulalas-Divanis, G. Loukides: Utility-guided Clustering-based Transaction Data Anonymization. Transactions on Data
Privacy 5, 2012. COAT is of G. Loukides, A. Gkoulalas-Divanis, B. Malin: COAT: COnstraint-based Anonymization of Transactions.
Knowledge and Information Systems 28(2), 2011.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from anonset.algorithms.base import BaseAlgorithm, provenance
from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.algorithms.constraints.feasibility import Refusal, check_feasible, refusal
from anonset.algorithms.constraints.policies import (
    Order,
    allowed_suppressions,
    make_clusters,
    make_queue,
    promises,
    protected_sets,
)
from anonset.algorithms.constraints.queues import Itemset, Queue, WithAbsentSets
from anonset.algorithms.recoding import exact_columns, group_text, items_in_groups
from anonset.errors import InfeasibleError, ParameterError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset, item_order
from anonset.model.guarantees import Part
from anonset.model.parameters import K, M, Protect, Seed, check_parameters
from anonset.model.policy import AllItemsets, PrivacyPolicy, UtilityPolicy
from anonset.model.progress import Progress, silent
from anonset.model.release import Release, Trace

PrivacyParameter = Annotated[PrivacyPolicy | None, "itemsets to protect; none: every set of at most m items"]
UtilityParameter = Annotated[UtilityPolicy | None, "which items may be generalized together; none: any"]
Queueing = Annotated[Order, "which support puts a constraint first: the one now or the original one"]
Weighing = Annotated[
    Literal["equal", "semantic"], "what a generalized item weighs: as any other, or as its items are spread over the hierarchy"
]
Refine = Annotated[bool, "split generalized items again where the constraints allow it"]
Absent = Annotated[
    Literal["satisfied", "merged"],
    "itemsets that no record holds: satisfied ([003] Definition 5), or merged until k records do (Algorithm 1 as printed)",
]
Picking = Annotated[
    Literal["commonest", "rarest", "first"],
    "which item of a constraint is generalized: the one of most or fewest records, or the first",
]
MergeChoice = Callable[[ItemClusters, Ids], tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class ConstraintBased(BaseAlgorithm):
    """The parameters of every constraint-based algorithm, and what they do unless one of them does otherwise."""

    k: K
    m: M = 2
    privacy: PrivacyParameter = None
    queue: Queueing = "current"
    weights: Weighing = "equal"
    refine: Refine = False
    guarantee: ClassVar[str] = "km-anonymity, complete-k or constraints, as the privacy policy has it"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})

    @property
    def utility_policy(self) -> UtilityPolicy | None:
        """The groups of items that may be generalized together; None: any."""
        return None

    @property
    def absent_too(self) -> bool:
        """Whether a constraint that no record holds is open as well."""
        return False

    def merge_first(self, clusters: ItemClusters) -> None:
        """Merge clusters before the first constraint is looked at: none."""

    def choose_merge(self, clusters: ItemClusters, p: Ids) -> tuple[int, int] | None:
        """The two clusters to merge next for the constraint p: the cheapest merge of any item of p."""
        return clusters.cheapest_merge(p)

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The data with items generalized inside the utility constraints, or suppressed, until no constraint is open."""
        if self.k > len(data):
            raise InfeasibleError(f"k={self.k} exceeds the {len(data)} records of the dataset")
        clusters, history = protected_clusters(self, data, progress)
        release = grouped_release(self, data, clusters.cluster_of, trace_of(clusters, history, self.k))
        progress(1.0)
        return release


@dataclass(frozen=True, slots=True)
class UtilityBound(ConstraintBased):
    """A constraint-based algorithm that generalizes items only inside the groups of a utility policy."""

    utility: UtilityParameter = None
    guarantee: ClassVar[str] = "km-anonymity, complete-k or constraints, and utility-constraints, as the policies have it"

    @property
    def utility_policy(self) -> UtilityPolicy | None:
        """The utility policy that is given."""
        return self.utility


@dataclass(frozen=True, slots=True)
class Pcta(ConstraintBased):
    """Any item may be generalized with any other; nothing is suppressed."""

    absent: Absent = "satisfied"
    protect: Protect = "no"
    seed: Seed = None
    name: ClassVar[str] = "pcta"
    title: ClassVar[str] = "Clustering under privacy constraints (PCTA)"
    paper: ClassVar[str] = "[003] Algorithm 1"

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.protect == "inversion" and self.refine:
            raise ParameterError("protect = inversion merges items by chance, and refine would split them again: leave it out")

    def merge_first(self, clusters: ItemClusters) -> None:
        """Merge items by chance: every partition may be the start, and one that keeps the promise stays as it is."""
        if self.protect == "inversion":
            merge_by_chance(clusters, np.random.default_rng(self.seed))

    @property
    def absent_too(self) -> bool:
        """Algorithm 1 as printed merges until k records hold every constraint."""
        return self.absent == "merged"


@dataclass(frozen=True, slots=True)
class Upcta(UtilityBound):
    """The cheapest merge of any item of the constraint comes first; suppression only where no merge is allowed."""

    name: ClassVar[str] = "upcta"
    title: ClassVar[str] = "Clustering under privacy and utility constraints (UPCTA)"
    paper: ClassVar[str] = "[003] Algorithm 2"


@dataclass(frozen=True, slots=True)
class Coat(UtilityBound):
    """One item of the constraint is merged at a time; suppression only where no item of it can be merged any more."""

    pick: Picking = "rarest"
    name: ClassVar[str] = "coat"
    title: ClassVar[str] = "Constraint-based anonymization of transactions (COAT)"
    paper: ClassVar[str] = "[003] section 2.4"

    def choose_merge(self, clusters: ItemClusters, p: Ids) -> tuple[int, int] | None:
        """The cheapest merge of one item of p, the first in the order of `pick` that has any."""
        merges = (clusters.cheapest_merge(np.array([item], np.int32)) for item in self._picked(clusters, p))
        return next((merge for merge in merges if merge is not None), None)

    def _picked(self, clusters: ItemClusters, p: Ids) -> list[int]:
        """The clusters of p in the order in which they are generalized; ties: the smallest id."""
        if self.pick == "first":
            return sorted(p.tolist())
        sign = -1 if self.pick == "commonest" else 1
        return sorted(p.tolist(), key=lambda a: (sign * int(clusters.supports[a]), a))


MERGED = 0.05  # chance of an item to join the cluster of another one, drawn at random, before anything else


def merge_by_chance(clusters: ItemClusters, rng: np.random.Generator) -> None:
    """Let items join the clusters of others; every partition of the items has a chance.

    Whatever dataset a release is true of may then have led to it, so that nobody who knows the algorithm can exclude a
    candidate (docs/decisions/006-local-recoding.md).
    """
    items = np.flatnonzero(clusters.present)
    for item in items[rng.random(len(items)) < MERGED].tolist():
        mine, other = int(clusters.cluster_of[item]), int(clusters.cluster_of[rng.choice(items)])
        if mine != other:
            clusters.merge(min(mine, other), max(mine, other))


def protected_clusters(
    algorithm: ConstraintBased, data: Dataset, progress: Progress, make: Callable[..., ItemClusters] = ItemClusters
) -> tuple[ItemClusters, "History"]:
    """The clusters in which no constraint of the policies is open; InfeasibleError that says what to relax where none are."""
    k, utility = algorithm.k, algorithm.utility_policy
    clusters = make_clusters(data, utility, semantic=algorithm.weights == "semantic", make=make)  # step 1
    protected = protected_sets(data, clusters, privacy_of(algorithm), k)
    check_feasible(clusters, protected, utility, k)
    algorithm.merge_first(clusters)
    queue = make_queue(clusters, protected, k, algorithm.queue)  # step 2
    if algorithm.absent_too:
        queue = WithAbsentSets(queue, clusters, protected)
    history = satisfy(
        clusters,
        queue,
        k,
        least=0 if algorithm.absent_too else 1,
        choose=algorithm.choose_merge,
        allowed=allowed_suppressions(clusters, utility),
        refuse=refusal(data, clusters, utility, k),
        progress=progress,
    )
    if algorithm.refine:
        split_again(clusters, queue, progress)
    return clusters, history


@dataclass(frozen=True, slots=True)
class Step:
    """One merge (the cluster of `items` went into another) or suppression, and the constraint that forced it."""

    items: tuple[int, ...]
    constraint: Itemset
    support: int


@dataclass(slots=True)
class History:
    """The merges and suppressions so far, in order."""

    merges: list[Step] = field(default_factory=list)
    suppressions: list[Step] = field(default_factory=list)

    @property
    def n_suppressed(self) -> int:
        """The number of items suppressed so far."""
        return sum(len(step.items) for step in self.suppressions)


def satisfy(
    clusters: ItemClusters,
    queue: Queue,
    k: int,
    *,
    least: int,
    choose: MergeChoice,
    allowed: int,
    refuse: Refusal,
    progress: Progress,
) -> History:
    """Merge and suppress until no constraint has a support from `least` to k - 1.

    Raises what `refuse` makes where more than `allowed` items would have to be suppressed. Step numbers are those of UPCTA.
    """
    history = History()
    n = max(1, len(clusters.members))
    while (found := queue.top()) is not None:  # steps 3 and 4
        constraint, support = found
        p = clusters.translate(constraint)  # steps 5 to 13
        while least <= support < k:  # steps 14 and 17
            pair = choose(clusters, p)  # steps 18 to 25
            if pair is not None:
                low, high = pair
                queue.merging(low, high)
                clusters.merge(low, high)  # steps 26 to 31
                queue.merged(low)
                history.merges.append(Step((high,), constraint, support))
            else:
                cluster = clusters.least_supported(p)  # step 33
                items = tuple(clusters.members[cluster])
                if history.n_suppressed + len(items) > allowed:  # steps 39 and 40
                    raise refuse(constraint, support, cluster, history.n_suppressed)
                clusters.suppress(cluster)  # steps 34 to 38
                queue.suppressed(cluster)
                history.suppressions.append(Step(items, constraint, support))
            p = clusters.translate(constraint)
            support = clusters.support(p, k)
        progress(1.0 - len(clusters.members) / n)
    return history


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
    if queue.allows_take_out(item, cluster, rest):
        return rest
    queue.merging(cluster, max(item, rest))
    clusters.merge(cluster, max(item, rest))
    return cluster


def privacy_of(algorithm: ConstraintBased) -> PrivacyPolicy:
    """The itemsets that the algorithm protects."""
    return algorithm.privacy if algorithm.privacy is not None else AllItemsets(algorithm.m)


def grouped_release(algorithm: ConstraintBased, data: Dataset, cluster_of: Ids, trace: Trace = ()) -> Release:
    """The release in which items are published as the clusters they are in, and suppressed where they are in none."""
    assert data.transactions is not None
    texts = cluster_texts(cluster_of, data.transactions.domain)
    promised = promises(privacy_of(algorithm), algorithm.utility_policy, algorithm.k)
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
