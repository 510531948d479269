"""PCTA, UPCTA and COAT ([003] Algorithms 1 and 2, section 2.4; [001] section 2.3): from policies to a release by merging
clusters of items until every privacy constraint is satisfied.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.algorithms.constraints.policies import (
    Order,
    Protected,
    allowed_suppressions,
    make_clusters,
    make_queue,
    promises,
    protected_sets,
)
from anonset.algorithms.constraints.protection import (
    Choice,
    History,
    Pick,
    Step,
    check_feasible,
    of_any_item,
    of_picked_item,
    protect,
    refusal,
)
from anonset.algorithms.constraints.queues import CodedItemsets, Itemset, Open, Queue
from anonset.algorithms.recoding import exact_columns, group_text, items_in_groups
from anonset.errors import InfeasibleError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset, item_order
from anonset.model.guarantees import Part
from anonset.model.parameters import K, M, check_parameters
from anonset.model.policy import AllItemsets, PrivacyPolicy, UtilityPolicy
from anonset.model.progress import Progress, silent
from anonset.model.release import Release, Trace


class AbsentToo:
    """The constraints of another queue first, then those with support 0, in order; items that no record holds stay out."""

    def __init__(self, others: Queue, clusters: ItemClusters, protected: Protected) -> None:
        self._others, self._clusters, self._protected = others, clusters, protected
        self._listed = _occurring(protected, clusters) if isinstance(protected, CodedItemsets) else []
        self._held = 0  # so many of the listed ones, from the start, are held: merging leaves them so

    def top(self) -> Open | None:
        """The open constraint that comes first, or one that no record holds."""
        found = self._others.top()
        if found is not None:
            return found
        absent = self._absent()
        return None if absent is None else Open(absent, 0)

    def _absent(self) -> Itemset | None:
        """The first constraint that no record holds."""
        if isinstance(self._protected, AllItemsets):
            return next(absent_sets(self._clusters, self._protected.m), None)
        while self._held < len(self._listed) and self._is_held(self._listed[self._held]):
            self._held += 1
        return self._listed[self._held] if self._held < len(self._listed) else None

    def _is_held(self, itemset: Itemset) -> bool:
        return self._clusters.support(self._clusters.translate(itemset), 1) > 0

    def merging(self, low: int, high: int) -> None:
        """Tell the other queue."""
        self._others.merging(low, high)

    def merged(self, cluster: int) -> None:
        """Tell the other queue."""
        self._others.merged(cluster)

    def suppressed(self, cluster: int) -> None:
        """Tell the other queue."""
        self._others.suppressed(cluster)

    def lets_out(self, item: int, cluster: int, rest: int) -> bool:
        """Whether the other queue lets it out, and no constraint is without records then."""
        if not self._others.lets_out(item, cluster, rest):
            return False
        self._held = 0
        return self._absent() is None


def absent_sets(clusters: ItemClusters, m: int) -> Iterator[Itemset]:
    """The sets of 2 .. m clusters that no record holds, small ones first, then by ids."""
    live = np.flatnonzero(clusters.supports > 0)
    for p, a in enumerate(live.tolist()):
        others = live[p + 1 :]
        for b in others[clusters.pair_counts(a)[others] == 0].tolist():
            yield (a, b)
    for size in range(3, m + 1):
        for chosen in combinations(live.tolist(), size):
            if clusters.support(np.array(chosen, np.int32), 1) == 0:
                yield chosen


def _occurring(listed: CodedItemsets, clusters: ItemClusters) -> list[Itemset]:
    """The listed itemsets all of whose items occur."""
    found = (listed[q] for q in range(len(listed)))
    return [itemset for itemset in found if clusters.present[list(itemset)].all()]


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


Absent = Annotated[
    Literal["satisfied", "merged"],
    "itemsets that no record holds: satisfied ([003] Definition 5), or merged until k records do (Algorithm 1 as printed)",
]


@dataclass(frozen=True, slots=True)
class Pcta(ConstraintBased):
    """Any item may be generalized with any other; nothing is suppressed."""

    absent: Absent = "satisfied"
    name: ClassVar[str] = "pcta"
    title: ClassVar[str] = "Clustering under privacy constraints (PCTA)"
    paper: ClassVar[str] = "[003] Algorithm 1"

    @property
    def wishes(self) -> Wishes:
        """Any merge is allowed."""
        return Wishes(absent_too=self.absent == "merged")


@dataclass(frozen=True, slots=True)
class Upcta(UtilityBound):
    """The cheapest merge of any item of the constraint comes first; suppression only where no merge is allowed."""

    name: ClassVar[str] = "upcta"
    title: ClassVar[str] = "Clustering under privacy and utility constraints (UPCTA)"
    paper: ClassVar[str] = "[003] Algorithm 2"


Picking = Annotated[Pick, "which item of a constraint is generalized: the one of most or fewest records, or the first"]


@dataclass(frozen=True, slots=True)
class Coat(UtilityBound):
    """One item of the constraint is merged at a time; suppression only where no item of it can be merged any more."""

    pick: Picking = "commonest"
    name: ClassVar[str] = "coat"
    title: ClassVar[str] = "Constraint-based anonymization of transactions (COAT)"
    paper: ClassVar[str] = "[003] section 2.4"

    @property
    def wishes(self) -> Wishes:
        """The merge is chosen for one item."""
        return Wishes(of_picked_item(self.pick), self.utility)
