"""Drawings of points: with matplotlib, as inline SVG or as files; colours that colour-blind readers can tell apart."""

import io
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import matplotlib
from matplotlib import ticker
from matplotlib.figure import Figure

from anonset.report.points import Bars, Block
from anonset.study.ru_map import Point, best_under, knee

# Okabe and Ito's colours
BLUE, ORANGE, GREEN, PINK, SKY, RED, YELLOW, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#777777",
)  # fmt: skip
SERIES = (BLUE, ORANGE, GREEN, PINK, RED, SKY, GREY, YELLOW)
MARKERS = "osD^vP*X"
LINES = ("-", "--", ":", "-.")
RISK_AXIS = "risk: chance to be found, worst case"
FRONTIER = "#c8c8c8"
FEW = 4  # series whose ends are labelled
CHARACTER = 0.008  # of the width of a drawn hierarchy
LOG_FROM = 50  # utilities this many times apart are drawn on a logarithmic axis
SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9,
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "svg.hashsalt": "anonset",
}


class Drawing(Figure):
    """A figure that belongs to no window and no backend: a notebook shows it, and nothing else changes there."""

    def _repr_png_(self) -> bytes:
        image = io.BytesIO()
        with matplotlib.rc_context(SETTINGS):
            self.savefig(image, format="png", bbox_inches="tight", dpi=110)
        return image.getvalue()


def svg(figure: Figure) -> str:
    """The figure as SVG for a page, the same text for the same figure."""
    text = io.StringIO()
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    return text.getvalue()[text.getvalue().index("<svg") :]


def save(figure: Figure, path: Path) -> None:
    """Write the figure as PNG, SVG or PDF, by the path's ending."""
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(path, bbox_inches="tight", dpi=160)


def draw_bars(bars: Bars, *, width: float = 5.6) -> Figure:
    """Horizontal bars: the original hollow, the release filled."""
    return draw_charts([bars], width=width)


def draw_charts(charts: Sequence[Bars], *, width: float = 5.6) -> Figure:
    """Charts below each other in one figure, each as high as its bars need."""
    with matplotlib.rc_context(SETTINGS):
        heights = [0.7 + 0.27 * max(2, len(chart.bars)) for chart in charts]
        figure = Drawing(figsize=(width, sum(heights)), layout=None if len(charts) == 1 else "constrained")
        axes = figure.subplots(len(charts), squeeze=False, height_ratios=heights)[:, 0]
        for place, chart in zip(axes, charts, strict=True):
            _bars_on(place, chart, width)
    return figure


def _bars_on(axes: Any, bars: Bars, width: float) -> None:
    places = range(len(bars.bars))
    two = any(bar.before is not None for bar in bars.bars)
    if two:
        axes.barh(
            [p - 0.2 for p in places],
            [bar.before or 0.0 for bar in bars.bars],
            0.36,
            color="white",
            edgecolor=GREY,
            label="original",
        )
    axes.barh(
        [p + 0.2 if two else p for p in places],
        [bar.after or 0.0 for bar in bars.bars],
        0.36 if two else 0.6,
        color=BLUE,
        label="release",
    )
    axes.set_yticks(list(places), [_short(bar.label, int(5.4 * width)) for bar in bars.bars])
    axes.set_ylim(max(2, len(bars.bars)) - 0.5, -0.5)
    axes.set_xlim(left=0.0, right=1.0 if bars.unit.startswith("loss") else None)
    axes.set_xlabel(bars.unit)
    axes.set_ylabel(bars.axis)
    axes.set_title(_short(bars.title, 60), loc="left", fontsize=10)
    axes.grid(axis="x", color="#dddddd")
    axes.xaxis.set_major_locator(ticker.MaxNLocator(5))
    if two:
        axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, fontsize=8, borderpad=0)


def draw_cut(blocks: Sequence[Block], title: str, *, width: float = 11.0) -> Figure:
    """The hierarchy from its leaves up, the published nodes filled."""
    with matplotlib.rc_context(SETTINGS):
        levels = max((block.level for block in blocks), default=0) + 1
        figure = Drawing(figsize=(width, 0.6 + 0.42 * levels))
        axes = figure.subplots()
        for block in blocks:
            colour, edge = (BLUE, "white") if block.in_cut else ("#eeeeee", "white")
            axes.broken_barh(
                [(block.start, block.stop - block.start)],
                (block.level + 0.05, 0.9),
                facecolors=colour,
                edgecolors=edge,
                linewidth=0.6,
            )
            text = _short(block.label, int((block.stop - block.start) / CHARACTER))
            if len(text) > 6 or text == block.label:
                axes.text(
                    (block.start + block.stop) / 2,
                    block.level + 0.5,
                    text,
                    ha="center",
                    va="center",
                    fontsize=7,
                    color="white" if block.in_cut else "#333333",
                )
        axes.set_xlim(0, 1)
        axes.set_ylim(0, levels)
        axes.set_xticks([])
        axes.set_yticks([0.5, levels - 0.5], ["items", "root"])
        axes.set_ylabel("level")
        axes.set_title(title, loc="left", fontsize=10)
        for spine in axes.spines.values():
            spine.set_visible(False)
    return figure


def utility_axis(loss: str) -> str:
    """What the axis of utility shows."""
    return "utility: 1 / average relative error of counts" if loss == "are" else f"utility: 1 / {loss}"


def draw_ru_map(
    points: Sequence[Point],
    *,
    limit: float | None = 0.2,
    title: str = "Risk and utility",
    width: float = 7.0,
    loss: str = "are",
    here: Point | None = None,
) -> Figure:
    """Utility to the right, risk upwards; a line a series, its knee ringed, the frontier grey, the risk limit dashed."""
    with matplotlib.rc_context(SETTINGS):
        figure = Drawing(figsize=(width, 0.62 * width))
        axes = figure.subplots()
        if points and is_wide(points):
            axes.set_xscale("log")
        frontier = sorted((p for p in points if p.on_frontier), key=lambda p: p.risk)
        if len(frontier) > 1:
            xs, ys = [p.utility for p in frontier], [p.risk for p in frontier]
            axes.plot(xs, ys, color=FRONTIER, linewidth=6, solid_capstyle="round", label="frontier", zorder=1)
        for s, name in enumerate(dict.fromkeys(point.series for point in points)):
            _draw_series(axes, s, name, points)
        _draw_limit(axes, points, limit)
        if here is not None:
            axes.plot(here.utility, here.risk, marker="*", markersize=16, color="black", linestyle="none", label="this release")
        axes.set_xlabel(utility_axis(loss))
        axes.set_ylabel(RISK_AXIS)
        axes.set_title(_short(title, 100), loc="left", fontsize=10)
        axes.grid(color="#e5e5e5")
        axes.margins(x=0.06, y=0.08)
        if points:
            legend = axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
            for handle in legend.legend_handles:
                handle.set_markersize(min(9.0, handle.get_markersize()))  # type: ignore[union-attr]
    return figure


def _draw_series(axes: Any, number: int, name: str, points: Sequence[Point]) -> None:
    curve = sorted((p for p in points if p.series == name), key=lambda p: (p.risk, p.utility))
    colour, marker, line = look(number)
    turn = knee(curve)
    known = name if turn is None else f"{name}, knee {short_label(turn, curve)}"
    xs, ys = [p.utility for p in curve], [p.risk for p in curve]
    axes.plot(xs, ys, color=colour, marker=marker, linestyle=line, markersize=5, linewidth=1.2, label=known, zorder=3)
    if turn is not None:
        _ring(axes, turn, colour, 13)
    if len({p.series for p in points}) <= FEW and curve[0].risk < curve[-1].risk:
        place = {"xytext": (0, 5), "textcoords": "offset points", "ha": "center", "va": "bottom"}
        axes.annotate(short_label(curve[-1], curve), (xs[-1], ys[-1]), fontsize=7, color="#444444", **place)


def _draw_limit(axes: Any, points: Sequence[Point], limit: float | None) -> None:
    """The limit as a line; the best point under it in a black ring, named in the legend."""
    if limit is None or not points:
        return
    axes.axhline(limit, color=GREY, linestyle="--", linewidth=1)
    place = {"xycoords": ("axes fraction", "data"), "xytext": (-2, 2), "textcoords": "offset points"}
    axes.annotate(f"risk limit {limit:.3g}", (1, limit), ha="right", va="bottom", fontsize=8, color="#555555", **place)
    best = best_under(points, limit)
    if best is not None:
        _ring(axes, best, "black", 18, label="\n".join(wrap(f"best within {limit:.3g}: {best.label}", 30)))


def _ring(axes: Any, point: Point, colour: str, size: float, label: str | None = None) -> None:
    ring = {"marker": "o", "linestyle": "none", "markersize": size, "markerfacecolor": "none", "markeredgewidth": 1.6}
    axes.plot(point.utility, point.risk, markeredgecolor=colour, zorder=4, label=label, **ring)


def short_label(point: Point, curve: Sequence[Point]) -> str:
    """What tells a point from the others of its curve: the words of its label that not all of them share."""
    shared = set.intersection(*(set(p.label.split()) for p in curve)) if len(curve) > 1 else set()
    return " ".join(word for word in point.label.split() if word not in shared)


def look(number: int) -> tuple[str, str, str]:
    """Colour, marker and line of a series; what has the colour of another has its own line and marker."""
    turn = number // len(SERIES)
    return SERIES[number % len(SERIES)], MARKERS[(number + turn) % len(MARKERS)], LINES[turn % len(LINES)]


def is_wide(points: Sequence[Point]) -> bool:
    """Whether utilities are so far apart that their axis is better logarithmic."""
    return max(p.utility for p in points) > LOG_FROM * min(p.utility for p in points)


def _short(label: str, most: int = 30) -> str:
    """The label cut to a length, nothing in it read as a formula."""
    text = label if len(label) <= most else label[: max(0, most - 1)] + "…"
    return text.replace("$", r"\$")
