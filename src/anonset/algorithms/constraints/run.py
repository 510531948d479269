"""From policies to a release: what pcta, upcta and coat do alike."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

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
from anonset.algorithms.constraints.protection import Choice, protect
from anonset.algorithms.constraints.refinement import split_again
from anonset.algorithms.constraints.trace import trace_of
from anonset.algorithms.recoding import exact_columns, group_text, items_in_groups
from anonset.errors import InfeasibleError
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Part
from anonset.model.labels import GeneralizedItems
from anonset.model.parameters import K, M, check_parameters
from anonset.model.policy import AllItemsets, PrivacyPolicy, UtilityPolicy
from anonset.model.progress import Progress
from anonset.model.release import Release
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
