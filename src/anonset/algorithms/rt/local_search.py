"""A round of `rt-search`: clusters merge with a neighbour, or are cut in two, wherever that lowers the objective.

A round proposes changes that share no cluster, evaluates the clusters that they would make, and accepts those that lower the
objective, first those that lower it most for the NCP they take.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from anonset import threads
from anonset.algorithms.rt.cluster_merge import cluster_states
from anonset.algorithms.rt.objective import ClusterEvaluator, Clustering, EvaluatedCluster
from anonset.kernels.groups import Quasi, States, unions_of_many
from anonset.model.arrays import Reals, Rows

SEEKERS = 4096  # clusters that look for a partner among all others in one round
UNIONS_PER_CHUNK = 60_000  # unions that a thread looks at in one go: about 0.5 MB a column
SLACK = 1e-12


class SearchLimits(NamedTuple):
    """What clusters may lose at most: NCP summed over all records, and records in which a column says nothing."""

    lost: float
    blank: float

    def allow(self, lost: float, blank: Rows) -> bool:
        """Whether a clustering may lose this much."""
        return lost <= self.lost and bool((blank <= self.blank).all())

    def prefer(self, new: Clustering, old: Clustering) -> bool:
        """Whether the new clustering is the better one: within the limits first, then by its value."""
        new_fits, old_fits = self.allow(new.lost, new.blank), self.allow(old.lost, old.blank)
        if not new_fits and not old_fits:
            return (int(new.blank.max()), new.value) < (int(old.blank.max()), old.value)
        return (not new_fits, new.value) < (not old_fits, old.value)


class ProposedChange(NamedTuple):
    """The clusters `old` give way to `new` ones of the same records; the first of `new` has the lowest number of the old."""

    old: tuple[int, ...]
    new: dict[int, EvaluatedCluster]


class Change(NamedTuple):
    """A proposal that was accepted, and the NCP summed over all records after it."""

    old: tuple[int, ...]
    new: dict[int, EvaluatedCluster]
    lost: float


class ImprovementRound(NamedTuple):
    """The clustering after a round, its changes, and the largest gain per NCP of a change that the limits refused."""

    clustering: Clustering
    changes: list[Change]
    refused_gain: float = 0.0


def merge_round(
    evaluator: ClusterEvaluator, now: Clustering, limits: SearchLimits, rank: int, rng: np.random.Generator
) -> ImprovementRound:
    """Merge pairs of neighbours: each cluster looks at the one that is the rank-th nearest to it by quasi values."""
    names = sorted(now.clusters)
    if len(names) < 2:
        return ImprovementRound(now, [])
    clusters = [now.clusters[name] for name in names]
    pairs = [(names[a], names[b]) for a, b in _pairs(evaluator.quasi, clusters, rank, rng)]
    unions = evaluator.evaluate([np.concatenate([now.clusters[a].rows, now.clusters[b].rows]) for a, b in pairs])
    proposals = [
        ProposedChange((a, b), {min(a, b): union}) for (a, b), union in zip(pairs, unions, strict=True) if union is not None
    ]
    return _accepted(evaluator, now, proposals, limits)


def split_round(
    evaluator: ClusterEvaluator, now: Clustering, k: int, limits: SearchLimits, worth_of_ncp: float
) -> ImprovementRound:
    """Cut clusters of 2k records or more in two, at the median of the column in which they are widest.

    The value may rise by `worth_of_ncp` for each unit of NCP that is won back: other clusters can use it.
    """
    large = [name for name in sorted(now.clusters) if len(now.clusters[name].rows) >= 2 * k]
    spans = np.maximum(np.ptp(evaluator.quasi.values, axis=0), SLACK)
    halves = {name: pair for name in large if (pair := _halves(evaluator.quasi, now.clusters[name].rows, k, spans)) is not None}
    evaluated = evaluator.evaluate([half for pair in halves.values() for half in pair])
    fresh = max(now.clusters, default=0) + 1
    proposals = []
    for p, name in enumerate(halves):
        left, right = evaluated[2 * p], evaluated[2 * p + 1]
        if left is not None and right is not None:
            proposals.append(ProposedChange((name,), {name: left, fresh + p: right}))
    return _accepted(evaluator, now, proposals, limits, worth_of_ncp)


def _accepted(
    evaluator: ClusterEvaluator,
    now: Clustering,
    proposals: Sequence[ProposedChange],
    limits: SearchLimits,
    worth_of_ncp: float = 0.0,
) -> ImprovementRound:
    """The clustering after all proposals that lower the value, first those that lower it most for the NCP they take."""
    differences = [_difference(now, proposal) for proposal in proposals]
    rises = np.array([_rise(now, proposal) for proposal in proposals])
    gains = np.array([now.value - evaluator.value(now.total + difference) for difference in differences])
    gains = gains - worth_of_ncp * rises
    gain_per_ncp = gains / np.maximum(rises, SLACK)
    clusters, total, blank = dict(now.clusters), now.total.copy(), now.blank.copy()
    lost, value = now.lost, now.value
    changes, refused_gain = [], 0.0
    for p in np.argsort(-gain_per_ncp, kind="stable"):
        (old, new), rise = proposals[p], float(rises[p])
        # contributions of proposals taken before may have used up what this one gained alone
        after = evaluator.value(total + differences[p]) if gains[p] > SLACK else np.inf
        if after + worth_of_ncp * rise >= value - SLACK:
            continue
        more_blank = sum(cluster.blank for cluster in new.values()) - sum(now.clusters[name].blank for name in old)
        loses_more = rise > 0 or (more_blank > 0).any()
        if loses_more and not limits.allow(lost + rise, blank + more_blank):
            if rise > 0 and lost + rise > limits.lost:
                refused_gain = max(refused_gain, float(gain_per_ncp[p]))
            continue
        for name in old:
            del clusters[name]
        clusters |= new
        total, blank = total + differences[p], blank + more_blank
        lost, value = lost + rise, after
        changes.append(Change(old, new, lost))
    return ImprovementRound(Clustering(clusters, total, lost, blank, value), changes, refused_gain)


def _rise(now: Clustering, proposal: ProposedChange) -> float:
    """What a proposal adds to the NCP summed over all records."""
    before = sum(now.clusters[name].lost for name in proposal.old)
    return sum(cluster.lost for cluster in proposal.new.values()) - before


def _difference(now: Clustering, proposal: ProposedChange) -> Reals:
    """What a proposal adds to the sum of contributions."""
    after = np.sum([cluster.contribution for cluster in proposal.new.values()], axis=0)
    found: Reals = after - np.sum([now.clusters[name].contribution for name in proposal.old], axis=0)
    return found


def _pairs(
    quasi: Quasi, clusters: Sequence[EvaluatedCluster], rank: int, rng: np.random.Generator
) -> Iterator[tuple[int, int]]:
    """Pairs that share no cluster, first those whose union costs least."""
    seekers = np.arange(len(clusters))
    if len(seekers) > SEEKERS:
        seekers = np.sort(rng.permutation(seekers)[:SEEKERS])
    growth, partner = partners(quasi, [cluster.rows for cluster in clusters], seekers, rank)
    low, high = np.minimum(seekers, partner), np.maximum(seekers, partner)
    candidates = set(zip(growth.tolist(), low.tolist(), high.tolist(), strict=True))
    paired: set[int] = set()
    for _, a, b in sorted(candidates):
        if a not in paired and b not in paired:
            paired |= {a, b}
            yield a, b


def partners(quasi: Quasi, clusters: Sequence[Rows], seekers: Rows, rank: int) -> tuple[Reals, Rows]:
    """What the rank-th cheapest union of each seeker with another cluster adds to the NCP of all, and that cluster."""
    states, losses = cluster_states(quasi, clusters)
    sizes = np.array([len(rows) for rows in clusters])
    place, step = min(rank, len(clusters) - 2), max(1, UNIONS_PER_CHUNK // len(clusters))

    def cheapest(some: Rows) -> tuple[Reals, Rows]:
        unions = unions_of_many(quasi, states, States(states.low[some], states.high[some], states.bits[some]))
        growth = unions * (sizes + sizes[some, None]) - losses * sizes - (losses * sizes)[some, None]
        each = np.arange(len(some))
        growth[each, some] = np.inf
        found = np.argpartition(growth, place)[:, place]
        return growth[each, found], found

    chunks = [seekers[p : p + step] for p in range(0, len(seekers), step)]
    growth, partner = zip(*threads.parallel_map(cheapest, chunks), strict=True)
    return np.concatenate(growth), np.concatenate(partner)


def _halves(quasi: Quasi, rows: Rows, k: int, spans: Reals) -> tuple[Rows, Rows] | None:
    """The records below and above the median of the widest column; None where no column differs enough."""
    values = quasi.values[rows]
    ranks = [np.unique(column, return_inverse=True)[1] for column in values.T]
    widths = np.ptp(values, axis=0) / spans * quasi.weight
    for j in np.argsort(-widths, kind="stable"):
        if widths[j] <= 0:
            return None
        below = np.searchsorted(np.sort(ranks[j]), np.arange(ranks[j].max() + 1), side="right")  # records up to each value
        cut = int(np.abs(below - len(rows) / 2).argmin())
        if min(below[cut], len(rows) - below[cut]) >= k:
            left = ranks[j] <= cut
            return rows[left], rows[~left]
    return None
