"""Clusters, bound and items chosen together for an aim, in a given time (ours).

1. Records of like items form clusters of k, close together by quasi values; every record holds an item of each label.
2. Clusters are formed by relational algorithms at sizes from k upwards, and merged as the papers do it; each gets its items
   protected by an item step, whose labels are narrowed to the items behind them. All of these are judged by the aim.
3. From the best of them, where it is of step 2, clusters are merged with neighbours and cut in two while the aim falls.
4. Time over, or nothing left that helps: the best is released.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from anonset.algorithms.rt.aims import Aim, DetailLost, QueryError
from anonset.algorithms.rt.aligning import Alignment
from anonset.algorithms.rt.asked import draw
from anonset.algorithms.rt.bounds import TOLERANCE
from anonset.algorithms.rt.budget import Clock, SearchBudget, parse_steps, working_time
from anonset.algorithms.rt.exploring import EvaluatedStart, Exploration, Judges
from anonset.algorithms.rt.improving import Change, Limits, divided, merged
from anonset.algorithms.rt.items import ItemOutcome, Items
from anonset.algorithms.rt.judging import ClusterJudge, Standing, seen_by
from anonset.algorithms.rt.label_cuts import LabelCuts, Stepwise
from anonset.algorithms.rt.narrowing import published
from anonset.algorithms.rt.parameters import Grouped
from anonset.algorithms.rt.preparation import released, tools
from anonset.algorithms.rt.starts import Starts
from anonset.algorithms.rt.trace import changed_rows, tried_rows
from anonset.algorithms.transactions.cut import with_tree
from anonset.kernels.groups import Quasi
from anonset.model.dataset import Dataset
from anonset.model.parameters import Bounds, Seed, Share, check_parameters
from anonset.model.progress import Progress, silent
from anonset.model.release import Release

Aimed = Annotated[Literal["queries", "detail"], "what is to be low: the error of queries for both parts, or the detail lost"]
Weight = Annotated[Share, "weight of the quasi values in aim = detail; the items have the rest"]
Asks = Annotated[int, Bounds(1, 1_000_000), "queries that are drawn for aim = queries"]
AskedValues = Annotated[int, Bounds(1, 100), "quasi values that such a query asks for at most"]
Most = Annotated[float | None, Bounds(0.0, 1.0), "bound on NCP; none: whatever serves the aim"]
Formed = Annotated[str, "the relational algorithm that forms clusters; auto: mondrian, peel and cluster"]
Seconds = Annotated[float, Bounds(0.0, 1_000_000.0), "time to search in; the best found by then is released"]
ItemsOf = Annotated[str, "auto: align items of like records, or lift; or one of them, or another transaction algorithm"]
Steps = Annotated[str, "starts and rounds to make instead, e.g. 12+7: a run writes down how many it made"]
ALIGNING = ("auto", "align")  # what has items aligned
BLANK = 0.5  # of the records in which a column may say nothing
EXCHANGE = 0.5  # of what NCP would be worth elsewhere: so much may be given up to win it back
RANKS = 4  # a cluster is tried with its nearest neighbour first, then with the next ones


@dataclass(frozen=True, slots=True)
class RtSearch(Grouped):
    """Clusters merged and cut while an aim falls, from the best of many starts."""

    items: ItemsOf = "auto"
    aim: Aimed = "queries"
    weight: Weight = 0.5
    asks: Asks = 1000
    values: AskedValues = 3
    delta: Most = None
    clusters: Formed = "auto"
    seed: Seed = None
    seconds: Seconds = 5.0
    steps: Steps = ""
    name: ClassVar[str] = "rt-search"
    title: ClassVar[str] = "Both parts together, for an aim, in a given time"
    paper: ClassVar[str] = "ours"
    needs: ClassVar[frozenset[str]] = frozenset({"items", "quasi"})

    def __post_init__(self) -> None:
        check_parameters(self)
        parse_steps(self.steps)

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """The best release found within the time."""
        with working_time() as clock:
            return self._searched(data, clock, progress)

    def _searched(self, data: Dataset, clock: Clock, progress: Progress) -> Release:
        asked = replace(self, items="lift") if self.items in ALIGNING else self
        data = with_tree(data) if asked.items == "lift" else data  # a tree that is built puts the items in its own order
        quasi, items = tools(asked, data)
        progress(0.0)
        budget = SearchBudget(self.seconds, self.steps, progress, clock)
        values: dict[str, Any] = {"recoding": self.recoding, "weights": self.weights, "seed": self.seed}
        starts = Starts(data, quasi, self.k, self.clusters, values)
        limits = Limits(((1.0 if self.delta is None else self.delta) + TOLERANCE) * len(data), BLANK * len(data))
        judges = self._judges(data, quasi, items, self._aim(data, self.seed))
        exploration = Exploration(judges, starts, self.k, len(data), self.delta, limits, budget, items.relax)
        best, changes = self._best(data, exploration, budget, limits)
        trace = best.trace + tried_rows(exploration.tried) + changed_rows(changes, len(data))
        made = replace(self, steps=budget.steps)
        return released(made, data, quasi, items, self._shown(data, items, best.standing), trace, progress)

    def _best(
        self, data: Dataset, exploration: Exploration, budget: SearchBudget, limits: Limits
    ) -> tuple[EvaluatedStart, list[Change]]:
        """Steps 1 to 3: what aligned records come to is left as it is; other clusters are improved in the time that is left.

        Of the two the better one is told by queries that neither has seen: rounds fit those that they are judged by.
        """
        best = exploration.run()
        budget.start_rounds()
        if best is not exploration.stepwise:
            best = exploration.run()
        if (other := exploration.stepwise) is None:
            return best, []
        standing, changes = self._improved(other.judge, other.standing, budget, limits)
        if best is not other:
            fresh = self._aim(data, None if self.seed is None else self.seed + 1)
            if not limits.prefer(seen_by(fresh, standing), seen_by(fresh, best.standing)):
                return best, []
        return other._replace(standing=standing), changes

    def _judges(self, data: Dataset, quasi: Quasi, items: Items, aim: Aim) -> Judges:
        """Who looks at clusters, for the item steps that are asked for."""
        t, asked = data.linkable, (self.k, self.m, self.l)
        stepwise = ClusterJudge(quasi, t, Stepwise(t, items, LabelCuts(data, *asked)), aim)
        aligned = ClusterJudge(quasi, t, Alignment(data, quasi, *asked), aim, changing=False)
        return Judges(None if self.items == "align" else stepwise, aligned if self.items in ALIGNING else None)

    def _aim(self, data: Dataset, seed: int | None) -> Aim:
        if self.aim == "detail":
            return DetailLost(data, self.weight)
        return QueryError(data, draw(data, self.asks, seed, self.values), self.recoding)

    def _improved(
        self, judge: ClusterJudge, now: Standing, budget: SearchBudget, limits: Limits
    ) -> tuple[Standing, list[Change]]:
        """Step 3."""
        rng = np.random.default_rng(self.seed)
        changes: list[Change] = []
        best, told, rate = now, 0, 0.0
        helped = now.value > 0.0
        while helped:
            helped = False
            for turn in range(2 * RANKS):
                if budget.is_spent:
                    return best, changes[:told]
                budget.step()
                if turn % 2 == 0:
                    now, made, rate = merged(judge, now, limits, turn // 2, rng)
                else:
                    now, made, _ = divided(judge, now, self.k, limits, EXCHANGE * rate)
                changes += made
                if now.value < best.value:
                    best, told, helped = now, len(changes), True
        return best, changes[:told]

    def _shown(self, data: Dataset, items: Items, standing: Standing) -> dict[int, ItemOutcome]:
        """Step 4."""
        names = sorted(standing.clusters)
        found = zip(names, published(data, items, [standing.clusters[name].shown for name in names]), strict=True)
        return {name: self._protected(items, outcome) for name, outcome in found}

    def _protected(self, items: Items, outcome: ItemOutcome) -> ItemOutcome:
        """The cluster, with labels as wide as the item step has them where two that became one tell too much of a secret."""
        if items.book.protects(outcome.offsets, outcome.shown, self.k, self.m, self.l):
            return outcome
        wide = items.outcome(outcome.rows)
        assert wide is not None, "it was protected when it was judged"
        return wide
