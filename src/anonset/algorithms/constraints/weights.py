"""Weights of items in the utility loss, compared exactly: floats find the near-cheapest merges, fractions decide."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from anonset.model.arrays import Rows

NEAR = 1e-6  # losses in log2 that lie closer than this are compared as fractions


class Merge(NamedTuple):
    """A possible merge: its loss in log2 (roughly), its support, the two clusters, its size and how far it is spread."""

    loss: float
    support: int
    low: int
    high: int
    size: int
    spread: int


class ClusterWeights:
    """The sum of the weights of each cluster's items; the weight of a cluster is their mean."""

    def __init__(self, weights: Sequence[Fraction]) -> None:
        self._items = weights
        self._sums = list(weights)
        self._floats = np.array([float(weight) for weight in weights])

    def join(self, low: int, high: int) -> None:
        """Two clusters become one."""
        self._sums[low] += self._sums[high]
        self._floats[low] = float(self._sums[low])

    def put(self, items: Sequence[int]) -> None:
        """The items make a cluster, called by the first of them."""
        self._sums[items[0]] = sum((self._items[i] for i in items), Fraction(0))
        self._floats[items[0]] = float(self._sums[items[0]])

    def near_cheapest(self, a: int, others: Rows, sizes: Rows, supports: Rows, spreads: Rows) -> list[Merge]:
        """The merges of a with others (of those sizes, supports and spreads in all) that may be the cheapest."""
        weights = (self._floats[a] + self._floats[others]) / sizes * spreads
        share = (1.0 - np.exp2(-sizes.astype(np.float64))) * supports * weights
        with np.errstate(divide="ignore"):
            losses = sizes + np.log2(share)
        near = np.flatnonzero(losses <= losses.min(initial=np.inf) + NEAR)
        return [
            Merge(float(losses[q]), int(supports[q]), min(a, b), max(a, b), int(sizes[q]), int(spreads[q]))
            for q in near
            for b in [int(others[q])]
        ]

    def cheapest(self, merges: Sequence[Merge]) -> tuple[int, int] | None:
        """The two clusters whose merge costs least; ties: smaller support, then smaller ids."""
        if not merges:
            return None
        least = min(merges).loss + NEAR
        best = min((merge for merge in merges if merge.loss <= least), key=self._exactly)
        return best.low, best.high

    def _exactly(self, merge: Merge) -> tuple[Fraction, int, int, int]:
        weight = (self._sums[merge.low] + self._sums[merge.high]) / merge.size * merge.spread
        return (2**merge.size - 1) * merge.support * weight, merge.support, merge.low, merge.high
