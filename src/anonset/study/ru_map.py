"""R-U maps ([001]): a point (utility, risk) for each trial, the frontier, the knee, and the best under a limit."""

from collections.abc import Sequence
from math import acos, hypot, pi
from typing import NamedTuple

from anonset.study.trial import Trial

LEAST_LOSS = 1e-6  # a loss of 0 would be an infinite utility

# limits of risk that are in use, and who uses them
RISK_LIMITS: dict[str, tuple[float, str]] = {
    "0.2": (0.2, "usual maximum in biomedical data sharing ([001] section 4); the same as k = 5"),
    "0.09": (0.09, "1/11: usual for public release of clinical-trial data (European Medicines Agency, Health Canada)"),
    "0.05": (0.05, "1/20: the strictest of the usual minimum cell sizes"),
    "k=5": (1 / 5, "a smallest cell of 5"),
    "k=11": (1 / 11, "a smallest cell of 11 (Centers for Medicare and Medicaid Services)"),
    "k=20": (1 / 20, "a smallest cell of 20"),
}


class Point(NamedTuple):
    """One trial on the map."""

    series: str
    label: str
    utility: float
    risk: float
    loss: float
    on_frontier: bool


def ru_points(trials: Sequence[Trial], loss: str = "are", risk: str = "risk") -> tuple[Point, ...]:
    """A point for each finished trial that was measured both ways: utility is 1 / loss, as in [001]."""
    rows = [t for t in trials if t.outcome == "done" and loss in t.measures and risk in t.measures]
    pairs = [(1.0 / max(t.measures[loss], LEAST_LOSS), t.measures[risk]) for t in rows]
    return tuple(
        Point(t.algorithm, t.label, utility, danger, t.measures[loss], not _dominated((utility, danger), pairs))
        for t, (utility, danger) in zip(rows, pairs, strict=True)
    )


def best_under(points: Sequence[Point], limit: float) -> Point | None:
    """The point of highest utility whose risk is within the limit ([001]'s last scenario)."""
    allowed = [point for point in points if point.risk <= limit + 1e-12]
    return max(allowed, key=lambda point: (point.utility, -point.risk), default=None)


def knee(points: Sequence[Point]) -> Point | None:
    """The sharpest turn of the curve towards high utility and low risk, by angle, both axes scaled to [0, 1] ([001])."""
    curve = _curve(points)
    if len(curve) < 3:
        return None
    xs, ys = _scaled([p.utility for p in curve]), _scaled([p.risk for p in curve])
    turns = []
    for p in range(1, len(curve) - 1):
        left, right = (xs[p] - xs[p - 1], ys[p] - ys[p - 1]), (xs[p + 1] - xs[p], ys[p + 1] - ys[p])
        rises = left[0] * right[1] - left[1] * right[0] > 0  # flat before, steep after: beyond it utility costs more risk
        if rises:
            turns.append((_angle(left, right), p))
    return curve[min(turns)[1]] if turns else None


def knee_by_kneed(points: Sequence[Point]) -> Point | None:
    """The knee that the `kneed` library finds on the same curve."""
    from kneed import KneeLocator

    curve = _curve(points)
    if len(curve) < 3:
        return None
    found = KneeLocator([p.utility for p in curve], [p.risk for p in curve], curve="convex", direction="increasing").knee
    return None if found is None else min(curve, key=lambda point: abs(point.utility - found))


def _curve(points: Sequence[Point]) -> list[Point]:
    """One point for each utility, by rising utility: the least risk of each."""
    curve: list[Point] = []
    for point in sorted(points, key=lambda point: (point.utility, point.risk)):
        if not curve or point.utility > curve[-1].utility:
            curve.append(point)
    return curve


def _angle(left: tuple[float, float], right: tuple[float, float]) -> float:
    """The angle between the way in and the way out of a point: pi straight on, less the sharper."""
    cosine = (left[0] * right[0] + left[1] * right[1]) / max(hypot(*left) * hypot(*right), 1e-300)
    return pi - acos(max(-1.0, min(1.0, cosine)))


def _scaled(values: list[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


def _dominated(point: tuple[float, float], others: Sequence[tuple[float, float]]) -> bool:
    return any(u >= point[0] and r <= point[1] and (u, r) != point for u, r in others)
