"""Confidence intervals of what was sampled."""

from typing import NamedTuple

import numpy as np

from anonset.model.arrays import Reals

Z95 = 1.959963984540054


class Rate(NamedTuple):
    """A rate and the 95% confidence interval around it."""

    value: float
    low: float
    high: float


def share(successes: int, n: int) -> Rate:
    """The share of successes with Wilson's interval; (0, 0, 1) where nothing was tried."""
    if n == 0:
        return Rate(0.0, 0.0, 1.0)
    p, z2 = successes / n, Z95**2
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * float(np.sqrt(p * (1 - p) / n + z2 / (4 * n * n)))
    low, high = middle - half, middle + half
    return Rate(p, max(0.0, low) if successes else 0.0, min(1.0, high) if successes < n else 1.0)


def mean(values: Reals) -> Rate:
    """The mean of values in [0, 1] with the normal interval, cut to [0, 1]."""
    if len(values) == 0:
        return Rate(0.0, 0.0, 1.0)
    value = float(values.mean())
    half = Z95 * float(values.std(ddof=1)) / float(np.sqrt(len(values))) if len(values) > 1 else 1.0
    return Rate(value, max(0.0, value - half), min(1.0, value + half))
