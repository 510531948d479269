"""What all RT algorithms share: their parameters, initial clusters that can be protected, and the release of final clusters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import numpy as np

from anonset.algorithms.base import BaseAlgorithm, provenance
from anonset.algorithms.constraints.pcta import Weighing
from anonset.algorithms.relational.encoding import Recoding, Weights, encode
from anonset.algorithms.relational.publication import generalize_columns
from anonset.algorithms.rt.cluster_merge import MergeState, cluster_states
from anonset.algorithms.rt.item_step import ItemOutcome, ItemPolicies, Items, make_step, relaxations
from anonset.algorithms.rt.trace import formed_rows, generalized_rows, joined_rows
from anonset.errors import Fix, InfeasibleError, InputError, ParameterError
from anonset.kernels.groups import Quasi, least_growth
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, KKm, KLm, Part, UtilityConstraints
from anonset.model.parameters import K, L, M, Seed, parameters
from anonset.model.policy import UtilityPolicy
from anonset.model.progress import Progress, silent
from anonset.model.release import Release, Trace

T = TypeVar("T")
ClusterBy = Annotated[str, "the relational algorithm that forms the initial clusters"]
ItemsBy = Annotated[str, "the transaction algorithm that generalizes the items of a cluster"]
Within = Annotated[UtilityPolicy | None, "which items may be generalized together, in every cluster; none: any"]
Tum = Annotated[Literal["ul-record", "ul-record-exact0"], "the loss of items: the paper's, or with exact items at no cost"]


@dataclass(frozen=True, slots=True)
class RtAlgorithm(BaseAlgorithm):
    """The parameters of every RT algorithm."""

    k: K
    m: M = 2
    l: L = 1  # noqa: E741 - the papers' letter
    items: ItemsBy = "lift"
    tum: Tum = "ul-record"
    recoding: Recoding = "nodes"
    weights: Weights = ""
    utility: Within = None
    item_weights: Weighing = "equal"
    guarantee: ClassVar[str] = "k-km, or k-lm where items are sensitive, and utility-constraints with a utility policy"
    needs: ClassVar[frozenset[str]] = frozenset({"items", "quasi"})
    randomized: ClassVar[bool] = True
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi", "items"})


@dataclass(frozen=True, slots=True)
class ClusterBasedRtAlgorithm(RtAlgorithm):
    """The parameters of an algorithm that starts from clusters by quasi values."""

    clusters: ClusterBy = "cluster"
    seed: Seed = None


def form_clusters(data: Dataset, name: str, values: dict[str, Any], *, progress: Progress = silent) -> list[Rows]:
    """The rows of each cluster that a relational algorithm forms: records with equal published quasi values.

    The algorithm gets those of the values that it has parameters for. Clusters are in the order of their first rows; those of
    an algorithm without a seed are in the order of what they publish, so that the order of the input does not matter.
    """
    from anonset.algorithms import ALGORITHMS, make  # the registry lists this module's algorithms, too

    known = {p.name for p in parameters(ALGORITHMS[name])} if name in ALGORITHMS else set(values)
    algorithm = make(name, {key: value for key, value in values.items() if key in known})
    release = algorithm.anonymize(
        replace(data, transactions=None, item_hierarchy=None, sensitive_items=None), progress=progress
    )
    if not release.quasi or len(release) < len(data):
        raise ParameterError(f"clusters must name an algorithm that publishes the quasi values of all records; {name} does not")
    codes = np.column_stack([column.codes for column in release.quasi])[np.argsort(release.rows)]
    _, first, group = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first)) if algorithm.randomized else np.arange(len(first))
    clusters = split(number[group.reshape(-1)])
    if any(len(rows) < values["k"] for rows in clusters):
        raise ParameterError(f"clusters must name an algorithm that forms groups of k={values['k']}; {name} does not")
    return clusters


def split(group: Rows) -> list[Rows]:
    """The rows of each group 0, 1, ..."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.cumsum(np.bincount(group))[:-1])


def join_unprotectable(
    quasi: Quasi,
    protect: Callable[[Sequence[Rows]], Sequence[T | None]],
    relax: Sequence[Fix],
    clusters: Sequence[Rows],
    n: int,
) -> tuple[MergeState, list[T], list[tuple[int, int]]]:
    """Clusters whose items can all be protected, what `protect` returns for them, and the pairs that were joined for it.

    A cluster in which fewer than k records have items, or in which a sensitive item is too frequent, cannot be protected on its
    own whatever is generalized. It joins the cluster that adds least to the NCP of all records, until it can.
    """
    state = MergeState.of(quasi, clusters, np.arange(len(clusters)), None)
    outcomes = list(protect(clusters))
    joined: list[tuple[int, int]] = []
    failing = {c for c, outcome in enumerate(outcomes) if outcome is None}
    if failing and protect([np.arange(n)])[0] is None:
        raise InfeasibleError("the items of all records together cannot be protected", fix=relax)
    waiting = [(float(state.losses[c]), int(state.sizes[c]), c) for c in failing]
    heapify(waiting)
    while failing:
        _, size, a = heappop(waiting)
        if a not in failing or size != state.sizes[a]:  # it was joined meanwhile
            continue
        b = least_growth(quasi, state.states, state.sizes, state.losses, a)
        c = state.merge(a, b)
        joined.append((a, b))
        outcomes[c] = protect([state.members[c]])[0]
        failing -= {a, b}
        if outcomes[c] is None:
            failing.add(c)
            heappush(waiting, (float(state.losses[c]), int(state.sizes[c]), c))
    return state, [outcome for c in state.alive if (outcome := outcomes[c]) is not None], joined


@dataclass(frozen=True, slots=True)
class InitialClusters:
    """Clusters by number whose items can all be protected, what their items become, and how they were formed."""

    quasi: Quasi
    items: Items
    outcomes: dict[int, ItemOutcome]
    n: int  # records of all clusters
    ncp: float  # of the mean record
    trace: Trace

    @property
    def ul(self) -> float:
        """UL of the mean record."""
        return sum(outcome.lost for outcome in self.outcomes.values()) / self.n

    @property
    def is_exact(self) -> bool:
        """Whether all items are published as they are, so that no merge can make them better."""
        return not any(outcome.general for outcome in self.outcomes.values())


def prepare(algorithm: ClusterBasedRtAlgorithm, data: Dataset, progress: Progress) -> InitialClusters:
    """Initial clusters whose items can all be protected, formed by a relational algorithm."""
    quasi, items = checked_inputs(algorithm, data)
    progress(0.0)
    values = {"k": algorithm.k, "recoding": algorithm.recoding, "weights": algorithm.weights, "seed": algorithm.seed}
    clusters = form_clusters(data, algorithm.clusters, values, progress=lambda done: progress(0.2 * done))
    return protectable_clusters(quasi, items, clusters, len(data))


def checked_inputs(algorithm: RtAlgorithm, data: Dataset) -> tuple[Quasi, Items]:
    """The coded quasi values and the item step; an error where the data lack what the algorithm needs."""
    if data.transactions is None or not data.quasi:
        raise InputError(f"{algorithm.name} needs quasi columns and a set-valued attribute")
    if algorithm.l > 1 and not (data.sensitive_items is not None and data.sensitive_items.any()):
        raise ParameterError(f"l={algorithm.l} needs sensitive items, and none are named")
    if algorithm.k > len(data):
        raise InfeasibleError(f"k={algorithm.k} exceeds the {len(data)} records of the dataset")
    _require_rare_secrets(data, algorithm.l)
    policies = ItemPolicies(algorithm.utility, algorithm.item_weights)
    step = make_step(data, algorithm.items, algorithm.k, algorithm.m, algorithm.l, policies)
    relax = relaxations(algorithm.items, algorithm.l, policies)
    items = Items(step, exact_weight=1.0 if algorithm.tum == "ul-record" else 0.0, relax=relax)
    return encode(data, algorithm.recoding, algorithm.weights), items


def _require_rare_secrets(data: Dataset, l: int) -> None:  # noqa: E741 - the papers' letter
    """Raise where a sensitive item is in more than 1/l of all records: then it is in some group of any release, too."""
    assert data.transactions is not None
    if l == 1 or data.sensitive_items is None:
        return
    supports = np.where(data.sensitive_items, data.transactions.supports, 0)
    n, worst = len(data), int(supports.argmax())
    most = int(supports[worst])
    if most * l > n:
        raise InfeasibleError(
            f"the sensitive item {data.transactions.domain[worst]!r} is in {most} of {n} records, more than 1 in l={l}: "
            f"some group of any release has it too often, however items are generalized; lower l to {n // most} or less"
        )


def protectable_clusters(quasi: Quasi, items: Items, clusters: Sequence[Rows], n: int) -> InitialClusters:
    """The given clusters of n records, joined where they cannot be protected on their own."""
    _, losses = cluster_states(quasi, clusters)
    state, outcomes, joined = join_unprotectable(quasi, items.outcomes, items.relax, clusters, n)
    by_number = {int(c): outcome for c, outcome in zip(state.alive, outcomes, strict=True)}
    return InitialClusters(quasi, items, by_number, n, state.lost / n, formed_rows(clusters, losses) + joined_rows(joined))


def published_sizes(data: Dataset, clusters: Sequence[Rows], recoding: Recoding) -> Rows:
    """How many records publish the same quasi values, with the values of each cluster generalized on its own."""
    columns = generalize_columns(data, _groups(clusters, len(data)), recoding=recoding)
    codes = np.column_stack([column.codes for column in columns if column.role == "quasi"])
    return np.unique(codes, axis=0, return_counts=True)[1]


def _groups(clusters: Sequence[Rows], n: int) -> Rows:
    """The cluster of each of n records."""
    groups = np.empty(n, np.int64)
    for g, rows in enumerate(clusters):
        groups[rows] = g
    return groups


def release_clusters(
    algorithm: RtAlgorithm,
    data: Dataset,
    quasi: Quasi,
    items: Items,
    outcomes: Mapping[int, ItemOutcome],
    trace: Trace,
    progress: Progress,
) -> Release:
    """The release of clusters by number."""
    names = sorted(outcomes)
    clusters = [outcomes[name].rows for name in names]
    _, losses = cluster_states(quasi, clusters)
    promises: tuple[Guarantee, ...] = (_promise(algorithm, data),)
    if algorithm.utility is not None:
        promises += (UtilityConstraints(algorithm.utility.groups, 0.0),)
    made = Release(
        generalize_columns(data, _groups(clusters, len(data)), recoding=algorithm.recoding),
        items.publish([outcomes[name] for name in names]),
        promises,
        provenance(algorithm),
        np.arange(len(data), dtype=np.int64),
        trace=trace + generalized_rows(outcomes, dict(zip(names, losses.tolist(), strict=True))),
    )
    progress(1.0)
    return made


def _promise(algorithm: RtAlgorithm, data: Dataset) -> Guarantee:
    assert data.transactions is not None
    if data.sensitive_items is None or not data.sensitive_items.any():
        return KKm(algorithm.k, algorithm.m)
    names = tuple(name for name, s in zip(data.transactions.domain, data.sensitive_items, strict=True) if s)
    return KLm(algorithm.k, algorithm.m, algorithm.l, names)
