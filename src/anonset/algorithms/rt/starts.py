"""Where a search begins: clusters as relational algorithms form them at several sizes, and as the papers merge them."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from anonset.algorithms.rt.aligning import PART, Alignment
from anonset.algorithms.rt.bounds import TOLERANCE
from anonset.algorithms.rt.first import gray_groups
from anonset.algorithms.rt.formation import form_clusters
from anonset.algorithms.rt.judging import states_of
from anonset.algorithms.rt.merging import By, merges
from anonset.algorithms.rt.parts import ClusterParts
from anonset.algorithms.rt.proximity import Btd
from anonset.algorithms.rt.rum import QuasiMeasure
from anonset.kernels.groups import Quasi
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset

FORMING = ("mondrian", "peel", "cluster")
STOPS = 6  # states on the way of merging that are looked at
GRAY = 10_000


class Candidate(NamedTuple):
    """Clusters, and in a few words how they came about."""

    name: str
    clusters: list[Rows]


def sizes(k: int, n: int) -> list[int]:
    """Least sizes of clusters: k, 2k, 4k, ..., and all records."""
    found = [k]
    while 2 * found[-1] <= n // 2:
        found.append(2 * found[-1])
    return [*found, n] if n > found[-1] else found


class Starts:
    """Forms clusters of a dataset; without a name, by the usual relational algorithms."""

    def __init__(self, data: Dataset, quasi: Quasi, k: int, clusters: str, values: dict[str, Any]) -> None:
        self._data, self._quasi, self._k, self._values = data, quasi, k, values
        self.forming: Sequence[str] = FORMING if clusters == "auto" else (clusters,)
        self._parts: list[Rows] = []

    def formed(self, name: str, size: int) -> Candidate:
        """The clusters of a relational algorithm, of at least so many records."""
        found = form_clusters(self._data, name, {**self._values, "k": size})
        return Candidate(f"{name} of {size}", found)

    def alike(self, alignment: Alignment, price: int) -> Candidate:
        """Classes of k records with like items, the closer together the higher the price of NCP."""
        if not self._parts:
            size, n = max(PART, 2 * self._k), len(self._data)
            self._parts = self.formed(self.forming[0], size).clusters if n >= 2 * size else [np.arange(n)]
        return Candidate(f"alike at {price}", alignment.classes(self._parts, price))

    def merged(self, delta: float | None) -> Iterator[Candidate]:
        """What the papers' algorithms merge: within the bound, or at several points on the way; and groups of similar items."""
        n = len(self._data)
        if delta is not None and self.forming[0] != "cluster":
            finest = self.formed(self.forming[0], self._k)
            yield from (Candidate(f"{finest.name}, {name}", found) for name, found in self._way(finest.clusters, "r", delta))
        base = self.formed("cluster", self._k).clusters
        yield Candidate("r-first", base)
        ways: tuple[By, ...] = ("r", "rt", "t")
        for by in ways:
            yield from self._way(base, by, delta)
        yield Candidate("t-first", gray_groups(self._data.linkable, max(self._k, min(GRAY, n))))

    def _way(self, base: list[Rows], by: By, delta: float | None) -> Iterator[Candidate]:
        near = None if by == "r" else lambda part: Btd(self._data.linkable, part)
        parts = ClusterParts(self._quasi, near, base, np.arange(len(base)), 4096)
        bound = np.inf if delta is None else delta + TOLERANCE
        measured = QuasiMeasure("ncp", len(self._data), self._k)
        steps = list(merges(parts.fresh(), by, measured, bound, rejoin=parts.joined))
        now = dict(enumerate(base))
        stops = {len(steps)} if delta is not None else {(s + 1) * len(steps) // STOPS for s in range(STOPS)}
        for done, step in enumerate(steps, 1):
            now[step.name] = np.concatenate([now.pop(step.seed), now.pop(step.partner)])
            if done in stops:
                yield Candidate(f"{'rmerge' if delta is not None else 'tmerge'}-{by}, {len(now)} clusters", list(now.values()))


def mean_loss(quasi: Quasi, clusters: Sequence[Rows]) -> float:
    """NCP of the mean record."""
    _, losses = states_of(quasi, clusters)
    lengths = np.array([len(rows) for rows in clusters])
    return float((losses * lengths).sum() / max(1, lengths.sum()))
