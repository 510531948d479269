"""The R-U map: utility to the right, risk upwards, with labels of which none covers another, nor a point."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from anonset.report.svg import (
    GREY,
    Drawing,
    Entry,
    PlotFrame,
    axis,
    joined,
    legend,
    line,
    look,
    marker,
    number,
    polyline,
    rect,
    ring,
    series_sign,
    short,
    text,
    width_of,
)
from anonset.report.words import Words, words_of
from anonset.study.ru_map import MapPoint, best_under, knee

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


WIDTH, HEIGHT, LEFT, TOP = 640.0, 360.0, 58.0, 34.0
LOG_FROM = 50  # utilities this many times apart are drawn on a logarithmic axis
LINE = 15.0  # from one line of a tip to the next
STAR = 6


def utility_axis(loss: str, words: Words) -> str:
    """What the axis of utility shows."""
    return words("map.utility_are") if loss == "are" else words("map.utility_axis", loss=loss)


def draw_ru_map(
    points: Sequence[MapPoint],
    *,
    limit: float | None = 0.2,
    title: str = "",
    loss: str = "are",
    here: MapPoint | None = None,
    words: Words | None = None,
) -> Drawing:
    """A line a series, its knee (by angle) ringed, the frontier grey, the risk limit dashed, this release a star."""
    words = words or words_of("en")
    title = title or words("map.title")
    utilities, risks = [p.utility for p in points], [p.risk for p in points]
    risks += [limit] if limit is not None else []
    wide = bool(points) and max(utilities) > LOG_FROM * min(utilities)
    x, y = axis(utility_axis(loss, words), utilities, log=wide), axis(words("map.risk_axis"), risks, zero=True)
    x, y = (way._replace(ticks=tuple((at, words.written(said)) for at, said in way.ticks)) for way in (x, y))
    frame = PlotFrame(LEFT, TOP, WIDTH - LEFT - 14, HEIGHT - TOP - 52, x, y)
    best = None if limit is None else best_under(points, limit)
    order = _by_weight(points, best, here)
    places = [frame.at(p.utility, p.risk) for p in order]
    numbers = {name: s for s, name in enumerate(dict.fromkeys(p.series for p in points))}
    signs, bottom = legend(_entries(points, numbers, limit, best, here, words), LEFT, HEIGHT + 8, WIDTH - LEFT)
    body = [
        text(0, 16, short(title, WIDTH, 14), size=14, more='font-weight="600"'),
        frame.draw(),
        _frontier([frame.at(p.utility, p.risk) for p in sorted(points, key=lambda p: p.risk) if p.on_frontier]),
        *(_series(_curve(points, name), s, frame) for name, s in numbers.items()),
        "" if limit is None else _limit(limit, frame, words),
        "" if best is None else ring(*frame.at(best.utility, best.risk), "currentColor", 9.5),
        "" if here is None else marker(STAR, *frame.at(here.utility, here.risk), "currentColor", 2.4),
        _labels(order, places, points, frame, limit),
        _hovering(order, places, numbers, loss, words),
        signs,
    ]
    return Drawing(WIDTH, bottom, "".join(body), title)


def short_label(point: MapPoint, curve: Sequence[MapPoint]) -> str:
    """What tells a point from the others of its curve: the words of its label that not all of them share."""
    shared = set.intersection(*(set(p.label.split()) for p in curve)) if len(curve) > 1 else set()
    return " ".join(word for word in point.label.split() if word not in shared)


def _curve(points: Sequence[MapPoint], name: str) -> list[MapPoint]:
    return sorted((p for p in points if p.series == name), key=lambda p: (p.risk, p.utility))


def _by_weight(points: Sequence[MapPoint], best: MapPoint | None, here: MapPoint | None) -> list[MapPoint]:
    """All points, those first whose label matters most: the best, this release, knees, the frontier, the ends."""
    knees = [knee(_curve(points, name)) for name in dict.fromkeys(p.series for p in points)]
    weight = {id(p): (p != best, p != here, p not in knees, not p.on_frontier) for p in points}
    return sorted(points, key=lambda p: weight[id(p)])


def _frontier(places: Sequence[tuple[float, float]]) -> str:
    thick = f'stroke="{GREY}" stroke-opacity=".35" stroke-width="7" stroke-linecap="round" stroke-linejoin="round"'
    return polyline(places, thick) if len(places) > 1 else ""


def _series(curve: Sequence[MapPoint], s: int, frame: PlotFrame) -> str:
    colour, _, dashes = look(s)
    turn = knee(curve)
    ringed = "" if turn is None else ring(*frame.at(turn.utility, turn.risk), colour, 8)
    return joined((frame.at(p.utility, p.risk) for p in curve), colour, dashes) + ringed


def _limit(limit: float, frame: PlotFrame, words: Words) -> str:
    y = frame.at(frame.x.low, limit)[1]
    right = frame.left + frame.width
    dashed = f'stroke="{GREY}" stroke-dasharray="5 4" stroke-width="1.2"'
    said = words("map.limit", limit=words.written(f"{limit:.3g}"))
    return line(frame.left, y, right, y, dashed) + text(right, y - 4, said, anchor="end", size=SIZE)


def _labels(
    order: Sequence[MapPoint],
    places: Sequence[tuple[float, float]],
    points: Sequence[MapPoint],
    frame: PlotFrame,
    limit: float | None,
) -> str:
    """Labels beside the points, as many as there is room for."""
    curves = {p.series: _curve(points, p.series) for p in points}
    said = [short_label(p, curves[p.series]) for p in order]
    right = frame.left + frame.width
    inside = Box(frame.left, frame.top - 8, right + 10, frame.top + frame.height)
    words_of_limit = [] if limit is None else [Box(right - 90, (y := frame.at(1.0, limit)[1]) - 16, right, y)]
    boxes = zip(said, place_labels(places, said, inside, words_of_limit), strict=True)
    return "".join(text(b.left, b.bottom - 3, words, size=SIZE) for words, b in boxes if b is not None)


def _hovering(
    order: Sequence[MapPoint], places: Sequence[tuple[float, float]], numbers: Mapping[str, int], loss: str, words: Words
) -> str:
    """The marks, each with a box that shows while it is pointed at or focused; no script is needed."""
    marks, tips, rules = [], [], []
    for i, (point, (x, y)) in enumerate(zip(order, places, strict=True)):
        colour, shape, _ = look(numbers[point.series])
        figures = ((words("map.utility"), point.utility), (loss, point.loss), (words("map.risk"), point.risk))
        lines = (point.label, *(f"{name} {words.written(f'{value:.4g}')}" for name, value in figures))
        near = f'<circle cx="{number(x)}" cy="{number(y)}" r="9" fill-opacity="0"/>'
        said = f'tabindex="0" role="img" aria-label="{escape(", ".join(lines))}"'
        marks.append(f'<g class="at{i}" {said}>{marker(shape, x, y, colour)}{near}</g>')
        tips.append(f'<g class="tip{i}" visibility="hidden" pointer-events="none">{_tip(lines, x, y)}</g>')
        rules.append(f".at{i}:is(:hover,:focus)~.tip{i}{{visibility:visible}}")
    return f"<style>{''.join(rules)}</style><g>{''.join((*marks, *tips))}</g>"


def _tip(lines: Sequence[str], x: float, y: float) -> str:
    wide, high = max(width_of(words) for words in lines) + 16, LINE * len(lines) + 8
    left, top = min(x + 12, max(2.0, WIDTH - wide - 2)), y - high - 10 if y > high + 12 else y + 12
    said = (text(left + 8, top + LINE * (n + 1), words, more='fill="#fff"') for n, words in enumerate(lines))
    return rect(left, top, wide, high, f'rx="4" fill="#1d2733" stroke="{GREY}"') + "".join(said)


def _entries(
    points: Sequence[MapPoint],
    numbers: Mapping[str, int],
    limit: float | None,
    best: MapPoint | None,
    here: MapPoint | None,
    words: Words,
) -> list[Entry]:
    """What the legend says: the series with their knees, and the other signs."""
    entries: list[Entry] = []
    for name, s in numbers.items():
        curve = _curve(points, name)
        turn = knee(curve)
        known = name if turn is None else words("map.knee", series=name, setting=short_label(turn, curve))
        entries.append((series_sign(s), known))
    if sum(p.on_frontier for p in points) > 1:
        entries.append((lambda x, y: _frontier([(x - 8, y), (x + 8, y)]), words("map.frontier")))
    if best is not None and limit is not None:
        said = words("map.best", limit=words.written(f"{limit:.3g}"), setting=best.label)
        entries.append((lambda x, y: ring(x, y, "currentColor", 7), said))
    if here is not None:
        entries.append((lambda x, y: marker(STAR, x, y, "currentColor", 1.5), words("map.here")))
    return entries
