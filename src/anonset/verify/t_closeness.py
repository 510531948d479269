"""t-closeness (Li and others, 2007): the sensitive values of every group are spread nearly as those of all records."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from anonset.model.dataset import Dataset
from anonset.model.guarantees import TCloseness
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.findings import WITNESSES, fail_closed
from anonset.verify.l_diversity import Spread, spread_of
from anonset.verify.sets import BLOCK, require_within


@fail_closed
def check_t_closeness(original: Dataset, release: Release, guarantee: TCloseness, limit: int) -> Finding:
    """Measure how far the values of the column in every group are from those in all records."""
    spread = spread_of(original, release, guarantee.column)
    require_within(spread.counts.shape[0] * spread.counts.shape[1], limit)
    moved, whole = _distances(spread)
    distance = moved / whole
    t = Fraction(str(guarantee.t))
    fine = distance <= guarantee.t
    for g in np.flatnonzero(np.abs(distance - guarantee.t) < 1e-9):
        fine[g] = Fraction(int(moved[g]), int(whole[g])) <= t
    short = np.flatnonzero(~fine)

    def sentence(g: int) -> str:
        text = spread.groups.text(g) or "anything"
        return f"{guarantee.column} is {distance[g]:.4g} away in the records with {text}; at most {guarantee.t:g} is promised"

    witnesses = tuple(sentence(int(g)) for g in short[:WITNESSES])
    return Finding(guarantee.id, len(short) == 0, len(short), sentence(int(np.argmax(distance))), None, witnesses)


def _distances(spread: Spread) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The earth mover's distance of every group, as whole numbers to be divided.

    Equal distances: half the sum of |p - q|. Ordered: the sum of |running p - running q| over one step less than there are
    values. A column with missing values is taken as unordered, which never makes it closer.
    """
    n, sizes = int(spread.groups.sizes.sum()), spread.groups.sizes
    everyone = np.asarray(spread.counts.sum(axis=0), np.int64)
    d = len(everyone)
    moved = np.zeros(len(sizes), np.int64)
    step = max(1, BLOCK // d)
    for low in range(0, len(sizes), step):
        some = spread.counts[low : low + step].toarray() * n - sizes[low : low + step, None] * everyone
        if spread.ordered:
            some = np.cumsum(some, axis=1)
        moved[low : low + step] = np.abs(some).sum(axis=1)
    return moved, sizes * n * (max(1, d - 1) if spread.ordered else 2)
