"""`rt-search` (original to anonset): clusters, bound and item labels chosen together for an objective, in a given time.

1. Try classes of k alike records, whose items are aligned (`alignment`).
2. Try clusters by quasi values, whose items an item step protects and whose labels are then cut (`cluster_labels`): clusters of
   several sizes, and what the algorithms of [000] merge (`candidates`).
3. Improve the best start of step 2 by rounds that merge neighbours and cut clusters in two (`local_search`).
4. Release the better one of the best start and the improved one.

With protect = inversion only step 1 is tried, with records without items in classes of their own: every published record is
there k times in all that somebody may know, so nothing about the algorithm tells one from the others (decision 10).

The objective (`objective`) decides what is better, the budget (`search_budget`) when the two loops `_try_starts` and `_improve`
end; `tuning` has the constants, each with the measurement that chose it. More is in docs/algorithms/rt-search.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from anonset.algorithms.rt.alignment import Alignment
from anonset.algorithms.rt.base import RtAlgorithm, checked_inputs, join_unprotectable, release_clusters
from anonset.algorithms.rt.candidates import Candidate, CandidateFactory, EvaluatedStart, StartingClusters, Trials
from anonset.algorithms.rt.cluster_labels import LabelCuts, StepLabelling, branches_of, published_outcomes
from anonset.algorithms.rt.cluster_merge import TOLERANCE, cluster_states
from anonset.algorithms.rt.item_step import ItemOutcome, Items
from anonset.algorithms.rt.local_search import Change, SearchLimits, merge_round, split_round
from anonset.algorithms.rt.objective import (
    ClusterEvaluator,
    Clustering,
    DetailLost,
    Objective,
    QueryError,
    draw_queries,
)
from anonset.algorithms.rt.search_budget import Clock, SearchBudget, parse_steps, working_time
from anonset.algorithms.rt.trace import StartTrial, changed_rows, formed_rows, joined_rows, tried_rows
from anonset.algorithms.rt.tuning import BLANK_SHARE, NEIGHBOUR_RANKS, WORTH_OF_NCP_WON_BACK
from anonset.algorithms.transactions.cut import with_tree
from anonset.errors import InfeasibleError, ParameterError
from anonset.kernels.groups import Quasi
from anonset.model.dataset import Dataset
from anonset.model.parameters import Bounds, Seed, check_parameters
from anonset.model.progress import Progress, silent
from anonset.model.release import Release

ObjectiveName = Annotated[
    Literal["queries", "detail"], "what to minimize: the error of queries for both parts, or the detail lost"
]
Balance = Annotated[
    float | None,
    Bounds(0.0, 1.0),
    "0: quasi values exact, 1: items exact; between: the weight of the items' detail; none: what the aim weighs by itself",
]
NumberOfQueries = Annotated[int, Bounds(1, 1_000_000), "queries that are drawn for aim = queries"]
ValuesPerQuery = Annotated[int, Bounds(1, 100), "maximum number of quasi values in such a query"]
NcpBound = Annotated[float | None, Bounds(0.0, 1.0), "bound on NCP; none by default"]
FormedBy = Annotated[str, "the relational algorithm that forms clusters; auto: mondrian, peel and cluster"]
Seconds = Annotated[float, Bounds(0.0, 1_000_000.0), "time to search; the best result found by then is released"]
EVEN = 0.5  # the balance of aim = detail
ALIGNING = ("auto", "align")  # values of `items` for which classes of alike records are tried
BY_HIERARCHY = (*ALIGNING, "lift", "aa")  # values of `items` that follow the item hierarchy
ItemsOf = Annotated[str, "auto: align items of like records, or lift; or one of them, or another transaction algorithm"]
LabelsFrom = Annotated[
    Literal["tree", "any"],
    "tree: nodes of a given item hierarchy, or parts of one below its root; any: whatever keeps counts right",
]
Alike = Annotated[
    Literal["no", "inversion"],
    "inversion: only classes of equal records, so that who knows the algorithm excludes nobody",
]
Steps = Annotated[str, "number of starts and rounds instead of a time, e.g. 12+7; a release records them"]


@dataclass(frozen=True, slots=True)
class RtSearch(RtAlgorithm):
    """Clusters merged and cut while an objective falls, from the best of many starts."""

    items: ItemsOf = "auto"
    labels: LabelsFrom = "tree"
    aim: ObjectiveName = "queries"
    balance: Balance = None
    asks: NumberOfQueries = 1000
    values: ValuesPerQuery = 3
    delta: NcpBound = None
    clusters: FormedBy = "auto"
    seed: Seed = None
    seconds: Seconds = 5.0
    steps: Steps = ""
    protect: Alike = "no"
    name: ClassVar[str] = "rt-search"
    counts_population: ClassVar[bool] = True
    title: ClassVar[str] = "Both parts together, for an aim, in a given time"
    paper: ClassVar[str] = "ours"

    def __post_init__(self) -> None:
        check_parameters(self)
        parse_steps(self.steps)
        if self.protect == "inversion" and (self.items not in ALIGNING or self.l > 1):
            raise ParameterError("protect = inversion aligns the items of like records: leave items as it is, and l at 1")

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The best release found within the time."""
        with working_time() as clock:
            return self._anonymize(data, clock, progress)

    def _anonymize(self, data: Dataset, clock: Clock, progress: Progress) -> Release:
        step = "lift" if self.items in ALIGNING else self.items
        if step == "lift":
            data = with_tree(data)  # a hierarchy that is built orders the items
        quasi, items = checked_inputs(replace(self, items=step, protect="no"), data)
        progress(0.0)
        search = _Search(self, data, quasi, items, SearchBudget(self.seconds, self.steps, progress, clock))
        best, changes = search.run()
        outcomes = search.outcomes(best.clustering)
        if self.protect == "inversion":
            _require_copies(data, outcomes, self.k)
        trace = best.trace + tried_rows(search.trials.log) + changed_rows(changes, len(data))
        repeatable = replace(self, steps=search.budget.steps)
        return release_clusters(repeatable, data, quasi, items, outcomes, trace, progress)


class _Source(NamedTuple):
    """A factory of starts, and who evaluates them."""

    factory: CandidateFactory
    evaluator: ClusterEvaluator


class _Search:
    """One run: the sources of starts, the starts tried so far, and the two loops."""

    def __init__(self, algorithm: RtSearch, data: Dataset, quasi: Quasi, items: Items, budget: SearchBudget) -> None:
        self._algorithm, self._data, self._quasi, self._items = algorithm, data, quasi, items
        self.budget = budget
        self._delta = 1.0 if algorithm.delta is None else algorithm.delta
        self._limits = SearchLimits((self._delta + TOLERANCE) * len(data), BLANK_SHARE * len(data))
        self.trials = Trials(self._limits)
        self._untried = self._propose(self._sources(self._objective(algorithm.seed)))

    def _objective(self, seed: int | None) -> Objective:
        data, algorithm = self._data, self._algorithm
        if algorithm.aim == "detail" or algorithm.balance is not None:
            balance = EVEN if algorithm.balance is None else algorithm.balance
            return DetailLost(data, 1.0 - balance)
        return QueryError(data, draw_queries(data, algorithm.asks, seed, algorithm.values), algorithm.recoding)

    def _sources(self, objective: Objective) -> list[_Source]:
        """The starts of steps 1 and 2, in the order in which they are tried."""
        algorithm, data, quasi = self._algorithm, self._data, self._quasi
        t, k, m, l = data.linkable, algorithm.k, algorithm.m, algorithm.l  # noqa: E741 - the papers' letters
        by_tree = algorithm.labels == "tree" and algorithm.items in BY_HIERARCHY
        branches = branches_of(data) if by_tree else None
        alignment = Alignment(data, quasi, k, m, l, branches)
        aligned = ClusterEvaluator(quasi, len(t.domain), alignment, objective, changing=False)
        labelling = StepLabelling(t, self._items, LabelCuts(data, k, m, l), branches)
        stepwise = ClusterEvaluator(quasi, len(t.domain), labelling, objective)
        usual = aligned if algorithm.items == "align" else stepwise

        values: dict[str, Any] = {"recoding": algorithm.recoding, "weights": algorithm.weights, "seed": algorithm.seed}
        starts = StartingClusters(data, quasi, k, algorithm.clusters, algorithm.delta, values)
        if algorithm.protect == "inversion":
            return [_Source(starts.classes_of_alike_records(alignment, apart=t.lengths == 0), aligned)]
        sources = []
        if algorithm.items in ALIGNING:
            sources.append(_Source(starts.classes_of_alike_records(alignment), aligned))
        sources += [
            _Source(starts.clusters_of_several_sizes, usual),
            _Source(starts.finest_merged_within_bound, usual),
            _Source(starts.clusters_of_r_first, usual),
            _Source(starts.merged_clusters, usual),
            _Source(starts.groups_of_t_first, usual),
        ]
        return sources

    def _propose(self, sources: Sequence[_Source]) -> Iterator[tuple[Candidate, ClusterEvaluator]]:
        """All starts, each formed when its turn comes."""
        for factory, evaluator in sources:
            for candidate in factory(self.trials):
                yield candidate, evaluator

    def run(self) -> tuple[EvaluatedStart, list[Change]]:
        """Steps 1 to 4: the clusters to release, and the changes that led to them from their start."""
        best = self._try_starts()
        self.budget.start_rounds()
        if best is not self.trials.best_to_improve:  # aligned records are ahead: try the other starts before rounds
            best = self._try_starts()
        start = self.trials.best_to_improve
        if start is None:
            return best, []
        improved, changes = self._improve(start)
        if best is not start and not self._is_better_on_fresh_queries(improved, best.clustering):
            return best, []
        return start._replace(clustering=improved), changes

    def _try_starts(self) -> EvaluatedStart:
        """Steps 1 and 2: try starts until the budget is spent and one can be published; the next call goes on from there."""
        while not self._is_enough:
            proposal = next(self._untried, None)
            if proposal is None:
                break
            self.trials.log.append(self._try(*proposal))
        if self.trials.best is None:
            lowest = np.ceil(self.trials.lowest_ncp * 1e6) / 1e6
            raise InfeasibleError(f"delta={self._delta:g} cannot be reached: the lowest NCP found is {lowest:.6f}")
        return self.trials.best

    @property
    def _is_enough(self) -> bool:
        """Whether no other start is to be tried."""
        best, spent = self.trials.best, self.budget.is_spent
        if best is None or not (spent or best.clustering.value == 0.0):
            return False
        return (self.budget.is_counted and spent) or self.trials.has_publishable

    def _try(self, candidate: Candidate, evaluator: ClusterEvaluator) -> StartTrial:
        """Evaluate a start, unless it loses more than the bound allows, and note whether it is the best."""
        trials, n = self.trials, len(self._data)
        _, losses = cluster_states(self._quasi, candidate.clusters)
        sizes = np.array([len(rows) for rows in candidate.clusters])
        ncp = float((losses * sizes).sum() / max(1, sizes.sum()))
        trials.lowest_ncp = min(trials.lowest_ncp, ncp)
        if ncp > self._delta + TOLERANCE:
            return StartTrial(candidate.name, len(candidate.clusters), ncp, None, 1.0, taken=False)
        self.budget.step()
        label, relax = evaluator.labelling.label, self._items.relax
        state, labelled, joined = join_unprotectable(self._quasi, label, relax, candidate.clusters, n)
        clustering = evaluator.start([int(c) for c in state.alive], labelled)
        start = EvaluatedStart(clustering, evaluator, formed_rows(candidate.clusters, losses) + joined_rows(joined))
        taken = trials.is_better(start, trials.best)
        if taken:
            trials.best = start
        if not isinstance(evaluator.labelling, Alignment) and trials.is_better(start, trials.best_to_improve):
            trials.best_to_improve = start
        blank = int(clustering.blank.max(initial=0)) / n
        return StartTrial(candidate.name, len(labelled), clustering.lost / n, clustering.value, blank, taken=taken)

    def _improve(self, start: EvaluatedStart) -> tuple[Clustering, list[Change]]:
        """Step 3: merge neighbours and cut clusters in turn, until a whole turn gains nothing or the budget is spent."""
        rng = np.random.default_rng(self._algorithm.seed)
        now = best = start.clustering
        changes: list[Change] = []
        n_best = 0  # changes that led to the best
        refused_gain = 0.0
        gained = now.value > 0.0
        while gained:
            gained = False
            for turn in range(2 * NEIGHBOUR_RANKS):
                if self.budget.is_spent:
                    return best, changes[:n_best]
                self.budget.step()
                if turn % 2 == 0:
                    now, made, refused_gain = merge_round(start.evaluator, now, self._limits, turn // 2, rng)
                else:
                    worth = WORTH_OF_NCP_WON_BACK * refused_gain
                    now, made, _ = split_round(start.evaluator, now, self._algorithm.k, self._limits, worth)
                changes += made
                if now.value < best.value:
                    best, n_best, gained = now, len(changes), True
        return best, changes[:n_best]

    def _is_better_on_fresh_queries(self, improved: Clustering, best: Clustering) -> bool:
        """Step 4, by queries that neither has seen: rounds fit the queries by which they are accepted."""
        seed = self._algorithm.seed
        fresh = self._objective(None if seed is None else seed + 1)
        return self._limits.prefer(improved.revalued(fresh), best.revalued(fresh))

    def outcomes(self, clustering: Clustering) -> dict[int, ItemOutcome]:
        """What each cluster publishes."""
        names = sorted(clustering.clusters)
        labelled = [clustering.clusters[name].labelled for name in names]
        outcomes = published_outcomes(self._data, self._items, labelled)
        return {name: self._protected(outcome) for name, outcome in zip(names, outcomes, strict=True)}

    def _protected(self, outcome: ItemOutcome) -> ItemOutcome:
        """The cluster, with the item step's own labels where two narrow ones that became one tell a sensitive item."""
        algorithm = self._algorithm
        if self._items.labels.protects(outcome.offsets, outcome.shown, algorithm.k, algorithm.m, algorithm.l):
            return outcome
        wide = self._items.outcome(outcome.rows)
        assert wide is not None, "it was protected when it was evaluated"
        return wide


def _require_copies(data: Dataset, outcomes: Mapping[int, ItemOutcome], k: int) -> None:
    """Raise unless every published record is there k times, in all that somebody may know."""
    for outcome in outcomes.values():
        held = data.linkable.lengths[outcome.rows] > 0
        if 0 < held.sum() < k or 0 < (~held).sum() < k:
            raise InfeasibleError(
                f"records with and without items are fewer than k={k} each in some class, so who knows the algorithm may tell "
                "them apart; leave out records without items"
            )
