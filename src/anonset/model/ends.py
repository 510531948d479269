"""Rounded ends of published numeric ranges: as the data have them, both ends of a range are values of real people.

A range is widened to round numbers by at most a hundredth of its own width, so of its NCP. Groups whose ranges become the same
become one group; every guarantee about groups holds for the union of groups that keep it.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from anonset.errors import ParameterError
from anonset.model.arrays import Mask, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import PublishedColumn, Ranges
from anonset.model.literals import LONGEST, WHOLE, plain
from anonset.model.release import Release

Ends = Literal["auto", "rounded", "exact"]
ENDS: tuple[Ends, ...] = ("auto", "rounded", "exact")
WIDENED = 0.01  # of its own width, the most by which both ends together widen a range
LONG = 1000.0  # numbers of four digits and more, whose ends `auto` rounds: shorter ones are shared by many people
DIGITS = (5, 2, 1)  # round numbers are these times a power of ten; the coarsest first
DROPS = (1, 0, -1, -2, -3, -4)  # powers of ten from a range's width: 1.01 times it is the coarsest, 0.005 times always fits
POWERS = np.array([float(f"1e{e}") for e in range(23)])  # the powers of ten that a float holds exactly


def check_ends(ends: str) -> Ends:
    """The way in which ends are published, if it is one."""
    for known in ENDS:
        if ends == known:
            return known
    raise ParameterError(f"ends must be one of {', '.join(ENDS)}; got {ends!r}")


def with_ends(original: Dataset, release: Release, ends: str) -> Release:
    """The release with the ends of its ranges as wanted, which its provenance says."""
    made = replace(release.provenance, ends=check_ends(ends))
    names = rounded_columns(original, ends)
    columns = tuple(_rounded(c) if c.name in names else c for c in release.columns)
    return replace(release, columns=columns, provenance=made)


def rounded_columns(original: Dataset, ends: str) -> tuple[str, ...]:
    """The names of the quasi columns in which the ends of ranges are rounded."""
    return tuple(column.name for column in original.quasi if _is_rounded(column, ends))


def outward(low: Reals, high: Reals) -> tuple[Reals, Reals]:
    """Both ends of each range moved outward to multiples of the coarsest 1, 2 or 5 times a power of ten that they can afford.

    Together they move by at most a hundredth of the range's width. A single number stays as it is, and so does a range that
    is too narrow for its numbers to be rounded. Whole numbers stay whole: 1 is a step that costs them nothing.
    """
    lows, highs = low.copy(), high.copy()
    with np.errstate(over="ignore"):
        width = high - low
    at = np.flatnonzero((width > 0) & np.isfinite(width))
    places = np.zeros(len(width), np.int64)  # of the first digit of the width
    places[at] = np.floor(np.log10(width[at]))
    for drop, digit in ((drop, digit) for drop in DROPS for digit in DIGITS):
        power = places[at] + drop
        first, last = _multiple_below(low[at], digit, power), -_multiple_below(-high[at], digit, power)
        good = (low[at] - first) + (last - high[at]) <= WIDENED * width[at]  # not where there is no such multiple: NaN
        good &= _is_written_alike(low[at], first) & _is_written_alike(high[at], last)
        lows[at[good]], highs[at[good]] = first[good] + 0.0, last[good] + 0.0  # never -0.0
        at = at[~good]
    return lows, highs


def _multiple_below(numbers: Reals, digit: int, power: Rows) -> Reals:
    """The largest multiple of digit * 10**power that is at most each number, as a float spells it; NaN where floats end."""
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        times = np.floor(numbers / (digit * _power_of_ten(power)))
    times[~(np.abs(times) < WHOLE / 8)] = np.nan
    times += 1.0  # the division may have been off by one
    for _ in range(2):
        times -= _times_power(times * digit, power) > numbers
    found: Reals = _times_power(times * digit, power)
    found[~np.isfinite(found)] = np.nan
    return found


def _times_power(numbers: Reals, power: Rows) -> Reals:
    """Whole numbers times powers of ten, each the float that is nearest: 3 * 10**-1 is 0.3."""
    found: Reals = np.where(power < 0, numbers / POWERS[np.minimum(np.abs(power), 22)], numbers * POWERS[np.clip(power, 0, 22)])
    for i in np.flatnonzero((np.abs(power) > 22) & np.isfinite(numbers)):  # of very large and very small numbers
        found[i] = float(f"{int(numbers[i])}e{int(power[i])}")
    return found


def _power_of_ten(power: Rows) -> Reals:
    return _times_power(np.ones(len(power)), power)


def _is_written_alike(old: Reals, new: Reals) -> Mask:
    """Whether a new end is written as the old one is: as a whole number with all its digits, or with an exponent."""
    alike: Mask = (np.abs(old) < LONGEST) == (np.abs(new) < LONGEST)
    return alike


def _is_rounded(column: Column, ends: str) -> bool:
    if column.values is None or ends == "exact":
        return False
    return ends == "rounded" or bool(np.abs(column.values).max(initial=0.0) >= LONG)


def _rounded(published: PublishedColumn) -> PublishedColumn:
    """The column with rounded ends; ranges that become the same become one label."""
    labels = published.labels
    if not isinstance(labels, Ranges):
        return published
    low, high = outward(labels.low, labels.high)
    moved = (low != labels.low) | (high != labels.high)
    ends = zip(low.tolist(), high.tolist(), moved.tolist(), labels.texts, strict=True)
    texts = [f"[{plain(a)!r}:{plain(b)!r}]" if new else text for a, b, new, text in ends]
    order = np.lexsort((np.array(texts, np.dtypes.StringDType()), high, low)) if len(texts) else np.zeros(0, np.int64)
    fresh = np.append(True, (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0))[: len(order)]
    number = np.full(len(order) + 1, -1, np.int32)
    number[order] = np.cumsum(fresh) - 1
    kept = order[fresh]
    return replace(
        published, codes=number[published.codes], labels=Ranges(low[kept], high[kept], tuple(texts[a] for a in kept))
    )
