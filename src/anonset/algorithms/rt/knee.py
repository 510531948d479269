"""Where a trade-off turns: the point that gives up least of both."""

from collections.abc import Sequence

import numpy as np


def chord_knee(points: Sequence[tuple[float, float]]) -> int:
    """The place of the point furthest below the straight line between the ends, on axes scaled to 0..1; ties: the first."""
    xy = np.array(points, np.float64)
    low, span = xy.min(axis=0), np.ptp(xy, axis=0)
    scaled = (xy - low) / np.where(span > 0, span, 1.0)
    return int(np.round(scaled.sum(axis=1), 12).argmin())
