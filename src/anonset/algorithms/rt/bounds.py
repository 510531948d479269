"""The two frameworks of [000] section 4: Rum-bound and Tum-bound.

Rum-bound: 1-2. form clusters; 3. refuse where their Rum (NCP, or another measure) exceeds delta; 4. merge while Rum <= delta;
5-7. generalize the items of each cluster. Tum-bound: 1-2. form clusters; 3. done where UL <= delta; 4. merge until UL <= delta;
5-8. refuse where it is not.

A merged cluster shows its items as the item step has them for the whole of it or, where that loses less, as it had them for its
parts: both are protected, and so UL never rises as clusters merge.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from anonset.algorithms.rt.items import ItemOutcome, Items, join
from anonset.algorithms.rt.merging import By, ClusterMerge, Merging, Rejoin, merges
from anonset.algorithms.rt.parts import ClusterParts
from anonset.algorithms.rt.rum import TITLES, QuasiMeasure
from anonset.errors import InfeasibleError
from anonset.model.arrays import Rows
from anonset.model.progress import Progress

GRID = 12  # bounds tried, or merged states looked at, to find the knee of a trade-off
TOLERANCE = 1e-9
BATCH = 16  # merges whose items are looked at in one go, however many threads there are


class Solution(NamedTuple):
    """Clusters by number, the merges that made them, and what they lose: NCP and UL of the mean record."""

    outcomes: dict[int, ItemOutcome]
    steps: list[ClusterMerge]
    ncp: float
    ul: float


class Start(NamedTuple):
    """The initial clusters: their outcomes by number, their NCP and UL, and a fresh state to merge them in.

    `group_sizes` tells how many records publish the same quasi values, for clusters that publish each on its own.
    """

    outcomes: dict[int, ItemOutcome]
    ncp: float
    ul: float
    n: int
    parts: Callable[[By], ClusterParts]
    group_sizes: Callable[[Sequence[Rows]], Rows]

    @property
    def solution(self) -> Solution:
        """Nothing merged."""
        return Solution(self.outcomes, [], self.ncp, self.ul)

    @property
    def is_exact(self) -> bool:
        """Whether all items are published as they are, so that no merge can make them better."""
        return not any(outcome.general for outcome in self.outcomes.values())


def rum_bound(start: Start, items: Items, by: By, rum: QuasiMeasure, delta: float | None, progress: Progress) -> list[Solution]:
    """The solution at Rum <= delta; those at several bounds, best first, where delta is None."""
    least = _published(start, rum, [])
    if delta is not None and least > delta + TOLERANCE:
        raise InfeasibleError(_unreachable(TITLES[rum.rum], delta, least))
    if start.is_exact:
        return [start.solution]
    parts = start.parts(by)
    if delta is not None:
        return [_within(start, parts.fresh(), parts.joined, items, by, rum, delta, progress)]
    found = []
    bounds = np.geomspace(least, rum.worst, GRID) if rum.by_size else np.linspace(least, rum.worst, GRID)
    for p, bound in enumerate(bounds):
        fresh = parts.fresh(again=True)
        found.append(_within(start, fresh, parts.joined, items, by, rum, float(bound), _slice(progress, p, GRID)))
    return _knee_first(found)


def tum_bound(start: Start, items: Items, by: By, delta: float | None, progress: Progress) -> list[Solution]:
    """The first solution with UL <= delta on the way of merging; several on the way, best first, where delta is None."""
    if delta is not None and start.ul <= delta + TOLERANCE:
        return [start.solution]
    seen, lowest = [start.solution], start.ul
    every = max(1, len(start.outcomes) // GRID)
    for now in _way(start, items, by, progress) if not start.is_exact else ():
        lowest = min(lowest, now.ul)
        if delta is not None and now.ul <= delta + TOLERANCE:
            return [now]
        if delta is None and (len(now.steps) % every == 0 or len(now.outcomes) == 1):
            seen.append(Solution(dict(now.outcomes), list(now.steps), now.ncp, now.ul))
    if delta is not None:
        raise InfeasibleError(_unreachable("UL", delta, lowest))
    return _knee_first(seen)


def _within(
    start: Start,
    parts: list[Merging],
    rejoin: Rejoin,
    items: Items,
    by: By,
    rum: QuasiMeasure,
    delta: float,
    progress: Progress,
) -> Solution:
    steps: list[ClusterMerge] = []
    for step in merges(parts, by, rum, delta + TOLERANCE, rejoin=rejoin):
        steps.append(step)
        progress(min(0.9, len(steps) / len(start.outcomes)))
    steps = steps[: _kept(start, rum, steps, delta)]
    history: dict[int, list[ItemOutcome]] = {name: [outcome] for name, outcome in start.outcomes.items()}
    for step in steps:
        history[step.name] = history.pop(step.seed) + history.pop(step.partner)
    merged = [name for name, before in history.items() if len(before) > 1]
    before = [join(history[name]) for name in merged]
    found = items.outcomes([outcome.rows for outcome in before])
    outcomes = {name: only[0] for name, only in history.items() if len(only) == 1}
    outcomes |= {name: _better(new, old) for name, new, old in zip(merged, found, before, strict=True)}
    ncp = steps[-1].lost / start.n if steps else start.ncp
    return Solution(outcomes, steps, ncp, sum(outcome.lost for outcome in outcomes.values()) / max(1, start.n))


def _published(start: Start, rum: QuasiMeasure, steps: Sequence[ClusterMerge]) -> float:
    """The measure after some merges, as it is of what would be published: clusters that show the same are one group."""
    if not rum.by_size:
        return steps[-1].lost / start.n if steps else start.ncp
    rows = {name: [outcome.rows] for name, outcome in start.outcomes.items()}
    for step in steps:
        rows[step.name] = rows.pop(step.seed) + rows.pop(step.partner)
    return rum.of_sizes(start.group_sizes([np.concatenate(parts) for parts in rows.values()]))


def _kept(start: Start, rum: QuasiMeasure, steps: Sequence[ClusterMerge], delta: float) -> int:
    """How many of the merges keep the bound in what is published: all, unless merged clusters come to show the same."""
    if not rum.by_size or _published(start, rum, steps) <= delta + TOLERANCE:
        return len(steps)
    fits, too_many = 0, len(steps)  # what no merge publishes was found to be within the bound
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if _published(start, rum, steps[:middle]) <= delta + TOLERANCE:
            fits = middle
        else:
            too_many = middle
    return fits


def _way(start: Start, items: Items, by: By, progress: Progress) -> Iterator[Solution]:
    """Every state on the way of merging without a bound, in the same dictionary: copy what is to be kept.

    Merges do not depend on outcomes, so the item steps of a batch of them run side by side.
    """
    outcomes, lost = dict(start.outcomes), start.ul * start.n
    rows = {name: outcome.rows for name, outcome in outcomes.items()}
    steps: list[ClusterMerge] = []
    parts = start.parts(by)
    merging = merges(parts.fresh(), by, QuasiMeasure("ncp", start.n, 1), rejoin=parts.joined)
    while batch := list(islice(merging, BATCH)):
        unions = []
        for step in batch:
            rows[step.name] = np.concatenate([rows.pop(step.seed), rows.pop(step.partner)])
            unions.append(rows[step.name])
        for step, new in zip(batch, items.outcomes(unions), strict=True):
            old = join([outcomes.pop(step.seed), outcomes.pop(step.partner)])
            outcomes[step.name] = _better(new, old)
            lost += outcomes[step.name].lost - old.lost
            steps.append(step)
            yield Solution(outcomes, steps, step.lost / start.n, lost / start.n)
        progress(min(0.9, len(steps) / len(start.outcomes)))


def _better(new: ItemOutcome | None, old: ItemOutcome) -> ItemOutcome:
    return new if new is not None and new.lost <= old.lost else old


def _knee_first(found: list[Solution]) -> list[Solution]:
    best = chord_knee([(solution.ncp, solution.ul) for solution in found])
    return [found[best], *found[:best], *found[best + 1 :]]


def _slice(progress: Progress, p: int, of: int) -> Progress:
    return lambda done: progress((p + done) / of)


def _unreachable(measure: str, delta: float, lowest: float) -> str:
    at_least = np.ceil(lowest * 1e6) / 1e6
    return f"delta={delta:g} cannot be reached: the lowest {measure} found is {at_least:.6f}"


def chord_knee(points: Sequence[tuple[float, float]]) -> int:
    """The place of the point furthest below the straight line between the ends, on axes scaled to 0..1; ties: the first."""
    xy = np.array(points, np.float64)
    low, span = xy.min(axis=0), np.ptp(xy, axis=0)
    scaled = (xy - low) / np.where(span > 0, span, 1.0)
    return int(np.round(scaled.sum(axis=1), 12).argmin())
