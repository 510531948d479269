"""Clusters merged and split while an aim falls: each round proposes changes that do not touch each other, judges them together
and keeps those that help, the best first."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from anonset.algorithms.rt.judging import ClusterJudge, Judged, Standing, states_of
from anonset.kernels.groups import Quasi, States, unions_of_many
from anonset.model import threads
from anonset.model.arrays import Reals, Rows

COMPARED = 4096  # clusters that look for a partner among all others in one round
CELLS = 60_000  # unions that a thread looks at in one go
SLACK = 1e-12


class Limits(NamedTuple):
    """What clusters may lose at most: NCP summed over all records, and records in which a column says nothing."""

    lost: float
    blank: float

    def allow(self, lost: float, blank: Rows) -> bool:
        """Whether so much may be lost."""
        return lost <= self.lost and bool((blank <= self.blank).all())

    def prefer(self, new: Standing, old: Standing) -> bool:
        """Whether a standing is the better one: blank columns within the limit first, then the aim."""
        fine, fine_before = (self.allow(one.lost, one.blank) for one in (new, old))
        if not fine and not fine_before:
            return (int(new.blank.max()), new.value) < (int(old.blank.max()), old.value)
        return (not fine, new.value) < (not fine_before, old.value)


class ImprovementRound(NamedTuple):
    """The standing after a round, what was changed, and the most per NCP that a change would gain which the limits refuse."""

    standing: Standing
    changes: list["Change"]
    refused: float = 0.0


class Change(NamedTuple):
    """The clusters `old` gave way to others of the same records; the first of `new` bears the lowest number of the old."""

    old: tuple[int, ...]
    new: dict[int, Judged]
    lost: float  # NCP summed over all records, after the change


def merged(judge: ClusterJudge, now: Standing, limits: Limits, rank: int, rng: np.random.Generator) -> ImprovementRound:
    """Pairs of neighbours merged: each looks at the cluster that is the rank-th nearest to it by quasi values."""
    names = sorted(now.clusters)
    if len(names) < 2:
        return ImprovementRound(now, [])
    pairs = [(names[a], names[b]) for a, b in _pairs(judge, [now.clusters[name] for name in names], rank, rng)]
    found = judge.judged([np.concatenate([now.clusters[a].rows, now.clusters[b].rows]) for a, b in pairs])
    proposals = [((a, b), {min(a, b): union}) for (a, b), union in zip(pairs, found, strict=True) if union is not None]
    return _kept(judge, now, proposals, limits)


def divided(judge: ClusterJudge, now: Standing, k: int, limits: Limits, rate: float) -> ImprovementRound:
    """Clusters of 2k records or more cut in two, at the median of the column in which they are widest.

    The value may rise by `rate` for the NCP that is won back, which others can use better.
    """
    names = [name for name in sorted(now.clusters) if len(now.clusters[name].rows) >= 2 * k]
    spans = np.maximum(np.ptp(judge.quasi.values, axis=0), SLACK)
    halves = {name: pair for name in names if (pair := _halves(judge, now.clusters[name].rows, k, spans)) is not None}
    found = judge.judged([half for pair in halves.values() for half in pair])
    fresh = max(now.clusters, default=0) + 1
    proposals: list[tuple[tuple[int, ...], dict[int, Judged]]] = []
    for p, name in enumerate(halves):
        left, right = found[2 * p], found[2 * p + 1]
        if left is not None and right is not None:
            proposals.append(((name,), {name: left, fresh + p: right}))
    return _kept(judge, now, proposals, limits, rate)


def _kept(
    judge: ClusterJudge,
    now: Standing,
    proposals: Sequence[tuple[tuple[int, ...], dict[int, Judged]]],
    limits: Limits,
    rate: float = 0.0,
) -> ImprovementRound:
    """The standing after all proposals that lower the value, those that lower it most for the NCP they take first."""
    before = [_difference(now, *proposal) for proposal in proposals]
    rises = np.array([_rise(now, *proposal) for proposal in proposals])
    gains = np.array([now.value - judge.value(now.total + difference) for difference in before]) - rate * rises
    worth = gains / np.maximum(rises, SLACK)
    clusters, total, lost, blank, value = dict(now.clusters), now.total.copy(), now.lost, now.blank.copy(), now.value
    changes, refused = [], 0.0
    for p in np.argsort(-worth, kind="stable"):
        (old, new), rise = proposals[p], float(rises[p])
        blanker = sum(one.blank for one in new.values()) - sum(now.clusters[name].blank for name in old)
        after = judge.value(total + before[p]) if gains[p] > SLACK else np.inf
        worse = rise > 0 or (blanker > 0).any()
        if after + rate * rise >= value - SLACK:
            continue
        if worse and not limits.allow(lost + rise, blank + blanker):
            refused = max(refused, float(worth[p]) if rise > 0 and lost + rise > limits.lost else 0.0)
            continue
        for name in old:
            del clusters[name]
        clusters |= new
        total, lost, blank, value = total + before[p], lost + rise, blank + blanker, after
        changes.append(Change(old, new, lost))
    return ImprovementRound(Standing(clusters, total, lost, blank, value), changes, refused)


def _rise(now: Standing, old: tuple[int, ...], new: dict[int, Judged]) -> float:
    return sum(one.lost for one in new.values()) - sum(now.clusters[name].lost for name in old)


def _difference(now: Standing, old: tuple[int, ...], new: dict[int, Judged]) -> Reals:
    found: Reals = np.sum([one.part for one in new.values()], axis=0) - np.sum([now.clusters[c].part for c in old], axis=0)
    return found


def _pairs(judge: ClusterJudge, clusters: Sequence[Judged], rank: int, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Pairs that share no cluster, those whose union costs least first."""
    seekers = np.arange(len(clusters))
    if len(seekers) > COMPARED:
        seekers = np.sort(rng.permutation(seekers)[:COMPARED])
    growth, partner = partners(judge.quasi, [cluster.rows for cluster in clusters], seekers, rank)
    low, high = np.minimum(seekers, partner), np.maximum(seekers, partner)
    wanted = zip(growth.tolist(), low.tolist(), high.tolist(), strict=True)
    taken: set[int] = set()
    for _, a, b in sorted(set(wanted)):
        if a not in taken and b not in taken:
            taken |= {a, b}
            yield a, b


def partners(quasi: Quasi, clusters: Sequence[Rows], seekers: Rows, rank: int) -> tuple[Reals, Rows]:
    """What the rank-th cheapest union of each seeker with another cluster adds to the NCP of all, and that cluster."""
    states, losses = states_of(quasi, clusters)
    sizes = np.array([len(rows) for rows in clusters])
    place, step = min(rank, len(clusters) - 2), max(1, CELLS // len(clusters))

    def look(some: Rows) -> tuple[Reals, Rows]:
        unions = unions_of_many(quasi, states, States(states.low[some], states.high[some], states.bits[some]))
        growth = unions * (sizes + sizes[some, None]) - losses * sizes - (losses * sizes)[some, None]
        each = np.arange(len(some))
        growth[each, some] = np.inf
        found = np.argpartition(growth, place)[:, place]
        return growth[each, found], found

    found = threads.side_by_side(look, [seekers[p : p + step] for p in range(0, len(seekers), step)])
    growth, partner = zip(*found, strict=True)
    return np.concatenate(growth), np.concatenate(partner)


def _halves(judge: ClusterJudge, rows: Rows, k: int, spans: Reals) -> tuple[Rows, Rows] | None:
    """The records below and above the median of the widest column; None where no column differs enough."""
    values = judge.quasi.values[rows]
    ranks = [np.unique(column, return_inverse=True)[1] for column in values.T]
    widths = np.ptp(values, axis=0) / spans * judge.quasi.weight
    for j in np.argsort(-widths, kind="stable"):
        if widths[j] <= 0:
            return None
        below = np.searchsorted(np.sort(ranks[j]), np.arange(ranks[j].max() + 1), side="right")  # records up to each value
        cut = int(np.abs(below - len(rows) / 2).argmin())
        if min(below[cut], len(rows) - below[cut]) >= k:
            left = ranks[j] <= cut
            return rows[left], rows[~left]
    return None
