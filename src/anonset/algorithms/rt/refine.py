"""Refinement, our own: after merging, records change clusters and items are lowered, while neither NCP nor UL rises.

1. A record that fits into what a cheaper cluster publishes anyway wishes to move there. All records with the same wish move
   together, or half of them, or a quarter; where a cluster cannot spare any, one is swapped for the record that suits it best.
2. A move stays when both clusters can be protected again, NCP and UL do not rise, and one of them falls.
3. Steps 1-2 are repeated for a few rounds; then the items of each cluster are split and lowered where UL does not rise.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from anonset.algorithms.rt.items import ItemOutcome, Items
from anonset.kernels.groups import Quasi, States, costs_of_states, states_of_groups, states_of_records, union_costs
from anonset.model.arrays import Reals, Rows
from anonset.model.progress import Progress

Polish = Callable[[ItemOutcome], ItemOutcome]
ROUNDS = 3
SLACK = 1e-9


class RowMove(NamedTuple):
    """An input row that went from one cluster to another."""

    row: int
    source: int
    target: int


class Wish(NamedTuple):
    """Rows of cluster `source` that fit into cluster `target`, which is cheaper by `gain` in all."""

    source: int
    target: int
    rows: Rows
    gain: float


def refine(
    quasi: Quasi,
    items: Items,
    outcomes: Mapping[int, ItemOutcome],
    k: int,
    polish: Polish,
    progress: Progress,
    *,
    rounds: int = ROUNDS,
) -> tuple[dict[int, ItemOutcome], list[RowMove]]:
    """Outcomes with the same clusters or cheaper ones, each with its items polished, and the moves that led to them."""
    now, moves = dict(outcomes), []
    for done in range(rounds):
        made = _round(quasi, items, now, k)
        moves += made
        progress((done + 1) / (rounds + 1))
        if not made:
            break
    return {name: polish(outcome) for name, outcome in now.items()}, moves


def _round(quasi: Quasi, items: Items, now: dict[int, ItemOutcome], k: int) -> list[RowMove]:
    """Try every wish once, those that gain most first; `now` is changed in place."""
    made: list[RowMove] = []
    for wish in sorted(_wishes(quasi, now), key=lambda wish: (-wish.gain, wish.source, wish.target)):
        still = np.intersect1d(wish.rows, now[wish.source].rows)
        for out, back in _trials(quasi, now, wish, still, k):
            new = _changed(quasi, items, now, wish, out, back)
            if new is not None:
                now[wish.source], now[wish.target] = new
                made += [RowMove(int(r), wish.source, wish.target) for r in out]
                made += [RowMove(int(r), wish.target, wish.source) for r in back]
                break
    return made


def _wishes(quasi: Quasi, now: Mapping[int, ItemOutcome]) -> Iterator[Wish]:
    names = list(now)
    states, losses = _states(quasi, [now[name].rows for name in names])
    for a, name in enumerate(names):
        rows = now[name].rows
        if losses[a] <= losses.min() + SLACK:
            continue
        target = np.full(len(rows), -1, np.int64)
        records = states_of_records(quasi, rows)
        for p in range(len(rows)):
            fits = union_costs(quasi, states, records, p) <= losses + SLACK
            best = int(np.where(fits, losses, np.inf).argmin())
            if losses[best] < losses[a] - SLACK:
                target[p] = best
        for b in np.unique(target[target >= 0]):
            wishing = rows[target == b]
            yield Wish(name, names[b], wishing, float(losses[a] - losses[b]) * len(wishing))


def _trials(quasi: Quasi, now: Mapping[int, ItemOutcome], wish: Wish, rows: Rows, k: int) -> Iterator[tuple[Rows, Rows]]:
    """Which rows to move there, and which back: many, fewer, or one for one."""
    spare = len(now[wish.source].rows) - k
    nobody = np.zeros(0, np.int64)
    for size in (len(rows), len(rows) // 2, len(rows) // 4):
        if min(size, spare) > 0:
            yield rows[: min(size, spare)], nobody
    if spare == 0 and len(rows):
        left = np.setdiff1d(now[wish.source].rows, rows[:1])
        if len(left):
            there = now[wish.target].rows
            state, _ = _states(quasi, [left])
            yield rows[:1], there[[int(union_costs(quasi, states_of_records(quasi, there), state, 0).argmin())]]


def _changed(
    quasi: Quasi, items: Items, now: Mapping[int, ItemOutcome], wish: Wish, out: Rows, back: Rows
) -> tuple[ItemOutcome, ItemOutcome] | None:
    """The two clusters after the move, or None where they lose more, or as much as before."""
    source, target = now[wish.source], now[wish.target]
    left = np.concatenate([np.setdiff1d(source.rows, out), back])
    right = np.concatenate([np.setdiff1d(target.rows, back), out])
    gain = _lost(quasi, [source.rows, target.rows]) - _lost(quasi, [left, right])
    if gain < -1e-12:
        return None
    fewer = items.outcome(left)
    more = items.outcome(right) if fewer is not None else None
    if fewer is None or more is None:
        return None
    rise = fewer.lost + more.lost - source.lost - target.lost
    return None if rise > 0 or (gain <= SLACK and rise > -SLACK) else (fewer, more)


def _states(quasi: Quasi, clusters: list[Rows]) -> tuple[States, Reals]:
    """What clusters publish, and the NCP of a record of each."""
    part = quasi._replace(values=quasi.values[np.concatenate(clusters)])
    group = np.repeat(np.arange(len(clusters)), [len(rows) for rows in clusters])
    states = states_of_groups(part, group, len(clusters))
    return states, costs_of_states(quasi, states)


def _lost(quasi: Quasi, clusters: list[Rows]) -> float:
    _, losses = _states(quasi, clusters)
    return float(sum(len(rows) * loss for rows, loss in zip(clusters, losses, strict=True)))
