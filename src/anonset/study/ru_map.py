"""R-U maps ([001]): a point (utility, risk) for each trial, the frontier, the knee, and the best under a limit."""

from collections.abc import Sequence
from dataclasses import replace
from math import acos, hypot, pi
from statistics import fmean
from typing import Any, NamedTuple

from anonset.errors import ParameterError, unknown
from anonset.study.trial import Trial

QUERY_ERROR = "are"  # the default loss
RISK, RISK_OF_PROTECTED = "risk", "risk-protected"
RISK_AXES = (RISK, RISK_OF_PROTECTED, "risk-p95", "risk-p99", "risk-mean")
LEAST_LOSS = 1e-6  # a loss of 0 would give an infinite utility

# limits of risk that are in use, and who uses them
CELL_SIZES = "El Emam, Guide to the De-Identification of Personal Health Information, 2013, cell size precedents"
RISK_LIMITS: dict[str, tuple[float, str]] = {
    "0.2": (0.2, "usual maximum in biomedical data sharing ([001] section 4); the same as k = 5"),
    "0.09": (
        1 / 11,
        "1/11, written as 0.09: public release of clinical-trial data (European Medicines Agency, policy 0070; Health Canada)",
    ),
    "k=5": (1 / 5, f"the rule of a smallest cell of five ({CELL_SIZES})"),
    "k=11": (
        1 / 11,
        f"public release in the United States, e.g. by the Centers for Medicare and Medicaid Services ({CELL_SIZES})",
    ),
    "k=20": (1 / 20, f"public patient data in Canada and the United States ({CELL_SIZES})"),
}


def risk_limit(text: str) -> float:
    """Parse a limit of risk: a risk such as 0.09, or a smallest group such as k=11.

    A risk with two decimals or more that is a 1/k, rounded, means that 1/k: policies write 0.09 for 1/11 = 0.0909.
    """
    try:
        limit = 1.0 / int(text.removeprefix("k=")) if text.startswith("k=") else float(text)
    except (ValueError, ZeroDivisionError):
        limit = -1.0
    if not 0.0 < limit <= 1.0:
        raise ParameterError(f"a risk limit must be above 0 and at most 1, or given as k=N; got {text!r}")
    decimals, meant = len(text.partition(".")[2]), 1.0 / round(1.0 / limit)
    return max(limit, meant) if decimals > 1 and f"{meant:.{decimals}f}" == f"{limit:.{decimals}f}" else limit


def risk_axis(trials: Sequence[Trial], id: str | None = None) -> str:
    """The measure of risk on the map: the given one, or what suits the guarantees of the trials.

    Settings that protect listed itemsets are mapped by the risk of what they protect, as in [001]; all others by the risk of
    whatever can be linked.
    """
    if id is not None:
        if id not in RISK_AXES:
            raise ParameterError(unknown("risk", id, RISK_AXES))
        return id
    done = [trial for trial in trials if trial.outcome == "done"]
    listed = any(guarantee["id"] == "constraints" for trial in done for guarantee in trial.guarantees)
    measured = listed and all(RISK_OF_PROTECTED in trial.measures for trial in done)
    return RISK_OF_PROTECTED if measured else RISK


def other_risk(risk: str) -> str:
    """The measure of risk that is shown beside that of the map."""
    return RISK_OF_PROTECTED if risk == RISK else RISK


class MapPoint(NamedTuple):
    """One trial on the map; `axis` is the measure of its risk, `beside` the value of the other one, if it was measured."""

    series: str
    label: str
    utility: float
    risk: float
    loss: float
    on_frontier: bool
    axis: str = RISK
    beside: float | None = None

    @property
    def described(self) -> str:
        """Its label, with the measures of its risk where that is not the usual one."""
        if self.axis == RISK:
            return self.label
        beside = "" if self.beside is None else f", {other_risk(self.axis)} {self.beside:.3g}"
        return f"{self.label} ({self.axis} {self.risk:.3g}{beside})"


def ru_points(trials: Sequence[Trial], loss: str = QUERY_ERROR, risk: str | None = None) -> tuple[MapPoint, ...]:
    """Return a point for each finished setting that has a risk and this loss; utility is 1 / loss, as in [001].

    `risk`: the measure of risk; that of `risk_axis` if none is given.

    Trials that differ only in their seed are one point: the mean of the losses, the largest of the risks. A series is an
    algorithm with its parameters, except the one that varies along the curve: k, if it varies.
    """
    axis = risk_axis(trials, risk)
    other = other_risk(axis)
    rows = [t for t in trials if t.outcome == "done" and loss in t.measures and axis in t.measures]
    settings: dict[tuple[Any, ...], list[Trial]] = {}
    for number, t in enumerate(rows):
        seeded = "seed" in t.parameters
        settings.setdefault((t.data, t.algorithm, str(_parameters(t)), None if seeded else number), []).append(t)
    losses = [fmean(t.measures[loss] for t in same) for same in settings.values()]
    pairs = [
        (1.0 / max(lost, LEAST_LOSS), max(t.measures[axis] for t in same))
        for lost, same in zip(losses, settings.values(), strict=True)
    ]
    names = _series(rows)
    return tuple(
        MapPoint(
            names[same[0].key, same[0].label],
            _label(same),
            utility,
            danger,
            lost,
            not _dominated((utility, danger), pairs),
            axis,
            max((t.measures[other] for t in same if other in t.measures), default=None),
        )
        for same, lost, (utility, danger) in zip(settings.values(), losses, pairs, strict=True)
    )


def by_data(trials: Sequence[Trial]) -> dict[str, list[Trial]]:
    """The trials of each dataset: utilities of different data are not to be compared."""
    found: dict[str, list[Trial]] = {}
    for trial in trials:
        found.setdefault(trial.data, []).append(trial)
    return found


def promises(trials: Sequence[Trial]) -> list[str]:
    """Return the kinds of guarantees of the finished trials; risks under different guarantees cannot be compared."""
    kinds = {" and ".join(g["id"] for g in t.guarantees) for t in trials if t.outcome == "done" and t.guarantees}
    return sorted(kinds)


def _series(trials: Sequence[Trial]) -> dict[tuple[str, str], str]:
    """The series of each trial: its algorithm, and what else varies besides the parameter along the curve."""
    names = {}
    for algorithm in dict.fromkeys(t.algorithm for t in trials):
        own = [t for t in trials if t.algorithm == algorithm]
        given = dict.fromkeys(name for t in own for name in _parameters(t))
        varied = [name for name in given if len({str(t.parameters.get(name)) for t in own}) > 1]
        along = "k" if "k" in varied else next(iter(varied), "")
        for t in own:
            others = [f"{name}={t.parameters[name]}" for name in varied if name != along and name in t.parameters]
            names[t.key, t.label] = " ".join([algorithm, *others])
    return names


def _parameters(trial: Trial) -> dict[str, Any]:
    """The parameters of a trial without the seed, and without the steps (12+7) that a timed search took."""
    counted = trial.parameters.get("steps")
    drop = {"seed", "steps"} if isinstance(counted, str) else {"seed"}
    return {name: value for name, value in trial.parameters.items() if name not in drop}


def _label(same: Sequence[Trial]) -> str:
    if len(same) == 1:
        return same[0].label
    return f"{replace(same[0], parameters=_parameters(same[0])).label} (mean of {len(same)} seeds)"


def best_under(points: Sequence[MapPoint], limit: float) -> MapPoint | None:
    """The point of highest utility whose risk is within the limit ([001]'s last scenario)."""
    allowed = [point for point in points if point.risk <= limit + 1e-12]
    return max(allowed, key=lambda point: (point.utility, -point.risk), default=None)


def knee(points: Sequence[MapPoint]) -> MapPoint | None:
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


def knee_by_kneed(points: Sequence[MapPoint]) -> MapPoint | None:
    """The knee that the `kneed` library finds on the same curve, if it is installed."""
    try:
        from kneed import KneeLocator
    except ImportError:
        raise ParameterError("knee_by_kneed needs the package kneed: pip install kneed") from None
    curve = _curve(points)
    if len(curve) < 3 or len({p.risk for p in curve}) < 2:
        return None
    found = KneeLocator([p.utility for p in curve], [p.risk for p in curve], curve="convex", direction="increasing").knee
    return None if found is None else min(curve, key=lambda point: abs(point.utility - found))


def _curve(points: Sequence[MapPoint]) -> list[MapPoint]:
    """One point for each utility, by rising utility: the least risk of each."""
    curve: list[MapPoint] = []
    for point in sorted(points, key=lambda point: (point.utility, point.risk)):
        if not curve or point.utility > curve[-1].utility:
            curve.append(point)
    return curve


def _angle(left: tuple[float, float], right: tuple[float, float]) -> float:
    """The angle between the segments before and after a point: pi if straight, less if sharper."""
    cosine = (left[0] * right[0] + left[1] * right[1]) / max(hypot(*left) * hypot(*right), 1e-300)
    return pi - acos(max(-1.0, min(1.0, cosine)))


def _scaled(values: list[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


def _dominated(point: tuple[float, float], others: Sequence[tuple[float, float]]) -> bool:
    return any(u >= point[0] and r <= point[1] and (u, r) != point for u, r in others)
