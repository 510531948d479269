"""Drawings of what the experiments gave."""

import matplotlib
from matplotlib.figure import Figure

from anonset.report.drawing import MARKERS, SERIES, SETTINGS, draw_ru_map, svg
from anonset_papers.claims import Plot, RuMap

WIDTH = 5.6


def draw(plot: Plot | RuMap) -> str:
    """The plot as SVG."""
    if isinstance(plot, RuMap):
        return svg(draw_ru_map(plot.points, title=plot.title, width=WIDTH))
    return svg(draw_lines(plot))


def draw_lines(plot: Plot) -> Figure:
    """A line a series, over numbers or over names in the order they come."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH, 0.6 * WIDTH))
        axes = figure.subplots()
        for s, series in enumerate(plot.series):
            axes.plot(
                list(series.xs),
                list(series.ys),
                color=SERIES[s % len(SERIES)],
                marker=MARKERS[s % len(MARKERS)],
                markersize=5,
                linewidth=1.2,
                label=series.name,
            )
        axes.set_xlabel(plot.x)
        axes.set_ylabel(plot.y)
        axes.set_title(plot.title, loc="left", fontsize=10)
        axes.grid(color="#e5e5e5")
        if plot.log and all(y > 0 for series in plot.series for y in series.ys):
            axes.set_yscale("log")
        if plot.series:
            axes.legend(frameon=False, fontsize=8)
    return figure
