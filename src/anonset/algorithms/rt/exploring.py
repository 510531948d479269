"""The best of many starts, one judged after the other while there is time."""

from collections.abc import Iterator
from itertools import chain
from math import inf

import numpy as np

from anonset.algorithms.rt.bounds import TOLERANCE
from anonset.algorithms.rt.budget import Budget
from anonset.algorithms.rt.formation import join_unprotectable
from anonset.algorithms.rt.improving import Limits
from anonset.algorithms.rt.judging import Judge, Standing, states_of
from anonset.algorithms.rt.starts import Candidate, Starts, mean_loss, sizes
from anonset.algorithms.rt.trace import Tried, formed_rows, joined_rows
from anonset.errors import InfeasibleError
from anonset.model.release import Trace

FIRST_RUNG = 3  # 8 k records: most often near the best


class Exploration:
    """Judges starts, keeps the best, and remembers what was tried."""

    def __init__(
        self, judge: Judge, starts: Starts, k: int, n: int, delta: float | None, limits: Limits, budget: Budget
    ) -> None:
        self._judge, self._starts, self._n, self._budget = judge, starts, n, budget
        self._delta = 1.0 if delta is None else delta
        self._bounded = delta
        self._k, self._limits = k, limits
        self.best: Standing | None = None
        self.trace: Trace = ()
        self.tried: list[Tried] = []
        self._lowest = inf

    def run(self) -> Standing:
        """The best standing within the bound, of the starts that were reached: one to publish, whatever the clock says."""
        for candidate in chain(self._rungs(), self._starts.merged(self._bounded)):
            if self._is_enough:
                break
            self._try(candidate)
        if self.best is None:
            raise InfeasibleError(
                f"delta={self._delta:g} cannot be reached: the lowest NCP found is {np.ceil(self._lowest * 1e6) / 1e6:.6f}"
            )
        return self.best

    @property
    def _is_enough(self) -> bool:
        """Whether no other start is wanted."""
        if self.best is None or not (self._budget.is_spent or self.best.value == 0.0):
            return False
        return (self._budget.is_counted and self._budget.is_spent) or self._is_worth_it

    @property
    def _is_worth_it(self) -> bool:
        """Whether there is something to publish."""
        return self.best is not None and self._judge.says_something(self.best)

    def _rungs(self) -> Iterator[Candidate]:
        """Clusters of growing sizes: up and down from a middle one while that helps, then in between."""
        ladder = sizes(self._k, self._n)
        main, *others = self._starts.forming
        middle = min(FIRST_RUNG, len(ladder) - 1)
        yield self._starts.formed(main, ladder[middle])
        below = ladder[:middle][::-1]
        for way in (ladder[middle + 1 :], below):
            for size in way:
                yield self._starts.formed(main, size)
                if not self.tried[-1].taken and (way is not below or self._is_worth_it):
                    break
        best = self._best_size(main, ladder[middle])
        for size in (int(best * 1.4), int(best / 1.4)):
            if self._k < size < self._n:
                yield self._starts.formed(main, size)
        best = self._best_size(main, best)
        yield from (self._starts.formed(name, best) for name in others)
        if self.best is None:
            yield from (self._starts.formed(name, self._k) for name in (main, *others))

    def _best_size(self, name: str, otherwise: int) -> int:
        found = [int(one.name.rsplit(" ", 1)[1]) for one in self.tried if one.taken and one.name.startswith(f"{name} of ")]
        return found[-1] if found else otherwise

    def _try(self, candidate: Candidate) -> None:
        """Judge a start, unless it loses more than the bound allows."""
        ncp = mean_loss(self._judge.quasi, candidate.clusters)
        self._lowest = min(self._lowest, ncp)
        if ncp > self._delta + TOLERANCE:
            self.tried.append(Tried(candidate.name, len(candidate.clusters), ncp, None, 1.0, taken=False))
            return
        self._budget.step()
        state, outcomes, joined = join_unprotectable(self._judge.quasi, self._judge.items, candidate.clusters, self._n)
        found = self._judge.of_outcomes(outcomes)
        standing = self._judge.standing({int(c): one for c, one in zip(state.alive, found, strict=True)})
        within = standing.lost <= self._limits.lost
        taken = within and (self.best is None or self._better(standing, self.best))
        blank = int(standing.blank.max(initial=0)) / self._n
        self.tried.append(Tried(candidate.name, len(found), standing.lost / self._n, standing.value, blank, taken=taken))
        if taken:
            self.best = standing
            _, losses = states_of(self._judge.quasi, candidate.clusters)
            self.trace = formed_rows(candidate.clusters, losses) + joined_rows(joined)

    def _better(self, new: Standing, old: Standing) -> bool:
        """Whether a standing is to be preferred: blank columns within the limit first, then the aim."""
        fine, fine_before = (self._limits.allow(one.lost, one.blank) for one in (new, old))
        if not fine and not fine_before:
            return (int(new.blank.max()), new.value) < (int(old.blank.max()), old.value)
        return (not fine, new.value) < (not fine_before, old.value)
