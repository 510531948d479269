"""Clusters with all that a search knows of them, and what a set of them is worth."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from anonset.algorithms.rt.aims import Aim
from anonset.algorithms.rt.narrowing import NarrowedCluster, side_by_side
from anonset.kernels.groups import Quasi, States, costs_of_states, states_of_groups
from anonset.model.accepted import LOST_SHARE
from anonset.model.arrays import Mask, Reals, Rows
from anonset.model.transactions import Transactions

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
