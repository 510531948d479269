"""ShownSets of values of a column: of numbers, or of texts in their order, as intervals; with or without missing values."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import total_ordering

import numpy as np

from anonset.model.arrays import Mask, Reals

Value = float | str


@total_ordering
@dataclass(frozen=True, slots=True)
class Border:
    """A place between values: just before a value, or just after it; without a value before or after all of them."""

    value: Value | None
    after: bool

    def _key(self) -> tuple[int, Value, bool]:
        if self.value is None:
            return (2 if self.after else 0, 0.0, False)
        return (1, self.value, self.after)

    def __lt__(self, other: "Border") -> bool:
        return self._key() < other._key()


FIRST, LAST = Border(None, False), Border(None, True)


@dataclass(frozen=True, slots=True)
class Region:
    """The values between borders[0] and borders[1], borders[2] and borders[3] and so on; and missing ones, or not."""

    borders: tuple[Border, ...] = ()
    missing: bool = False

    @classmethod
    def between(cls, low: Value | None, high: Value | None, *, low_in: bool = True, high_in: bool = True) -> "Region":
        """The values from low to high; None is no end."""
        first = FIRST if low is None else Border(low, not low_in)
        last = LAST if high is None else Border(high, high_in)
        return cls((first, last)) if first < last else cls()

    @classmethod
    def of(cls, values: Iterable[Value]) -> "Region":
        """Some single values."""
        return cls(tuple(border for value in sorted(set(values)) for border in (Border(value, False), Border(value, True))))

    @property
    def inverted(self) -> "Region":
        """All other values; a missing value is in neither, as in SQL."""
        borders = self.borders[1:] if self.borders[:1] == (FIRST,) else (FIRST, *self.borders)
        return Region(borders[:-1] if borders[-1:] == (LAST,) else (*borders, LAST))

    def __and__(self, other: "Region") -> "Region":
        return Region(_swept(self.borders, other.borders, 2), self.missing and other.missing)

    def __or__(self, other: "Region") -> "Region":
        return Region(_swept(self.borders, other.borders, 1), self.missing or other.missing)

    def __contains__(self, value: object) -> bool:
        assert isinstance(value, float | int | str)
        return bool(bisect_right(self.borders, Border(value, False)) % 2)

    def shares(self, low: Reals, high: Reals, *, whole: bool) -> tuple[Mask, Mask, Reals]:
        """Of ranges of numbers: which lie inside, which have a number in common, and the share of each that is inside.

        `whole`: only whole numbers count.
        """
        inside, touched, share = np.zeros(len(low), np.bool_), np.zeros(len(low), np.bool_), np.zeros(len(low))
        size = np.floor(high) - np.ceil(low) + 1.0 if whole else high - low
        for first, last in zip(self.borders[::2], self.borders[1::2], strict=True):
            least, after = _number(first, -math.inf), first.after
            most, before = _number(last, math.inf), not last.after
            from_first = low > least if after else low >= least
            to_last = high < most if before else high <= most
            inside |= from_first & to_last
            touched |= (high > least if after else high >= least) & (low < most if before else low <= most)
            if whole:
                bottom = np.maximum(np.ceil(low), math.floor(least) + 1 if after and least > -math.inf else np.ceil(least))
                top = np.minimum(np.floor(high), math.ceil(most) - 1 if before and most < math.inf else np.floor(most))
                share += np.maximum(top - bottom + 1.0, 0.0)
            else:
                share += np.maximum(np.minimum(high, most) - np.maximum(low, least), 0.0)
        part = np.divide(share, size, out=np.zeros(len(low)), where=size > 0)
        return inside, touched, np.where(inside, 1.0, np.where(touched, np.clip(part, 0.0, 1.0), 0.0))


def _number(border: Border, end: float) -> float:
    return end if border.value is None else float(border.value)


def _swept(first: Sequence[Border], second: Sequence[Border], least: int) -> tuple[Border, ...]:
    """The borders between which at least so many of two regions are."""
    steps: dict[Border, int] = {}
    for borders in (first, second):
        for n, border in enumerate(borders):
            steps[border] = steps.get(border, 0) + 1 - 2 * (n % 2)
    found: list[Border] = []
    depth = 0
    for border in sorted(steps):
        was, depth = depth, depth + steps[border]
        if (depth >= least) != (was >= least):
            found.append(border)
    return tuple(found)
