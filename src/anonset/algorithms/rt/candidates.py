"""The clusters from which `rt-search` starts, one factory a kind.

A factory is a generator: it forms clusters, yields them, and is resumed once they were tried. So it can look at how its last
candidate did (`trials`) and propose larger or smaller clusters next.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np

from anonset.algorithms.rt.alignment import Alignment
from anonset.algorithms.rt.base import form_clusters
from anonset.algorithms.rt.cluster_merge import TOLERANCE, Btd, By, ClusterParts, QuasiMeasure, merges
from anonset.algorithms.rt.local_search import SearchLimits
from anonset.algorithms.rt.merge import gray_groups
from anonset.algorithms.rt.objective import ClusterEvaluator, Clustering
from anonset.algorithms.rt.trace import StartTrial
from anonset.algorithms.rt.tuning import (
    FIRST_PRICE,
    FIRST_PRICE_IN_BRANCHES,
    FIRST_SIZE,
    FORMING,
    GRAY_GROUP,
    NEXT_TO_BEST,
    PRICES_OF_NCP,
    RECORDS_COMPARED,
    STATES_OF_A_MERGE,
)
from anonset.kernels.groups import Quasi
from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.release import Trace

COMPARED = 4096  # clusters that are compared with each other when clusters merge; more are split at medians first


class Candidate(NamedTuple):
    """Clusters to start from, and in a few words how they were formed."""

    name: str
    clusters: list[Rows]


class EvaluatedStart(NamedTuple):
    """A start that was tried: its clustering, who evaluated it, and how its clusters were formed."""

    clustering: Clustering
    evaluator: ClusterEvaluator
    trace: Trace


class Trials:
    """The starts that were tried: the best of all, and the best of those whose clusters may be improved."""

    def __init__(self, limits: SearchLimits) -> None:
        self._limits = limits
        self.best: EvaluatedStart | None = None
        self.best_to_improve: EvaluatedStart | None = None
        self.lowest_ncp = inf
        self.log: list[StartTrial] = []

    def is_better(self, start: EvaluatedStart, best: EvaluatedStart | None) -> bool:
        """Whether a start is within the bound on NCP and preferred to the best so far, if any."""
        if start.clustering.lost > self._limits.lost:
            return False
        return best is None or self._limits.prefer(start.clustering, best.clustering)

    @property
    def has_publishable(self) -> bool:
        """Whether the best start could be published."""
        return self.best is not None and self.best.evaluator.is_publishable(self.best.clustering)

    def last_rank(self, n: int) -> tuple[bool, float]:
        """What the last start is compared by: too many blank values of a column come last, then the value decides."""
        last = self.log[-1]
        return last.blank * n > self._limits.blank, inf if last.value is None else last.value


CandidateFactory = Callable[[Trials], Iterator[Candidate]]


class StartingClusters:
    """The factories, for one dataset; `clusters` names the relational algorithm that forms clusters, or is `auto`."""

    def __init__(self, data: Dataset, quasi: Quasi, k: int, clusters: str, delta: float | None, values: dict[str, Any]) -> None:
        self._data, self._quasi, self._k, self._delta, self._values = data, quasi, k, delta, values
        self._forming: Sequence[str] = FORMING if clusters == "auto" else (clusters,)

    def classes_of_alike_records(self, alignment: Alignment, apart: Mask | None = None) -> CandidateFactory:
        """Classes of k records with like items, the closer together by quasi values the higher the price of NCP.

        Records of the mask `apart` are in classes of their own.
        """

        def factory(trials: Trials) -> Iterator[Candidate]:
            parts = self._parts
            if apart is not None:
                divided = [*(part[~apart[part]] for part in parts), np.flatnonzero(apart)]
                parts = [part for part in divided if len(part)]

            def form(price: int) -> Candidate:
                return Candidate(f"alike at {price}", alignment.classes(parts, price))

            first = FIRST_PRICE_IN_BRANCHES if alignment.keeps_branches else FIRST_PRICE
            lower, higher = PRICES_OF_NCP[:first][::-1], PRICES_OF_NCP[first + 1 :]
            best = yield from self._climb(trials, PRICES_OF_NCP[first], lower, higher, form)
            for price in (round(best * NEXT_TO_BEST), round(best / NEXT_TO_BEST)):
                yield form(price)

        return factory

    @cached_property
    def _parts(self) -> list[Rows]:
        """Parts of the records by quasi values, in which records with like items are looked for."""
        size, n = max(RECORDS_COMPARED, 2 * self._k), len(self._data)
        return self._formed(self._forming[0], size).clusters if n >= 2 * size else [np.arange(n)]

    def clusters_of_several_sizes(self, trials: Trials) -> Iterator[Candidate]:
        """Clusters of several sizes by one relational algorithm, then of the best of these sizes by the others."""
        main, *others = self._forming

        def form(size: int) -> Candidate:
            return self._formed(main, size)

        sizes = cluster_sizes(self._k, len(self._data))
        middle = min(FIRST_SIZE, len(sizes) - 1)
        larger, smaller = sizes[middle + 1 :], sizes[:middle][::-1]
        best = yield from self._climb(trials, sizes[middle], larger, smaller, form)
        for size in (int(best * NEXT_TO_BEST), int(best / NEXT_TO_BEST)):
            if self._k < size < len(self._data):
                yield form(size)
        for name in others:
            yield self._formed(name, best)
        if trials.best is None:  # nothing was within the bound: the smallest clusters lose least
            for name in self._forming:
                yield self._formed(name, self._k)

    def _climb(
        self,
        trials: Trials,
        first: int,
        wider: Sequence[int],
        closer: Sequence[int],
        form: Callable[[int], Candidate],
    ) -> Generator[Candidate, None, int]:
        """Propose a setting, then those to both sides of it while that helps; return the best.

        On the side where records are closer together it continues until a start can be published.
        """
        n = len(self._data)
        yield form(first)
        best, least = first, trials.last_rank(n)
        for settings in (wider, closer):
            for setting in settings:
                yield form(setting)
                rank = trials.last_rank(n)
                helped = rank < least
                if helped:
                    best, least = setting, rank
                elif settings is wider or trials.has_publishable:
                    break
        return best

    def finest_merged_within_bound(self, trials: Trials) -> Iterator[Candidate]:
        """The smallest clusters of the first relational algorithm, merged within the bound as rmerge-r does."""
        if self._delta is not None and self._forming[0] != "cluster":
            finest = self._formed(self._forming[0], self._k)
            for candidate in self._merged(finest.clusters, "r"):
                yield candidate._replace(name=f"{finest.name}, {candidate.name}")

    def clusters_of_r_first(self, trials: Trials) -> Iterator[Candidate]:
        """The clusters of r-first."""
        yield Candidate("r-first", self._smallest)

    def merged_clusters(self, trials: Trials) -> Iterator[Candidate]:
        """What rmerge-r, -rt and -t merge within the bound; without one, states on the way of tmerge-r, -rt and -t."""
        orders: tuple[By, ...] = ("r", "rt", "t")
        for by in orders:
            yield from self._merged(self._smallest, by)

    def groups_of_t_first(self, trials: Trials) -> Iterator[Candidate]:
        """The groups of t-first."""
        size = max(self._k, min(GRAY_GROUP, len(self._data)))
        yield Candidate("t-first", gray_groups(self._data.linkable, size))

    @cached_property
    def _smallest(self) -> list[Rows]:
        """Clusters of about k records by `cluster`."""
        return self._formed("cluster", self._k).clusters

    def _formed(self, name: str, size: int) -> Candidate:
        """The clusters of a relational algorithm, of at least `size` records."""
        return Candidate(f"{name} of {size}", form_clusters(self._data, name, {**self._values, "k": size}))

    def _merged(self, base: list[Rows], by: By) -> Iterator[Candidate]:
        """The clusters merged as far as the bound allows; without one, several states on the way to a single cluster."""
        near = None if by == "r" else lambda part: Btd(self._data.linkable, part)
        parts = ClusterParts(self._quasi, near, base, np.arange(len(base)), COMPARED)
        bound = np.inf if self._delta is None else self._delta + TOLERANCE
        measure = QuasiMeasure("ncp", len(self._data), self._k)
        steps = list(merges(parts.fresh(), by, measure, bound, rejoin=parts.joined))
        if self._delta is not None:
            algorithm, stops = "rmerge", {len(steps)}
        else:
            algorithm, stops = "tmerge", {(s + 1) * len(steps) // STATES_OF_A_MERGE for s in range(STATES_OF_A_MERGE)}
        now = dict(enumerate(base))
        for done, step in enumerate(steps, 1):
            now[step.name] = np.concatenate([now.pop(step.seed), now.pop(step.partner)])
            if done in stops:
                yield Candidate(f"{algorithm}-{by}, {len(now)} clusters", list(now.values()))


def cluster_sizes(k: int, n: int) -> list[int]:
    """Least sizes of clusters: k, 2k, 4k, ..., and all records."""
    sizes = [k]
    while 2 * sizes[-1] <= n // 2:
        sizes.append(2 * sizes[-1])
    return [*sizes, n] if n > sizes[-1] else sizes
