"""Where the labels of points go, so that none covers another, nor a point."""

from collections.abc import Sequence
from typing import NamedTuple

from anonset.report.svg import width_of

SIZE = 11
MARK = 7.0  # half of what a marker covers


class Box(NamedTuple):
    """A rectangle in a drawing, y downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Whether the two share some space."""
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom


def place_labels(
    points: Sequence[tuple[float, float]], texts: Sequence[str], inside: Box, taken: Sequence[Box] = ()
) -> list[Box | None]:
    """The box of each label beside its point, the first ones first; None where there is no room: hovering tells.

    `taken` is what else is drawn there.
    """
    marks = [Box(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in points]
    found: list[Box | None] = []
    for (x, y), said in zip(points, texts, strict=True):
        others = [*taken, *marks, *(box for box in found if box is not None)]
        fitting = (box for box in _around(x, y, width_of(said, SIZE)) if _fits(box, inside, others))
        found.append(next(fitting, None) if said else None)
    return found


def _around(x: float, y: float, width: float) -> list[Box]:
    """The places around a point: above, below, right, left, then further off in the corners."""
    high, gap = SIZE + 1.0, MARK + 2.0
    centres = [(x, y - gap - high / 2), (x, y + gap + high / 2), (x + gap + width / 2, y), (x - gap - width / 2, y)]
    for far in (1.0, 2.2):
        aside, off = gap * 0.6 + width / 2, far * (gap + high / 2)
        centres += [(x + a * aside, y + b * off) for a in (1, -1) for b in (-1, 1)]
    return [Box(cx - width / 2, cy - high / 2, cx + width / 2, cy + high / 2) for cx, cy in centres]


def _fits(box: Box, inside: Box, others: Sequence[Box]) -> bool:
    within = inside.left <= box.left and box.right <= inside.right and inside.top <= box.top and box.bottom <= inside.bottom
    return within and not any(box.meets(other) for other in others)
