"""Numbers as they are written and as they are computed with: what cannot be held exactly is no number here."""

from decimal import Decimal

import numpy as np

WHOLE = 2.0**53  # from here on not every whole number is a float
LONGEST = 2.0**63  # up to here whole numbers are written without a point


def is_held(text: str) -> bool:
    """Whether computing with the number loses nothing of a large one: 9007199254740993 would become ...992."""
    value = float(text)
    if abs(value) < WHOLE or not np.isfinite(value):
        return True  # decimals are rounded as everywhere, and so are no whole numbers
    return Decimal(text) == Decimal(value if abs(value) < LONGEST else repr(value))


def plain(value: float) -> int | float:
    """A whole number without its point."""
    return int(value) if abs(value) < LONGEST and value == int(value) else value
