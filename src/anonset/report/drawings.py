"""Drawings of a report: bars before and after, hierarchies with what is published of them, people who can be found, and the
R-U map with labels that cover neither each other nor a point.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from anonset.measure import MEASURES
from anonset.report.findings import Findings
from anonset.report.points import Bars, Block, sized_error_bars
from anonset.report.svg import (
    BLUE,
    GREY,
    SERIES,
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
    stacked,
    text,
    width_of,
)
from anonset.report.words import Words, words_of
from anonset.study.ru_map import RISK, MapPoint, best_under, knee, other_risk

WIDTH, WIDE = 420.0, 960.0
ROW, TOP, FOOT = 22.0, 46.0, 44.0
HOLLOW = f'fill="none" stroke="{GREY}"'
FILLED = f'fill="{BLUE}"'


def draw_bars(bars: Bars, words: Words, *, width: float = WIDTH) -> Drawing:
    """Horizontal bars: the original hollow, the release filled."""
    labels = [short(bar.label, 0.42 * width) for bar in bars.bars]
    left = max([60.0, *(width_of(label) for label in labels)]) + 10
    most = max([1e-9, bars.most, *(v for bar in bars.bars for v in (bar.before, bar.after) if v is not None)])
    scale = axis(bars.unit, [most], zero=True, room=0.04)
    bottom = TOP + ROW * len(bars.bars)

    def place(value: float) -> float:
        return left + (width - left - 20) * scale.place(value)

    parts = [text(0, 15, short(bars.title, width, 14), size=14, more='font-weight="600"')]
    for value, said in scale.ticks[:: 2 if len(scale.ticks) > 5 else 1]:
        said = words.written(said)
        parts += [line(place(value), TOP - 4, place(value), bottom), text(place(value), bottom + 16, said, anchor="middle")]
    below = words("chart.by", unit=bars.unit, axis=bars.axis)
    fits = width_of(below) <= width - left  # below the bars; otherwise below all
    at = (left + width) / 2 if fits else width / 2
    parts.append(text(at, bottom + 34, short(below, width), anchor="middle"))
    two = any(bar.before is not None for bar in bars.bars)
    for n, (bar, label) in enumerate(zip(bars.bars, labels, strict=True)):
        top = TOP + ROW * n
        parts.append(text(left - 8, top + 14, label, anchor="end"))
        if two:
            parts.append(rect(left, top + 2, place(bar.before or 0.0) - left, 8, HOLLOW))
        parts.append(rect(left, top + (11 if two else 4), place(bar.after or 0.0) - left, 8 if two else 13, FILLED))
    if two:
        parts += [rect(left, 26, 16, 8, HOLLOW), text(left + 21, 34, words("chart.original"))]
        after = left + 35 + width_of(words("chart.original"))
        parts += [rect(after, 26, 16, 8, FILLED), text(after + 21, 34, words("chart.release"))]
    return Drawing(width, bottom + FOOT, "".join(parts), bars.title)


def draw_charts(charts: Sequence[Bars], label: str, words: Words) -> Drawing:
    """Charts below each other in one drawing."""
    return stacked([draw_bars(chart, words, width=560.0) for chart in charts], label)


def draw_cut(blocks: Sequence[Block], title: str, words: Words) -> Drawing:
    """The hierarchy from its leaves up, the published nodes filled."""
    levels = max((block.level for block in blocks), default=0) + 1
    ends = words("chart.root"), words("chart.leaves")
    left, high = 12 + max(map(width_of, ends)), 24.0
    parts = [text(0, 15, short(title, WIDE, 14), size=14, more='font-weight="600"')]
    for block in blocks:
        x, wide = left + (WIDE - left) * block.start, (WIDE - left) * (block.stop - block.start)
        y = 26 + high * (levels - 1 - block.level)
        filled = FILLED if block.in_cut else 'fill="currentColor" fill-opacity=".1"'
        parts.append(rect(x + 0.4, y, wide - 0.8, high - 2, filled))
        said = short(block.label, wide - 6, 11)
        if len(said) > 5 or said == block.label:
            white = 'fill="#fff"' if block.in_cut else ""
            parts.append(text(x + wide / 2, y + 15, said, anchor="middle", size=11, more=white))
    parts += [text(0, 42, ends[0]), text(0, 26 + high * levels - 9, ends[1])]
    return Drawing(WIDE, 30 + high * levels, "".join(parts), title)


FOUND = SERIES[4]
PALE = 'fill="currentColor" fill-opacity=".18"'
STEP, BESIDE = 14.0, 20  # from one person to the next; people in a line
PERSON = "M0,-5.6a2.2,2.2 0 1,1 -.01,0zM-3.5,5.2v-2.2a3.5,3.2 0 0,1 7,0v2.2z"
PEOPLE_WIDE, HIGH = 200.0, 10.0


def report_drawings(page: dict[str, Any], found: Findings, words: Words) -> dict[str, Any]:
    """What is drawn on the first page of the report: people before and after, the figures, and how far counts are off."""
    risk, useful = page["risk"] or {}, found.useful
    sides = {side: str(_hundred(risk[side]["singled"], words)) for side in ("before", "after") if side in risk}
    counts = useful.counts if useful is not None else ()
    chart = sized_error_bars(counts, words)
    return {
        "risk": sides,
        "figures": _figures(page),
        "counts": str(draw_bars(chart, words, width=480)) if len(counts) > 1 else "",
    }


def certificate_drawings(page: dict[str, Any], alike: int | None, words: Words) -> dict[str, Any]:
    """What is drawn on the certificate: the people among whom one is hidden, and the figures."""
    return {"crowd": "" if alike is None else str(_crowd(alike, words)), "figures": _figures(page), "counts": ""}


def _hundred(share: float, words: Words) -> Drawing:
    """A hundred people with a share marked: at least one if the share is above 0, and not all if it is below 1."""
    marked = min(max(round(100 * share), int(share > 0)), 100 - int(share < 1))
    return _people([n < marked for n in range(100)], words("drawn.hundred", marked=marked))


def _crowd(alike: int, words: Words) -> Drawing:
    """So many people of whom one is looked for; of very many, some."""
    shown = min(alike, 3 * BESIDE)
    return _people([n == 0 for n in range(shown)], words("drawn.crowd", alike=words.number(alike)))


def _people(marked: Sequence[bool], label: str) -> Drawing:
    parts = []
    for n, is_marked in enumerate(marked):
        x, y = STEP * (n % BESIDE + 0.5), STEP * (n // BESIDE + 0.5)
        parts.append(f'<path d="{PERSON}" transform="translate({x:g} {y:g})" {_fill(FOUND) if is_marked else PALE}/>')
    lines = -(-len(marked) // BESIDE)
    return Drawing(STEP * min(BESIDE, len(marked)), STEP * lines, "".join(parts), label)


def _figures(page: dict[str, Any]) -> list[str]:
    """A bar below each figure that is a share; nothing below a count."""
    shares = [f if f["value"] <= 1 and f["of"] != "alike" else None for f in page["uses"]["figures"]]
    return ["" if f is None else str(_share(f["value"], f["said"], FOUND if "error" in f["of"] else BLUE)) for f in shares]


def _share(share: float, said: str, colour: str) -> Drawing:
    bar = rect(0, 0, PEOPLE_WIDE, HIGH, f'rx="3" {PALE}') + rect(0, 0, PEOPLE_WIDE * share, HIGH, f'rx="3" {_fill(colour)}')
    return Drawing(PEOPLE_WIDE, HIGH, bar, said)


def _fill(colour: str) -> str:
    return f'fill="{colour}"'


LABEL_SIZE = 11
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
    """Place a label next to each point, in order; return its box, or None if there is no room: hovering shows such a label.

    `taken` has the boxes of what else is drawn.
    """
    marks = [Box(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in points]
    found: list[Box | None] = []
    for (x, y), said in zip(points, texts, strict=True):
        others = [*taken, *marks, *(box for box in found if box is not None)]
        fitting = (box for box in _around(x, y, width_of(said, LABEL_SIZE)) if _fits(box, inside, others))
        found.append(next(fitting, None) if said else None)
    return found


def _around(x: float, y: float, width: float) -> list[Box]:
    """The places around a point: above, below, right, left, then further off in the corners."""
    high, gap = LABEL_SIZE + 1.0, MARK + 2.0
    centres = [(x, y - gap - high / 2), (x, y + gap + high / 2), (x + gap + width / 2, y), (x - gap - width / 2, y)]
    for far in (1.0, 2.2):
        aside, off = gap * 0.6 + width / 2, far * (gap + high / 2)
        centres += [(x + a * aside, y + b * off) for a in (1, -1) for b in (-1, 1)]
    return [Box(cx - width / 2, cy - high / 2, cx + width / 2, cy + high / 2) for cx, cy in centres]


def _fits(box: Box, inside: Box, others: Sequence[Box]) -> bool:
    within = inside.left <= box.left and box.right <= inside.right and inside.top <= box.top and box.bottom <= inside.bottom
    return within and not any(box.meets(other) for other in others)


MAP_WIDTH, MAP_HEIGHT, MAP_LEFT, MAP_TOP = 640.0, 360.0, 58.0, 34.0
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
    x, y = axis(utility_axis(loss, words), utilities, log=wide), axis(_risk_axis(points, words), risks, zero=True)
    x, y = (way._replace(ticks=tuple((at, words.written(said)) for at, said in way.ticks)) for way in (x, y))
    frame = PlotFrame(MAP_LEFT, MAP_TOP, MAP_WIDTH - MAP_LEFT - 14, MAP_HEIGHT - MAP_TOP - 52, x, y)
    best = None if limit is None else best_under(points, limit)
    order = _by_weight(points, best, here)
    places = [frame.at(p.utility, p.risk) for p in order]
    numbers = {name: s for s, name in enumerate(dict.fromkeys(p.series for p in points))}
    signs, bottom = legend(_entries(points, numbers, limit, best, here, words), MAP_LEFT, MAP_HEIGHT + 8, MAP_WIDTH - MAP_LEFT)
    body = [
        text(0, 16, short(title, MAP_WIDTH, 14), size=14, more='font-weight="600"'),
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
    return Drawing(MAP_WIDTH, bottom, "".join(body), title)


def _risk_axis(points: Sequence[MapPoint], words: Words) -> str:
    """The words of the axis: the measure of risk, by its id where it is not the usual one."""
    axis = points[0].axis if points else RISK
    return words("map.risk_axis") if axis == RISK else f"{axis}: {MEASURES[axis].meaning.partition(':')[0]}"


def short_label(point: MapPoint, curve: Sequence[MapPoint]) -> str:
    """The words of a point's label that not all points of its curve share."""
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
    return line(frame.left, y, right, y, dashed) + text(right, y - 4, said, anchor="end", size=LABEL_SIZE)


def _labels(
    order: Sequence[MapPoint],
    places: Sequence[tuple[float, float]],
    points: Sequence[MapPoint],
    frame: PlotFrame,
    limit: float | None,
) -> str:
    """Draw labels next to the points, as many as there is room for."""
    curves = {p.series: _curve(points, p.series) for p in points}
    said = [short_label(p, curves[p.series]) for p in order]
    right = frame.left + frame.width
    inside = Box(frame.left, frame.top - 8, right + 10, frame.top + frame.height)
    words_of_limit = [] if limit is None else [Box(right - 90, (y := frame.at(1.0, limit)[1]) - 16, right, y)]
    boxes = zip(said, place_labels(places, said, inside, words_of_limit), strict=True)
    return "".join(text(b.left, b.bottom - 3, words, size=LABEL_SIZE) for words, b in boxes if b is not None)


def _hovering(
    order: Sequence[MapPoint], places: Sequence[tuple[float, float]], numbers: Mapping[str, int], loss: str, words: Words
) -> str:
    """The marks, each with a box that shows while it is pointed at or focused; no script is needed."""
    marks, tips, rules = [], [], []
    for i, (point, (x, y)) in enumerate(zip(order, places, strict=True)):
        colour, shape, _ = look(numbers[point.series])
        named = words("map.risk") if point.axis == RISK else point.axis
        figures = [(words("map.utility"), point.utility), (loss, point.loss), (named, point.risk)]
        figures += [] if point.beside is None else [(other_risk(point.axis), point.beside)]
        lines = (point.label, *(f"{name} {words.written(f'{value:.4g}')}" for name, value in figures))
        near = f'<circle cx="{number(x)}" cy="{number(y)}" r="9" fill-opacity="0"/>'
        said = f'tabindex="0" role="img" aria-label="{escape(", ".join(lines))}"'
        marks.append(f'<g class="at{i}" {said}>{marker(shape, x, y, colour)}{near}</g>')
        tips.append(f'<g class="tip{i}" visibility="hidden" pointer-events="none">{_tip(lines, x, y)}</g>')
        rules.append(f".at{i}:is(:hover,:focus)~.tip{i}{{visibility:visible}}")
    return f"<style>{''.join(rules)}</style><g>{''.join((*marks, *tips))}</g>"


def _tip(lines: Sequence[str], x: float, y: float) -> str:
    wide, high = max(width_of(words) for words in lines) + 16, LINE * len(lines) + 8
    left, top = min(x + 12, max(2.0, MAP_WIDTH - wide - 2)), y - high - 10 if y > high + 12 else y + 12
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
