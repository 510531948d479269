"""The best of many starts, one judged after the other while there is time."""

from collections.abc import Callable, Generator, Iterator, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from anonset.algorithms.rt.aligning import Alignment
from anonset.algorithms.rt.bounds import TOLERANCE
from anonset.algorithms.rt.budget import SearchBudget
from anonset.algorithms.rt.formation import join_unprotectable
from anonset.algorithms.rt.improving import Limits
from anonset.algorithms.rt.judging import ClusterJudge, Standing, states_of
from anonset.algorithms.rt.starts import Candidate, Starts, mean_loss, sizes
from anonset.algorithms.rt.trace import Tried, formed_rows, joined_rows
from anonset.errors import InfeasibleError
from anonset.model.release import Trace

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
        relax: str,
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
