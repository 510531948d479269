"""The cheapest way along places 0 .. end, where every step from one place to a later one has a price that is dear to learn.

1. Learn the steps up to a place in the middle, then 2. those from there on, which gives the cheapest ways to the first places
and from the last ones. 3. A step across the middle is looked at only as far as it can be part of a cheaper way than is known.
"""

from collections.abc import Callable, Sequence

import numpy as np

from anonset.model.progress import Progress, part_of, silent
from anonset.model.threads import side_by_side

Price = Callable[[int, int, float], float]  # of a step between places, a whole number; may be infinite where not below a limit
Step = tuple[int, int]
Ways = dict[Step, float]


def cheapest_way(end: int, price: Price, known: float, progress: Progress = silent) -> tuple[float, list[int]]:
    """Return what the cheapest way of at least two steps costs, and its places; infinite where that is not below `known`.

    Of ways that cost the same, the one whose last step begins first, then whose last but one does, and so on.
    """
    middle = end // 2
    before, after = [0.0] + [np.inf] * end, [np.inf] * end + [0.0]
    ways: Ways = {}
    for last in range(1, middle + 1):  # step 1
        found = _priced([(first, last) for first in range(last)], price, lambda step: before[step[0]], known)
        before[last] = min((before[first] + found[first, last] for first, _ in found), default=np.inf)
        ways |= found
        progress(last / end / 2)
    for first in reversed(range(middle, end)):  # step 2
        steps = [(first, last) for last in range(end, first, -1) if first > 0 or last < end]
        found = _priced(steps, price, lambda step: after[step[1]], known)
        after[first] = min((after[last] + found[first, last] for _, last in found), default=np.inf)
        ways |= found
        progress((middle + end - first) / end / 2)
    across = [(first, last) for first in range(middle) for last in range(middle + 1, end + 1) if last - first < end]
    met = min(known, before[middle] + after[middle])
    ways |= _priced(across, price, lambda step: before[step[0]] + after[step[1]], known, met, part_of(progress, 0.5, 1.0))
    return _cheapest(end, ways)


def every_step(end: int, price: Price, known: float, progress: Progress = silent) -> tuple[float, list[int]]:
    """Return what the way of all places costs, and these; infinite where that is not below `known`."""
    loss = 0.0
    for first in range(end):
        loss += price(first, first + 1, known - loss)
        if loss >= known:
            return np.inf, []
        progress((first + 1) / end)
    return loss, [*range(end + 1)]


def _priced(
    steps: Sequence[Step],
    price: Price,
    others: Callable[[Step], float],
    known: float,
    met: float = np.inf,
    progress: Progress = silent,
) -> Ways:
    """The prices of the steps that, with what others cost, stay below `known` and are not above the cheapest of them all."""

    def learn(step: Step) -> float:
        nonlocal met
        most = min(met + 1, known) - others(step)
        if not most > 0:
            return np.inf
        found = price(*step, most)
        met = min(met, found + others(step))  # a thread that writes an older one costs time, nothing else
        return found

    return {step: found for step, found in zip(steps, side_by_side(learn, steps, progress), strict=True) if found < np.inf}


def _cheapest(end: int, ways: Ways) -> tuple[float, list[int]]:
    loss, origin = [0.0] + [np.inf] * end, [0] * (end + 1)
    for first, last in sorted(ways):
        if loss[first] + ways[first, last] < loss[last]:
            loss[last], origin[last] = loss[first] + ways[first, last], first
    places = [end]
    while places[-1] > 0:
        places.append(origin[places[-1]])
    return loss[end], places[::-1]
