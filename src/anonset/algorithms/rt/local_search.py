"""Clusters with all that a search knows of them, merged and split while its objective falls."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from anonset.algorithms.rt.cluster_labels import NarrowedCluster, side_by_side
from anonset.algorithms.rt.objective import Aim
from anonset.kernels.groups import Quasi, States, costs_of_states, states_of_groups, unions_of_many
from anonset.model import threads
from anonset.model.accepted import LOST_SHARE
from anonset.model.arrays import Mask, Reals, Rows
from anonset.model.dataset import Transactions

TOGETHER = 4096  # clusters that are looked at in one go
NOTHING = np.zeros(0)


class Judged(NamedTuple):
    """A cluster that is protected: what it shows, the NCP of a record of it, and what it contributes to the aim.

    blank[j] is the number of its records if column j says nothing there, else 0.
    """

    shown: NarrowedCluster
    loss: float
    part: Reals
    blank: Rows

    @property
    def rows(self) -> Rows:
        """Its records."""
        return self.shown.rows

    @property
    def lost(self) -> float:
        """NCP summed over its records."""
        return self.loss * len(self.shown.rows)


class Standing(NamedTuple):
    """Clusters by number, what they contribute in all, NCP summed over records, blanks of each column, and the value."""

    clusters: dict[int, Judged]
    total: Reals
    lost: float
    blank: Rows
    value: float


class Labelling(Protocol):
    """A way to label the items of clusters."""

    def shown(self, clusters: Sequence[Rows]) -> list[NarrowedCluster | None]:
        """What each cluster shows, or None where it cannot be protected on its own."""
        ...


class ClusterJudge:
    """Looks at what clusters show with the eyes of an aim; what each contributes is kept where clusters may change later."""

    def __init__(self, quasi: Quasi, t: Transactions, showing: Labelling, aim: Aim, *, changing: bool = True) -> None:
        self.quasi, self.showing = quasi, showing
        self._t, self._aim, self._changing = t, aim, changing

    def judged(self, clusters: Sequence[Rows]) -> list[Judged | None]:
        """Each cluster, or None where it cannot be protected on its own."""
        shown = self.showing.shown(clusters)
        found = iter(self.of_shown([one for one in shown if one is not None]))
        return [None if one is None else next(found) for one in shown]

    def of_shown(self, shown: Sequence[NarrowedCluster]) -> list[Judged]:
        """Clusters whose items were protected already."""
        if not shown:
            return []
        states, losses = states_of(self.quasi, [one.rows for one in shown])
        parts = self._aim.contributions(shown, losses)
        blank = self._blank(states)
        return [Judged(one, float(losses[c]), parts[c], blank[c] * len(one.rows)) for c, one in enumerate(shown)]

    def _blank(self, states: States) -> Mask:
        """Which columns say nothing in each cluster."""
        columns = np.eye(len(self.quasi.kind))
        costs = [costs_of_states(self.quasi._replace(weight=only), states) for only in columns]
        return np.column_stack(costs) >= 1.0 - 1e-9

    def of_start(self, names: Sequence[int], shown: Sequence[NarrowedCluster]) -> Standing:
        """Clusters by number, whose items were protected already, all together."""
        clusters: dict[int, Judged] = {}
        total: Reals | float = 0.0
        for p in range(0, len(shown), TOGETHER):
            found = self.of_shown(shown[p : p + TOGETHER])
            total = total + np.sum([one.part for one in found], axis=0)
            kept = found if self._changing else [one._replace(part=NOTHING) for one in found]
            clusters |= zip(names[p : p + TOGETHER], kept, strict=True)
        return self._standing(clusters, np.asarray(total))

    def standing(self, clusters: Mapping[int, Judged]) -> Standing:
        """All clusters together."""
        return self._standing(clusters, np.sum([cluster.part for cluster in clusters.values()], axis=0))

    def _standing(self, clusters: Mapping[int, Judged], total: Reals) -> Standing:
        lost = sum(cluster.lost for cluster in clusters.values())
        blank = np.sum([cluster.blank for cluster in clusters.values()], axis=0)
        return Standing(dict(clusters), total, lost, blank, self.value(total))

    def says_something(self, now: Standing) -> bool:
        """Whether no column, and not the items, say "anything" so often that nobody would publish them."""
        shown = [cluster.shown for cluster in now.clusters.values()]
        n, d = sum(len(one.rows) for one in shown), len(self._t.domain)
        batch = side_by_side(shown)
        anything = np.diff(batch.label_offsets)[batch.labels] >= max(d, 2)
        lost = float(anything.mean()) if len(anything) else 0.0
        return int(now.blank.max(initial=0)) <= LOST_SHARE * n and lost <= LOST_SHARE

    def value(self, total: Reals) -> float:
        """What contributions are worth in all; the lower the better."""
        return self._aim.value(total)


def seen_by(aim: Aim, now: Standing) -> Standing:
    """The same clusters with what they are worth for another aim."""
    shown = [cluster.shown for cluster in now.clusters.values()]
    losses = np.array([cluster.loss for cluster in now.clusters.values()])
    total: Reals | float = 0.0
    for p in range(0, len(shown), TOGETHER):
        total = total + aim.contributions(shown[p : p + TOGETHER], losses[p : p + TOGETHER]).sum(axis=0)
    return now._replace(value=aim.value(np.asarray(total)))


def states_of(quasi: Quasi, clusters: Sequence[Rows]) -> tuple[States, Reals]:
    """What clusters publish, and the NCP of a record of each."""
    part = quasi._replace(values=quasi.values[np.concatenate(clusters)])
    group = np.repeat(np.arange(len(clusters)), [len(rows) for rows in clusters])
    states = states_of_groups(part, group, len(clusters))
    return states, costs_of_states(quasi, states)


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
