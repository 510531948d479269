"""Drawings of the figures of experiments."""

from math import isfinite

from anonset.report.drawings import draw_ru_map
from anonset.report.svg import Axis, Drawing, PlotFrame, axis, joined, legend, look, marker, series_sign, short, text
from anonset_papers.claims import Plot, RuMap, Value

WIDTH, HEIGHT, LEFT, TOP = 520.0, 300.0, 62.0, 28.0


def draw(plot: Plot | RuMap) -> str:
    """The plot as SVG."""
    return str(draw_ru_map(plot.points, title=plot.title) if isinstance(plot, RuMap) else draw_lines(plot))


def draw_lines(plot: Plot) -> Drawing:
    """A line a series, over numbers or over names in the order they come."""
    names, ys = _names(plot), [y for series in plot.series for y in series.ys if isfinite(y)]
    x = _named(plot.x, names) if names else axis(plot.x, [float(v) for series in plot.series for v in series.xs], room=0.04)
    y = axis(plot.y, ys, log=plot.log and min(ys, default=0.0) > 0)
    frame = PlotFrame(LEFT, TOP, WIDTH - LEFT - 12, HEIGHT - TOP - 50, x, y)
    parts = [text(0, 14, short(plot.title, WIDTH, 14), size=14, more='font-weight="600"'), frame.draw()]
    for s, series in enumerate(plot.series):
        colour, shape, dashes = look(s)
        xs = [float(names.index(str(v))) if names else float(v) for v in series.xs]
        places = [frame.at(x, y) for x, y in zip(xs, series.ys, strict=True) if isfinite(y)]
        parts += [joined(places, colour, dashes), *(marker(shape, *place, colour) for place in places)]
    entries = [(series_sign(s), series.name) for s, series in enumerate(plot.series)]
    signs, bottom = legend(entries, LEFT, HEIGHT + 6, WIDTH - LEFT)
    return Drawing(WIDTH, bottom, "".join([*parts, signs]), plot.title)


def _names(plot: Plot) -> list[str]:
    """The names along the axis, in the order they come; none where all are numbers."""
    values: list[Value] = [x for series in plot.series for x in series.xs]
    return list(dict.fromkeys(map(str, values))) if any(isinstance(x, str) for x in values) else []


def _named(words: str, names: list[str]) -> Axis:
    room = (WIDTH - LEFT) / max(1, len(names)) - 4
    return Axis(words, -0.5, len(names) - 0.5, False, tuple((float(i), short(name, room)) for i, name in enumerate(names)))
