"""The rules that turn figures into answers: each gives a check with the expectation and our figures."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from anonset_papers.claims import Check
from anonset_papers.figures import TITLES, Ratio

MOST_NAMED = 4


def at_least(text: str, found: Sequence[Ratio], bound: float, *, unit: str = " times") -> Check:
    """Every ratio reaches the bound."""
    return _bounded(text, f"at least {bound:g}{unit} under every setting", found, unit, lambda value: value >= bound)


def at_most(text: str, found: Sequence[Ratio], bound: float, *, unit: str = " times") -> Check:
    """No ratio exceeds the bound."""
    return _bounded(text, f"at most {bound:g}{unit} under every setting", found, unit, lambda value: value <= bound)


def reaches(text: str, value: float | None, bound: float, *, unit: str = "") -> Check:
    """One figure is at least the bound."""
    if value is None:
        return untestable(text, "no setting gave both figures")
    return Check(text, f"at least {bound:g}{unit}", f"{value:.3g}{unit}", bool(value >= bound))


def stays_within(text: str, value: float | None, bound: float, *, unit: str = "") -> Check:
    """One figure is at most the bound."""
    if value is None:
        return untestable(text, "no setting gave both figures")
    return Check(text, f"at most {bound:g}{unit}", f"{value:.3g}{unit}", bool(value <= bound))


def always(text: str, rule: str, found: Mapping[str, bool], *, ours: str = "") -> Check:
    """The same is true under every setting; those where it is not are named."""
    if not found:
        return untestable(text, "no setting gave the figures")
    failed = [name for name, good in found.items() if not good]
    shown = "; ".join(failed[:MOST_NAMED]) + (f" and {len(failed) - MOST_NAMED} more" if len(failed) > MOST_NAMED else "")
    said = f"{len(found) - len(failed)} of {len(found)} settings" + (f"; not: {shown}" if failed else "")
    return Check(text, f"{rule}, under every setting", f"{ours}; {said}" if ours else said, not failed)


def ordered(text: str, figures: Mapping[str, Mapping[str, float]], names: Sequence[str], *, ties: bool = False) -> Check:
    """The algorithms' figures rise in this order under every setting that has them all."""
    whole = {place: [found[name] for name in names] for place, found in figures.items() if all(name in found for name in names)}
    rises = {place: all(a < b or (ties and a == b) for a, b in pairwise(row)) for place, row in whole.items()}
    return always(text, (" <= " if ties else " < ").join(TITLES.get(name, name) for name in names), rises)


def lowest(text: str, figures: Mapping[str, Mapping[str, float]], name: str) -> Check:
    """One algorithm has the lowest figure under every setting that has it and another."""
    found = {
        place: all(rows[name] < value for other, value in rows.items() if other != name)
        for place, rows in figures.items()
        if name in rows and len(rows) > 1
    }
    return always(text, f"{TITLES.get(name, name)} has the lowest", found)


def untestable(text: str, reason: str) -> Check:
    """A part that cannot be tested here, and why."""
    return Check(text, "", reason, None)


def straightness(xs: Sequence[float], ys: Sequence[float]) -> float:
    """R squared of the straight line nearest to the points: 1.0 they lie on it."""
    if len(xs) < 3 or min(ys) == max(ys):
        return 1.0
    slope, base = np.polyfit(xs, ys, 1)
    rest = np.asarray(ys) - (slope * np.asarray(xs) + base)
    return float(1.0 - (rest**2).sum() / ((np.asarray(ys) - np.mean(ys)) ** 2).sum())


def _bounded(text: str, rule: str, found: Sequence[Ratio], unit: str, good: Callable[[float], bool]) -> Check:
    if not found:
        return untestable(text, "no setting gave both figures")
    low, high = min(found, key=lambda r: r.value), max(found, key=lambda r: r.value)
    ours = f"{low.value:.3g} ({low.setting}) to {high.value:.3g}{unit} ({high.setting})"
    return Check(text, rule, ours, all(good(r.value) for r in found))
