"""Two releases of one original side by side: for the owner of the data, never to be handed out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from anonset.measure import MEASURES
from anonset.measure.information_loss import is_exact, sizes_shown
from anonset.model.arrays import Mask
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class KeptIn:
    """In how many records something is there, and in how many it is shown as it is: in each release, and in one alone."""

    name: str
    records: int
    a: int
    b: int
    only_a: int
    only_b: int


def columns(original: Dataset, a: Release, b: Release) -> list[KeptIn]:
    """The quasi columns."""
    exact = [{column.name: _in_order(original, release, is_exact(column)) for column in release.quasi} for release in (a, b)]
    names = [name for name in exact[0] if name in exact[1]]
    return [_kept(name, len(original), exact[0][name], exact[1][name]) for name in names]


def items(original: Dataset, a: Release, b: Release) -> list[KeptIn]:
    """The items that are not shown as they are equally often, the largest difference first."""
    if not isinstance(a.items, GeneralizedItems) or not isinstance(b.items, GeneralizedItems):
        return []
    t, shown = original.linkable, [sizes_shown(original, release) == 1 for release in (a, b)]
    there = np.bincount(t.items, minlength=len(t.domain))

    def count(which: Mask) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        return np.bincount(t.items[which], minlength=len(t.domain))

    counts = [there, count(shown[0]), count(shown[1]), count(shown[0] & ~shown[1]), count(shown[1] & ~shown[0])]
    most = counts[3] + counts[4]
    order = sorted(np.flatnonzero(most).tolist(), key=lambda i: (-int(most[i]), t.domain[i]))
    return [KeptIn(t.domain[i], *(int(column[i]) for column in counts)) for i in order]


def better(id: str, a: float, b: float) -> str | None:
    """Which of two values of a measure is the better one."""
    if a == b or id not in MEASURES:
        return None
    return "a" if (a > b) == MEASURES[id].more_is_better else "b"


def meanings(ids: Iterable[str]) -> dict[str, str]:
    """What measures mean, in a line."""
    return {id: MEASURES[id].meaning for id in ids if id in MEASURES}


def _in_order(original: Dataset, release: Release, mask: Mask) -> Mask:
    """A fact about published records as one about the rows of the input; of those left out it does not hold."""
    found = np.zeros(len(original), np.bool_)
    found[release.rows] = mask
    return found


def _kept(name: str, records: int, a: Mask, b: Mask) -> KeptIn:
    parts: Sequence[Mask] = (a, b, a & ~b, b & ~a)
    return KeptIn(name, records, *(int(part.sum()) for part in parts))
