"""What a release is still good for, in sentences."""

from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anonset.measure.usefulness.result import Usefulness

RIGHT = 0.1  # counts off by at most so much on average are called reliable


def sentences(found: "Usefulness") -> tuple[str, ...]:
    """A few sentences, the most important first."""
    return (*_items(found), *_columns(found), *_counts(found), *_mined(found), *_predicted(found))


def percent(share: float) -> str:
    """A share as people read it: 0 % and 100 % only where it is so."""
    if 0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{100 * share:.0f} %"


def _items(found: "Usefulness") -> Iterator[str]:
    if found.exact is None or found.lost is None:
        return
    several = f"; half of the others are shown as one of {found.one_of:,} or fewer" if found.one_of is not None else ""
    yield f"{percent(found.exact)} of the {found.items} are exact, {percent(found.lost)} are lost{several}."
    if found.levels is not None and len(found.levels) > 1:
        steps = [(s, share) for s, share in enumerate(found.levels) if s > 0 and share > 0]
        if steps:
            spelled = ", ".join(f"{percent(share)} {s} {'level' if s == 1 else 'levels'} up" for s, share in steps)
            yield f"Of the {found.items}, {spelled} in the hierarchy."


def _columns(found: "Usefulness") -> Iterator[str]:
    for name, kept in (found.columns or {}).items():
        yield f"{name}: {percent(kept.exact)} of the values are exact, {percent(kept.lost)} say nothing any more."
    if found.left_out:
        yield f"{found.left_out:,} of {found.records:,} records are left out."


def _counts(found: "Usefulness") -> Iterator[str]:
    """Reliable from which size on, and how wrong below."""
    if not found.counts:
        return
    reliable = list(takewhile(lambda sized: sized.error <= RIGHT, reversed(found.counts)))
    if reliable:
        worst = max(sized.error for sized in reliable)
        off = f"off by at most {percent(worst)} on average" if worst else "exact"
        yield f"Counts of {reliable[-1].low:,} or more {found.unit} are {off}."
    else:
        largest = found.counts[-1]
        yield f"Counts of {largest.low:,} or more {found.unit} are off by {percent(largest.error)} on average."
    small = found.counts[0]
    if small.high is not None and small.error > RIGHT:
        yield (
            f"Counts of fewer than {small.high:,} {found.unit} are off by {percent(small.error)} on average: "
            f"few {found.unit} are not meant to be countable."
        )


def _mined(found: "Usefulness") -> Iterator[str]:
    if found.mined is None:
        return
    share, confidence = percent(found.mined.support), percent(found.mined.confidence)
    kinds = (
        (found.mined.itemsets, f"combinations that {share} of the {found.unit} have"),
        (found.mined.rules, f"rules among them that hold for {confidence} of the {found.unit} concerned"),
    )
    for kind, what in kinds:
        if kind.number:
            right = f"; what is found ({kind.found:,}) is right in {percent(kind.precision)}" if kind.found else ""
            yield f"Of the {kind.number:,} {what}, {percent(kind.recall)} are still found{right}."


def _predicted(found: "Usefulness") -> Iterator[str]:
    if found.prediction is None:
        return
    p = found.prediction
    yield (
        f"A simple model trained on the release predicts {p.column} right for {percent(p.trained_on_release)} of the "
        f"{found.unit}; trained on the original for {percent(p.trained_on_original)}, by the commonest value for "
        f"{percent(p.commonest)}."
    )
