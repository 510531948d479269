"""`rt-search` (ours): clusters, bound and items chosen together for an aim, in a given time. Starts are judged one after the
other while there is time, and the best are improved.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numba.core import event

from anonset.algorithms.rt.alignment import PART, Alignment
from anonset.algorithms.rt.cluster_labels import LabelCuts, Stepwise, published
from anonset.algorithms.rt.cluster_merge import TOLERANCE, Btd, By, ClusterParts, QuasiMeasure, merges
from anonset.algorithms.rt.item_step import ItemOutcome, Items
from anonset.algorithms.rt.local_search import Change, ClusterJudge, Limits, Standing, divided, merged, seen_by, states_of
from anonset.algorithms.rt.merge import gray_groups
from anonset.algorithms.rt.objective import Aim, DetailLost, QueryError, draw
from anonset.algorithms.rt.parameters import Grouped
from anonset.algorithms.rt.preparation import form_clusters, join_unprotectable, released, tools
from anonset.algorithms.rt.trace import Tried, changed_rows, formed_rows, joined_rows, tried_rows
from anonset.algorithms.transactions.cut import with_tree
from anonset.errors import Fix, InfeasibleError, ParameterError
from anonset.kernels.groups import Quasi
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.parameters import Bounds, Seed, Share, check_parameters
from anonset.model.progress import Progress, silent
from anonset.model.release import Release, Trace

Clock = Callable[[], float]
STARTING = 0.4  # of the time that starts may take, so that the best of them can be improved


class SearchBudget:
    """Starts judged and rounds made: by the clock, or, to repeat a run, by their numbers, "12+7"."""

    def __init__(self, seconds: float, steps: str, progress: Progress, clock: Clock = time.monotonic) -> None:
        self._clock, self._seconds, self._progress = clock, seconds, progress
        self._until = clock() + STARTING * seconds
        self._wanted = parse_steps(steps)
        self._done = [0, 0]
        self._phase = 0

    @property
    def is_spent(self) -> bool:
        """Whether the present phase is to end."""
        if self._wanted is not None:
            return self._done[self._phase] >= self._wanted[self._phase]
        return self._clock() >= self._until

    @property
    def is_counted(self) -> bool:
        """Whether steps are counted, and no clock is looked at."""
        return self._wanted is not None

    @property
    def steps(self) -> str:
        """What was done, to be done again."""
        return f"{self._done[0]}+{self._done[1]}"

    def step(self) -> None:
        """One more start, or one more round; the listener may cancel."""
        self._done[self._phase] += 1
        left = self._until - self._clock() + (0.0 if self._phase else (1.0 - STARTING) * self._seconds)
        self._progress(min(0.95, max(0.0, 1.0 - left / max(self._seconds, 1e-9))))

    def start_rounds(self) -> None:
        """From now on rounds are counted."""
        self._phase = 1
        self._until += (1.0 - STARTING) * self._seconds


@contextmanager
def working_time() -> Iterator[Clock]:
    """A clock that stands still while kernels compile: the first run of an installation searches as long as any other."""
    compiling = _Compiling()
    with event.install_listener("numba:compile", compiling):
        yield lambda: time.monotonic() - compiling.seconds


class _Compiling(event.Listener):
    """The seconds between the beginnings and ends of compiling; what is compiled on the way is part of them."""

    def __init__(self) -> None:
        self.seconds, self._depth, self._since = 0.0, 0, 0.0

    def on_start(self, event: event.Event) -> None:
        if self._depth == 0:
            self._since = time.monotonic()
        self._depth += 1

    def on_end(self, event: event.Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.monotonic() - self._since


def parse_steps(steps: str) -> tuple[int, int] | None:
    """The numbers of starts and of rounds; None where nothing is said."""
    if not steps:
        return None
    first, plus, second = steps.partition("+")
    if not (plus and first.isdigit() and second.isdigit()):
        raise ParameterError(f"steps must be two numbers such as 12+7, or nothing; got {steps!r}")
    return int(first), int(second)


FORMING = ("mondrian", "peel", "cluster")
STOPS = 6  # states on the way of merging that are looked at
GRAY = 10_000


class Candidate(NamedTuple):
    """Clusters, and in a few words how they came about."""

    name: str
    clusters: list[Rows]


def sizes(k: int, n: int) -> list[int]:
    """Least sizes of clusters: k, 2k, 4k, ..., and all records."""
    found = [k]
    while 2 * found[-1] <= n // 2:
        found.append(2 * found[-1])
    return [*found, n] if n > found[-1] else found


class Starts:
    """Forms clusters of a dataset; without a name, by the usual relational algorithms."""

    def __init__(self, data: Dataset, quasi: Quasi, k: int, clusters: str, values: dict[str, Any]) -> None:
        self._data, self._quasi, self._k, self._values = data, quasi, k, values
        self.forming: Sequence[str] = FORMING if clusters == "auto" else (clusters,)
        self._parts: list[Rows] = []

    def formed(self, name: str, size: int) -> Candidate:
        """The clusters of a relational algorithm, of at least so many records."""
        found = form_clusters(self._data, name, {**self._values, "k": size})
        return Candidate(f"{name} of {size}", found)

    def alike(self, alignment: Alignment, price: int) -> Candidate:
        """Classes of k records with like items, the closer together the higher the price of NCP."""
        if not self._parts:
            size, n = max(PART, 2 * self._k), len(self._data)
            self._parts = self.formed(self.forming[0], size).clusters if n >= 2 * size else [np.arange(n)]
        return Candidate(f"alike at {price}", alignment.classes(self._parts, price))

    def merged(self, delta: float | None) -> Iterator[Candidate]:
        """What the papers' algorithms merge: within the bound, or at several points on the way; and groups of similar items."""
        n = len(self._data)
        if delta is not None and self.forming[0] != "cluster":
            finest = self.formed(self.forming[0], self._k)
            yield from (Candidate(f"{finest.name}, {name}", found) for name, found in self._way(finest.clusters, "r", delta))
        base = self.formed("cluster", self._k).clusters
        yield Candidate("r-first", base)
        ways: tuple[By, ...] = ("r", "rt", "t")
        for by in ways:
            yield from self._way(base, by, delta)
        yield Candidate("t-first", gray_groups(self._data.linkable, max(self._k, min(GRAY, n))))

    def _way(self, base: list[Rows], by: By, delta: float | None) -> Iterator[Candidate]:
        near = None if by == "r" else lambda part: Btd(self._data.linkable, part)
        parts = ClusterParts(self._quasi, near, base, np.arange(len(base)), 4096)
        bound = np.inf if delta is None else delta + TOLERANCE
        measured = QuasiMeasure("ncp", len(self._data), self._k)
        steps = list(merges(parts.fresh(), by, measured, bound, rejoin=parts.joined))
        now = dict(enumerate(base))
        stops = {len(steps)} if delta is not None else {(s + 1) * len(steps) // STOPS for s in range(STOPS)}
        for done, step in enumerate(steps, 1):
            now[step.name] = np.concatenate([now.pop(step.seed), now.pop(step.partner)])
            if done in stops:
                yield Candidate(f"{'rmerge' if delta is not None else 'tmerge'}-{by}, {len(now)} clusters", list(now.values()))


def mean_loss(quasi: Quasi, clusters: Sequence[Rows]) -> float:
    """NCP of the mean record."""
    _, losses = states_of(quasi, clusters)
    lengths = np.array([len(rows) for rows in clusters])
    return float((losses * lengths).sum() / max(1, lengths.sum()))


FIRST_RUNG = 3  # 8 k records: most often near the best
PRICES = [2**p for p in range(13)]  # of NCP, in shared items
FIRST_PRICE = 8


class Judges(NamedTuple):
    """Who looks at clusters: by the labels of an item step, or by aligned items; None: these are not wanted."""

    stepwise: ClusterJudge | None
    aligned: ClusterJudge | None

    @property
    def usual(self) -> ClusterJudge:
        """Who looks at clusters that were not formed for one of them."""
        found = self.stepwise or self.aligned
        assert found is not None, "one of them is there"
        return found


class EvaluatedStart(NamedTuple):
    """A start that was judged: what it comes to, who says so, and how it came about."""

    standing: Standing
    judge: ClusterJudge
    trace: Trace


class Exploration:
    """Judges starts, keeps the best, and remembers what was tried."""

    def __init__(
        self,
        judges: Judges,
        starts: Starts,
        k: int,
        n: int,
        delta: float | None,
        limits: Limits,
        budget: SearchBudget,
        relax: Sequence[Fix],
    ) -> None:
        self._judges, self._starts, self._n, self._budget, self._relax = judges, starts, n, budget, relax
        self._delta = 1.0 if delta is None else delta
        self._bounded = delta
        self._k, self._limits = k, limits
        self.best: EvaluatedStart | None = None
        self.stepwise: EvaluatedStart | None = None  # the best of those by an item step
        self.tried: list[Tried] = []
        self._lowest = inf
        self._ways = self._candidates()

    def run(self) -> EvaluatedStart:
        """The best start within the bound, of the starts that were reached: one to publish, whatever the clock says.

        Called once more it goes on with the starts that it has not looked at.
        """
        while not self._is_enough:
            if next(self._ways, None) is None:
                break
        if self.best is None:
            raise InfeasibleError(
                f"delta={self._delta:g} cannot be reached: the lowest NCP found is {np.ceil(self._lowest * 1e6) / 1e6:.6f}"
            )
        return self.best

    @property
    def _is_enough(self) -> bool:
        """Whether no other start is wanted."""
        if self.best is None or not (self._budget.is_spent or self.best.standing.value == 0.0):
            return False
        return (self._budget.is_counted and self._budget.is_spent) or self._is_worth_it

    @property
    def _is_worth_it(self) -> bool:
        """Whether there is something to publish."""
        return self.best is not None and self.best.judge.says_something(self.best.standing)

    def _candidates(self) -> Iterator[Tried]:
        """All starts, each judged when it is asked for."""
        if self._judges.aligned is not None:
            yield from self._alike(self._judges.aligned)
        yield from self._rungs(self._judges.usual)
        for candidate in self._starts.merged(self._bounded):
            yield self._try(candidate, self._judges.usual)

    def _alike(self, judge: ClusterJudge) -> Iterator[Tried]:
        """Records of like items at several prices of NCP."""
        assert isinstance(judge.showing, Alignment)
        alignment = judge.showing

        def attempt(price: int) -> Tried:
            return self._try(self._starts.alike(alignment, price), judge)

        lower, higher = PRICES[:FIRST_PRICE][::-1], PRICES[FIRST_PRICE + 1 :]
        best = yield from self._climb(PRICES[FIRST_PRICE], lower, higher, attempt)
        for price in (round(best * 1.4), round(best / 1.4)):
            yield attempt(price)

    def _rungs(self, judge: ClusterJudge) -> Iterator[Tried]:
        """Clusters of several sizes by one algorithm, then of the best of these sizes by the others."""
        main, *others = self._starts.forming

        def attempt(size: int) -> Tried:
            return self._try(self._starts.formed(main, size), judge)

        ladder = sizes(self._k, self._n)
        middle = min(FIRST_RUNG, len(ladder) - 1)
        best = yield from self._climb(ladder[middle], ladder[middle + 1 :], ladder[:middle][::-1], attempt)
        for size in (int(best * 1.4), int(best / 1.4)):
            if self._k < size < self._n:
                yield attempt(size)
        for name in others:
            yield self._try(self._starts.formed(name, best), judge)
        if self.best is None:
            for name in (main, *others):
                yield self._try(self._starts.formed(name, self._k), judge)

    def _climb(
        self, first: int, away: Sequence[int], closer: Sequence[int], attempt: Callable[[int], Tried]
    ) -> Generator[Tried, None, int]:
        """Try a setting and those to both sides of it while that helps; return the best.

        To the side where records lie closer together it goes on until there is something to publish.
        """
        tried = attempt(first)
        best, least = first, self._rank(tried)
        yield tried
        for way in (away, closer):
            for setting in way:
                tried = attempt(setting)
                helped = self._rank(tried) < least
                best, least = (setting, self._rank(tried)) if helped else (best, least)
                yield tried
                if not helped and (way is away or self._is_worth_it):
                    break
        return best

    def _rank(self, tried: Tried) -> tuple[bool, float]:
        """Starts by what they are worth: those beyond the bound last."""
        return tried.blank * self._n > self._limits.blank, inf if tried.value is None else tried.value

    def _try(self, candidate: Candidate, judge: ClusterJudge) -> Tried:
        """Judge a start, unless it loses more than the bound allows."""
        ncp = mean_loss(judge.quasi, candidate.clusters)
        self._lowest = min(self._lowest, ncp)
        if ncp > self._delta + TOLERANCE:
            self.tried.append(Tried(candidate.name, len(candidate.clusters), ncp, None, 1.0, taken=False))
            return self.tried[-1]
        self._budget.step()
        shown = judge.showing.shown
        state, found, joined = join_unprotectable(judge.quasi, shown, self._relax, candidate.clusters, self._n)
        standing = judge.of_start([int(c) for c in state.alive], found)
        _, losses = states_of(judge.quasi, candidate.clusters)
        one = EvaluatedStart(standing, judge, formed_rows(candidate.clusters, losses) + joined_rows(joined))
        taken = self._is_better(one, self.best)
        if judge is self._judges.stepwise and self._is_better(one, self.stepwise):
            self.stepwise = one
        if taken:
            self.best = one
        blank = int(standing.blank.max(initial=0)) / self._n
        self.tried.append(Tried(candidate.name, len(found), standing.lost / self._n, standing.value, blank, taken=taken))
        return self.tried[-1]

    def _is_better(self, found: EvaluatedStart, best: EvaluatedStart | None) -> bool:
        """Whether a start is within the bound and to be preferred to the best so far, if any."""
        return found.standing.lost <= self._limits.lost and (best is None or self._limits.prefer(found.standing, best.standing))


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
