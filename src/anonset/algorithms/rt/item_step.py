"""The item step: the items of each cluster are generalized on their own, until the cluster is protected.

`make_step` makes the step that a parameter names: `AaStep` and `LiftStep` protect many clusters in one call, `DiverseStep`
hides sensitive items by a constraint-based algorithm, `AnyStep` runs any transaction algorithm on the records of a cluster.
`Items` runs a step on many clusters and measures what they lose. A step enters the labels it shows in a `LabelTable`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple, Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from anonset import threads
from anonset.algorithms.base import Algorithm
from anonset.algorithms.constraints.diversity import diversify
from anonset.algorithms.constraints.pcta import ConstraintBased, grouped_release, protected_clusters
from anonset.algorithms.recoding import NONE, group_text
from anonset.algorithms.rt._kernels.cluster_cuts import WORD, ClusterRecords, HierarchyTree, cluster_cuts
from anonset.algorithms.rt._kernels.losses import own_offsets, summed_loss, summed_losses
from anonset.algorithms.rt._kernels.protection import is_protected
from anonset.algorithms.transactions.aa import cut_for
from anonset.algorithms.transactions.cut import frame, secrets, with_tree
from anonset.algorithms.transactions.lift import LiftOptions, Records, in_groups, ladder, lift
from anonset.errors import Fix, InfeasibleError, InputError, ParameterError, SetParameter
from anonset.kernels.recode import collapse
from anonset.kernels.set_walk import SetLimits
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.dataset import Dataset, item_order
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Labels
from anonset.model.parameters import parameters
from anonset.model.policy import UtilityPolicy
from anonset.model.progress import silent
from anonset.model.release import Release
from anonset.model.sets import offsets_of, places_in, rows_of, sets_of, take


class LabelTable:
    """Labels, which are sets of items, numbered in the order in which they are entered; threads may enter labels together."""

    __slots__ = ("_domain", "_groups", "_lock", "_number", "_sensitive", "_sizes", "_texts")

    def __init__(self, data: Dataset) -> None:
        assert data.transactions is not None
        self._domain = data.transactions.domain
        self._sensitive: Mask = (
            data.sensitive_items if data.sensitive_items is not None else np.zeros(len(self._domain), np.bool_)
        )
        self._number: dict[bytes, int] = {}
        self._groups: list[Ids] = []
        self._texts: list[str] = []
        self._sizes = np.zeros(0, np.int64)
        self._lock = Lock()

    def numbers(self, groups: Sequence[Ids], texts: Sequence[str]) -> Ids:
        """The number of each group of items."""
        with self._lock:
            return np.array([self._enter(group, text) for group, text in zip(groups, texts, strict=True)], np.int32)

    def node_numbers(self, tree: Hierarchy) -> Ids:
        """The number of each node of an item hierarchy; it stands for its leaves that are not sensitive (-1: it has none)."""
        groups = [np.arange(low, high, dtype=np.int32) for low, high in zip(tree.low, tree.high, strict=True)]
        groups = [group if len(group) == 1 else group[~self._sensitive[group]] for group in groups]
        shown = [v for v, group in enumerate(groups) if len(group)]
        found = np.full(len(tree), -1, np.int32)
        found[shown] = self.numbers([groups[v] for v in shown], [tree.labels[v] for v in shown])
        return found

    @property
    def sizes(self) -> Rows:
        """The number of items behind each label; 0 for a sensitive item, which no loss of linkable items counts."""
        with self._lock:
            if len(self._sizes) < len(self._groups):
                counts = [0 if len(group) == 1 and self._sensitive[group[0]] else len(group) for group in self._groups]
                self._sizes = np.array(counts, np.int64)
            return self._sizes

    @property
    def domain(self) -> tuple[str, ...]:
        """The items by name."""
        return self._domain

    @property
    def members(self) -> tuple[Offsets, Ids]:
        """The items behind each label a: members[offsets[a] : offsets[a + 1]]."""
        with self._lock:
            groups = list(self._groups)
        return sets_of(groups)

    def protects(self, offsets: Offsets, shown: Ids, k: int, m: int, l: int) -> bool:  # noqa: E741 - the papers' letter
        """Whether records that show these labels are k^m-anonymous and, by their sensitive items, l^m-diverse."""
        known = self.sizes[shown] > 0
        before = offsets_of(known)[offsets]
        used, label = np.unique(shown[known], return_inverse=True)
        hidden, secret = np.unique(shown[~known], return_inverse=True)
        linkable, secrets = label.astype(np.int32), secret.astype(np.int32)
        return bool(is_protected(before, linkable, len(used), k, m, offsets - before, secrets, len(hidden), l))

    def publish(self, offsets: Offsets, shown: Ids) -> GeneralizedItems:
        """Published items by label number; labels are sorted by their members, so that threads do not change a release."""
        used, dense = np.unique(shown, return_inverse=True)
        order = sorted(range(len(used)), key=lambda a: self._groups[used[a]].tolist())
        place = np.empty(len(used), np.int32)
        place[order] = np.arange(len(used))
        groups = [self._groups[used[a]] for a in order]
        offsets, entries = collapse(offsets, place[dense])
        labels = Labels.from_groups(groups, self._different([self._texts[used[a]] for a in order], groups))
        return GeneralizedItems(offsets, entries, labels, self._domain, NONE.copy())

    def _different(self, texts: list[str], groups: list[Ids]) -> list[str]:
        seen: set[str] = set()
        for a, text in enumerate(texts):
            if text in seen:
                texts[a] = group_text(item_order(self._domain[i] for i in groups[a]))
            seen.add(texts[a])
        return texts

    def _enter(self, group: Ids, text: str) -> int:
        key = group.tobytes()
        if key not in self._number:
            self._number[key] = len(self._groups)
            self._groups.append(group)
            self._texts.append(text)
        return self._number[key]


FEW = 2_000  # occurrences of items below which one thread is faster than two


class ItemOutcome(NamedTuple):
    """Record rows[p] shows the labels shown[offsets[p] : offsets[p + 1]]."""

    rows: Rows
    offsets: Offsets
    shown: Ids
    lost: float  # UL summed over the records
    general: int  # occurrences of labels that stand for more than one item


class ItemStep(Protocol):
    """A method to protect the items of a cluster on their own."""

    labels: LabelTable

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """The labels each record shows, or None where these records cannot be protected on their own."""
        ...


class ProtectedClusters(NamedTuple):
    """What several clusters show: cluster c has the records bounds[c] .. bounds[c + 1] - 1.

    Record p shows the labels shown[offsets[p] : offsets[p + 1]], unless its cluster failed, i.e. cannot be protected alone.
    """

    bounds: Offsets
    offsets: Offsets
    shown: Ids
    failed: Mask

    def get(self, c: int) -> tuple[Offsets, Ids] | None:
        """The labels each record of one cluster shows, or None."""
        offsets = self.offsets[self.bounds[c] : self.bounds[c + 1] + 1]
        return None if self.failed[c] else (offsets - offsets[0], self.shown[offsets[0] : offsets[-1]])


class ProtectedChunk(NamedTuple):
    """Clusters that a thread protected in one call, with what each loses."""

    clusters: Sequence[Rows]
    found: ProtectedClusters
    lost: Reals
    general: Rows

    def outcomes(self) -> list[ItemOutcome | None]:
        """What the records of each cluster show, as slices of shared arrays."""
        bounds, offsets, shown, failed = self.found
        own, at = own_offsets(bounds, offsets), bounds + np.arange(len(bounds))
        labels = _parts(shown, offsets[bounds])
        parts = zip(self.clusters, _parts(own, at), labels, self.lost.tolist(), self.general.tolist(), strict=True)
        outcomes: list[ItemOutcome | None] = list(map(ItemOutcome._make, parts))
        for c in np.flatnonzero(failed):
            outcomes[c] = None
        return outcomes

    def mean_losses(self) -> Reals:
        """The mean UL of the records of each cluster; 1 where they cannot be protected on their own."""
        return np.where(self.found.failed, 1.0, self.lost / np.diff(self.found.bounds))


class Outcomes(Sequence[ItemOutcome | None]):
    """What the records of each cluster show; objects are made when the first is read, since threads cannot share that work."""

    def __init__(self, chunks: Sequence[ProtectedChunk]) -> None:
        self._chunks = chunks

    @cached_property
    def _each(self) -> list[ItemOutcome | None]:
        return list(chain.from_iterable(chunk.outcomes() for chunk in self._chunks))

    def __len__(self) -> int:
        """The number of clusters."""
        return sum(len(chunk.clusters) for chunk in self._chunks)

    @overload
    def __getitem__(self, c: int) -> ItemOutcome | None: ...
    @overload
    def __getitem__(self, c: slice) -> list[ItemOutcome | None]: ...
    def __getitem__(self, c: int | slice) -> ItemOutcome | list[ItemOutcome | None] | None:
        """What one cluster shows, or several."""
        return self._each[c]

    def __iter__(self) -> Iterator[ItemOutcome | None]:
        """What each cluster shows."""
        return iter(self._each)


@runtime_checkable
class JointStep(Protocol):
    """A step that protects many clusters in one call."""

    lengths: Rows  # linkable items of each record

    def protect_all(self, rows: Rows, bounds: Offsets) -> ProtectedClusters:
        """What `protect` gives for each of the clusters rows[bounds[c] : bounds[c + 1]]."""
        ...

    @property
    def chunks(self) -> int:
        """The number of calls, in several threads, in which it protects many clusters."""
        ...


class Items:
    """Runs an item step on many clusters, and measures what each loses."""

    __slots__ = ("_exact_weight", "_step", "labels", "relax")

    def __init__(self, step: ItemStep, *, exact_weight: float, relax: Sequence[Fix] = (Fix("lower k, m or l"),)) -> None:
        self._step = step
        self.labels = step.labels
        self._exact_weight = exact_weight
        self.relax = relax  # what helps where nothing can be protected

    def outcome(self, rows: Rows) -> ItemOutcome | None:
        """What the records of one cluster show."""
        found = self._step.protect(rows)
        if found is None:
            return None
        return self.measured(rows, *found)

    def measured(self, rows: Rows, offsets: Offsets, shown: Ids) -> ItemOutcome:
        """What the records show, with the loss of these labels."""
        return ItemOutcome(rows, offsets, shown, *summed_loss(offsets, shown, self.labels.sizes, self._exact_weight))

    def outcomes(self, clusters: Sequence[Rows]) -> Sequence[ItemOutcome | None]:
        """What the records of each cluster show; threads share the clusters."""
        if isinstance(self._step, JointStep):
            return Outcomes(self._together(self._step, clusters))
        n = min(len(clusters), 8 * threads.THREADS)
        outcomes: list[ItemOutcome | None] = [None] * len(clusters)
        for p, chunk in enumerate(threads.parallel_map(self._protect_chunk, [clusters[p::n] for p in range(n)])):
            outcomes[p::n] = chunk
        return outcomes

    def _protect_chunk(self, clusters: Sequence[Rows]) -> list[ItemOutcome | None]:
        return [self.outcome(rows) for rows in clusters]

    def _together(self, step: JointStep, clusters: Sequence[Rows]) -> list[ProtectedChunk]:
        """The clusters in chunks, each protected in one call."""
        if not clusters:
            return []
        rows, bounds = np.concatenate(clusters), offsets_of(list(map(len, clusters)))
        ends = offsets_of(step.lengths[rows])[bounds[1:]]

        def protect(run: tuple[int, int]) -> ProtectedChunk:
            first, last = run
            own = bounds[first : last + 1]
            found = step.protect_all(rows[own[0] : own[-1]], own - own[0])
            lost = summed_losses(found.bounds, found.offsets, found.shown, self.labels.sizes, self._exact_weight)
            return ProtectedChunk(clusters[first:last], found, *lost)

        runs = threads.even_chunks(ends, step.chunks)
        return threads.parallel_map(protect, runs) if ends[-1] > FEW else list(map(protect, runs))

    def mean_losses(self, clusters: Sequence[Rows]) -> Reals:
        """The mean UL of the records of each cluster; 1 where they cannot be protected on their own."""
        if isinstance(self._step, JointStep):
            found = [chunk.mean_losses() for chunk in self._together(self._step, clusters)]
            return np.concatenate(found) if found else np.zeros(0)
        each = self.outcomes(clusters)
        return np.array([1.0 if outcome is None else outcome.lost / len(outcome.rows) for outcome in each])

    def publish(self, outcomes: Sequence[ItemOutcome]) -> GeneralizedItems:
        """The items of all records, in the order of the input."""
        joined = join(outcomes)
        return self.labels.publish(*take(joined.offsets, joined.shown, np.argsort(joined.rows)))


def join(outcomes: Sequence[ItemOutcome]) -> ItemOutcome:
    """Several clusters as one, with the labels they have: tables that are k^m-anonymous stay so together."""
    return ItemOutcome(
        np.concatenate([outcome.rows for outcome in outcomes]),
        offsets_of(np.concatenate([np.diff(outcome.offsets) for outcome in outcomes])),
        np.concatenate([outcome.shown for outcome in outcomes]),
        sum(outcome.lost for outcome in outcomes),
        sum(outcome.general for outcome in outcomes),
    )


def _parts(values: NDArray[Any], bounds: Offsets) -> Iterator[NDArray[Any]]:
    """The values from each bound to the next, by `map`: a Python loop would make threads wait for each other."""
    places = bounds.tolist()
    return map(values.__getitem__, map(slice, places[:-1], places[1:]))


LARGEST_SETS = 2  # items of the sets that the kernel for many small clusters looks at
WORTH_COMPILING = 800  # clusters from which on that kernel is worth its compilation, once an installation


class AaStep:
    """`aa`, also in its l^m-diverse form: each cluster has its own cut of the hierarchy."""

    __slots__ = ("_frame", "_guarantee", "_hidden", "_linkable", "_number", "_sensitive", "_t", "_tree", "labels", "lengths")

    def __init__(self, data: Dataset, k: int, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        if data.item_hierarchy is None:
            raise InputError("items = aa needs an item hierarchy; give one, or choose an algorithm that needs none, e.g. pcta")
        assert data.transactions is not None
        self.labels = LabelTable(data)
        self._number = self.labels.node_numbers(data.item_hierarchy)
        self._frame = frame(data.item_hierarchy, data.sensitive_items)
        self._tree = HierarchyTree(*self._frame, np.argsort(self._frame.order).astype(np.int32))
        self._hidden = secrets(data)
        self._t, self._linkable, self._sensitive = data.transactions, data.linkable, data.sensitive_items
        self._guarantee, self.lengths = SetLimits(k, m, l), data.linkable.lengths

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """The items of these records as nodes of one cut."""
        return self.protect_all(rows, np.array([0, len(rows)], np.int64)).get(0)

    @property
    def chunks(self) -> int:
        """Several a thread: while one runs Python code, kernels of the others run."""
        return 4 * threads.THREADS

    def protect_all(self, rows: Rows, bounds: Offsets) -> ProtectedClusters:
        """The items of the records of each cluster as nodes of a cut of its own."""
        records = in_groups(self._linkable.offsets, self._linkable.items, self._hidden, rows, bounds)
        together = self._guarantee.m <= LARGEST_SETS and len(bounds) > WORTH_COMPILING // self.chunks
        many = np.diff(bounds) > (WORD if together else -1)
        if many.all():
            nodes, failed = np.empty(len(records.items), np.int32), np.zeros(len(many), np.bool_)
        else:
            nodes, failed = cluster_cuts(self._tree, ClusterRecords(*records[:3], *records.secrets), self._guarantee)
        for c in np.flatnonzero(many).tolist():
            failed[c] = not self._cut(rows[bounds[c] : bounds[c + 1]], records, c, nodes)
        offsets, shown = records.offsets, nodes
        if self._sensitive is not None:
            offsets, shown = take(self._t.offsets, self._t.items, rows)
            shown[~self._sensitive[shown]] = nodes
        return ProtectedClusters(bounds, *collapse(offsets, self._number[shown]), failed)

    def _cut(self, rows: Rows, records: Records, c: int, nodes: Ids) -> bool:
        """Write the nodes of one cluster; return whether there is a cut that protects it."""
        k, m, l = self._guarantee  # noqa: E741
        cut = cut_for(self._frame, self._linkable, rows, k, m, l, self._hidden)
        here = slice(*records.offsets[records.bounds[c : c + 2]])
        nodes[here] = records.items[here] if cut is None else cut[records.items[here]]
        return cut is not None


class LiftStep:
    """`lift`, also in its l^m-diverse form; nothing is suppressed."""

    __slots__ = ("_guarantee", "_hidden", "_ladder", "_linkable", "_number", "_sensitive", "_t", "labels", "lengths")

    def __init__(self, data: Dataset, k: int, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        data = with_tree(data)
        self.labels = LabelTable(data)
        assert data.transactions is not None
        self._t, self._linkable, self._sensitive = data.transactions, data.linkable, data.sensitive_items
        self._hidden, self._guarantee, self.lengths = secrets(data), SetLimits(k, m, l), data.linkable.lengths
        tree = data.item_hierarchy
        self._ladder = None if tree is None else ladder(tree, self._sensitive)
        self._number = np.zeros(0, np.int32) if tree is None else self.labels.node_numbers(tree)

    @property
    def chunks(self) -> int:
        """Two, however many threads there are: the clusters of a call influence each other."""
        return 2

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """The labels each record of one cluster shows, or None where they cannot be protected on their own."""
        return self.protect_all(rows, np.array([0, len(rows)], np.int64)).get(0)

    def protect_all(self, rows: Rows, bounds: Offsets) -> ProtectedClusters:
        """The labels that each record of each cluster shows."""
        if self._ladder is None:
            nothing = np.zeros(len(rows) + 1, np.int64), np.zeros(0, np.int32)
            return ProtectedClusters(bounds, *nothing, np.zeros(len(bounds) - 1, np.bool_))
        order = np.lexsort((rows, rows_of(bounds)))  # the result must not depend on the order of the rows
        rows, linkable = rows[order], self._linkable
        records = in_groups(linkable.offsets, linkable.items, self._hidden, rows, bounds)
        found = lift(records, self._ladder, self._guarantee, LiftOptions())
        offsets, nodes = take(self._t.offsets, self._t.items, rows)
        if self._sensitive is None:
            nodes = found.nodes
        else:
            nodes[~self._sensitive[nodes]] = found.nodes
        place = np.empty(len(rows), np.int64)
        place[order] = np.arange(len(rows))
        return ProtectedClusters(bounds, *take(*collapse(offsets, self._number[nodes]), place), found.failed)


class AnyStep:
    """Any transaction algorithm, run on the records of a cluster as a dataset of their own; its result is checked."""

    __slots__ = ("_algorithm", "_data", "_k", "_l", "_m", "labels")

    def __init__(self, data: Dataset, algorithm: Algorithm, k: int, m: int, l: int) -> None:  # noqa: E741
        self.labels = LabelTable(data)
        self._data = data
        self._algorithm = algorithm
        self._k, self._m, self._l = k, m, l

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """What the algorithm publishes for these records; None where it fails, suppresses, or protects too little."""
        try:
            release = self._algorithm.anonymize(self._data.take(rows))
        except InfeasibleError:
            return None
        return self.shown(release, rows)

    def shown(self, release: Release, rows: Rows) -> tuple[Offsets, Ids] | None:
        """What a release of these records shows; None where it suppresses, or protects too little."""
        items = release.items
        if not isinstance(items, GeneralizedItems):
            raise ParameterError(f"items must name an algorithm that generalizes items; {self._algorithm.name} does not")
        if len(release) < len(rows) or len(items.suppressed):
            return None
        numbers = self.labels.numbers(list(items.labels.groups()), items.labels.texts)
        offsets, shown = take(items.offsets, items.shown, np.argsort(release.rows))
        found = collapse(offsets, numbers[shown])
        return found if self.labels.protects(*found, self._k, self._m, self._l) else None


class DiverseStep:
    """A constraint-based algorithm in its l^m-diverse form; where it fails, `lift`, then `aa`, take its place."""

    def __init__(self, data: Dataset, algorithm: ConstraintBased, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        self._data, self._algorithm, self._limits = data, algorithm, SetLimits(algorithm.k, m, l)
        self._checked = AnyStep(data, algorithm, algorithm.k, m, l)
        self.labels = self._checked.labels
        self._lock = Lock()

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """The labels each record shows, or None where no step protects these records on their own."""
        data = self._data.take(rows)
        hidden = secrets(data)
        most = int(np.bincount(hidden.items, minlength=1).max())
        if len(rows) < self._limits.k or most * self._limits.l > len(rows):
            return None
        try:
            clusters, _ = protected_clusters(self._algorithm, data, silent)
        except InfeasibleError:
            return None
        if diversify(clusters, hidden, self._limits, self._algorithm.choose_merge):
            return self._checked.shown(grouped_release(self._algorithm, data, clusters.cluster_of), rows)
        return self._protect_by_others(rows) if self._algorithm.utility_policy is None else None

    def _protect_by_others(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """The result of another step, as labels of this one."""
        for step, place in self._others:
            if (found := step.protect(rows)) is not None:
                return self._translated(step, place, *found)
        return None

    @property
    def _others(self) -> list[tuple[ItemStep, Ids]]:
        with self._lock:  # threads may get here together
            return self._other_steps

    @cached_property
    def _other_steps(self) -> list[tuple[ItemStep, Ids]]:
        """The other steps, and for each of their items its code here: a hierarchy that is built orders the items anew."""
        return [(step, self._places(step)) for step in self._steps()]

    def _steps(self) -> Iterator[LiftStep | AaStep]:
        yield LiftStep(self._data, *self._limits)
        if self._data.item_hierarchy is not None:
            yield AaStep(self._data, *self._limits)

    def _places(self, step: LiftStep | AaStep) -> Ids:
        assert self._data.transactions is not None
        return places_in(self._data.transactions.domain, step.labels.domain)

    def _translated(self, step: ItemStep, place: Ids, offsets: Offsets, shown: Ids) -> tuple[Offsets, Ids]:
        """The labels of another step by their items, so that a set of items has one text whichever step made it."""
        assert self._data.transactions is not None
        domain, (bounds, members) = self._data.transactions.domain, step.labels.members
        used, dense = np.unique(shown, return_inverse=True)
        groups = [np.sort(place[members[bounds[a] : bounds[a + 1]]]) for a in used.tolist()]
        texts = [group_text(item_order(domain[i] for i in group)) for group in groups]
        return collapse(offsets, self.labels.numbers(groups, texts)[dense])


class ItemPolicies(NamedTuple):
    """The policies for the generalized items of every cluster."""

    utility: UtilityPolicy | None = None
    weights: str = "equal"

    def parameters_of(self, name: str) -> dict[str, Any]:
        """The parameters of an item step for these policies; an error where it has none.

        Nothing is suppressed: an item suppressed in one cluster and shown in another would be neither.
        """
        found: dict[str, Any] = {} if self.weights == "equal" else {"weights": self.weights}
        if self.utility is not None:
            found["utility"] = replace(self.utility, suppression=0.0)
        known = _names_of_parameters(name)
        for policy in found:
            if policy not in known:
                what = "utility policy" if policy == "utility" else "weights of items"
                raise ParameterError(f"items = {name} takes no {what}; choose pcta, upcta or coat")
        return found


NO_POLICIES = ItemPolicies()
HIDING = ("lift", "aa", "pcta", "upcta", "coat")  # steps that hide sensitive items where l > 1


def make_step(
    data: Dataset,
    name: str,
    k: int,
    m: int,
    l: int,  # noqa: E741 - the papers' letter
    policies: ItemPolicies = NO_POLICIES,
) -> ItemStep:
    """The item step of that name, with those of k, m and l that it has parameters for; pcta with a utility policy is upcta."""
    from anonset.algorithms import make  # the registry lists the RT algorithms, too

    name = "upcta" if name == "pcta" and policies.utility is not None else name
    by_policy = policies.parameters_of(name)
    if name == "aa":
        return AaStep(data, k, m, l)
    if name == "lift":
        return LiftStep(data, k, m, l)
    known = _names_of_parameters(name)
    values = {key: value for key, value in {"k": k, "m": m, "l": l}.items() if key in known}
    algorithm = make(name, values | by_policy)
    if l > 1 and isinstance(algorithm, ConstraintBased):
        return DiverseStep(data, algorithm, m, l)
    return AnyStep(data, algorithm, k, m, l)


def relaxations(name: str, l: int, policies: ItemPolicies = NO_POLICIES) -> list[Fix]:  # noqa: E741 - the papers' letter
    """What a user can relax where an item step cannot protect the items of all records together."""
    if policies.utility is not None and l > 1:
        words = "join groups of the utility policy, or leave it out and take a step that goes beyond its groups: {}"
        return [Fix("lower k, m or l"), Fix(words, SetParameter("items", "lift"))]
    if policies.utility is not None:
        return [Fix("lower k, m or l"), Fix("join groups of the utility policy")]
    if l > 1 and name not in HIDING:
        steps = [SetParameter("items", step) for step in HIDING[:3]]
        return [Fix("lower k, m or l"), Fix("choose an item step that hides sensitive items: {} or {} or {}", *steps)]
    return [Fix("lower k, m or l")]


def _names_of_parameters(name: str) -> set[str]:
    from anonset.algorithms import ALGORITHMS

    return {p.name for p in parameters(ALGORITHMS[name])} if name in ALGORITHMS else {"k"}
