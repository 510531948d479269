"""Drawings of points: with matplotlib, as inline SVG or as files; colours that colour-blind readers can tell apart."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
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
SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9,
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "svg.hashsalt": "anonset",
}


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
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(width, 0.7 + 0.27 * max(2, len(bars.bars))))
        axes = figure.subplots()
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
        axes.set_yticks(list(places), [_short(bar.label) for bar in bars.bars])
        axes.invert_yaxis()
        axes.set_xlabel(bars.unit)
        axes.set_title(bars.title, loc="left", fontsize=10)
        axes.grid(axis="x", color="#dddddd")
        axes.xaxis.set_major_locator(ticker.MaxNLocator(5))
        if two:
            axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, fontsize=8, borderpad=0)
    return figure


def draw_cut(blocks: Sequence[Block], *, width: float = 11.0) -> Figure:
    """The hierarchy from its leaves up, the published nodes filled."""
    with matplotlib.rc_context(SETTINGS):
        levels = max((block.level for block in blocks), default=0) + 1
        figure = Figure(figsize=(width, 0.6 + 0.42 * levels))
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
            if block.stop - block.start > 0.0085 * len(block.label):
                axes.text(
                    (block.start + block.stop) / 2,
                    block.level + 0.5,
                    block.label,
                    ha="center",
                    va="center",
                    fontsize=7,
                    color="white" if block.in_cut else "#333333",
                )
        axes.set_xlim(0, 1)
        axes.set_ylim(0, levels)
        axes.set_xticks([])
        axes.set_yticks([0.5, levels - 0.5], ["items", "root"])
        axes.set_title("The hierarchy; what is published is filled", loc="left", fontsize=10)
        for spine in axes.spines.values():
            spine.set_visible(False)
    return figure


def draw_ru_map(
    points: Sequence[Point], *, limit: float | None = 0.2, title: str = "Risk and utility", width: float = 7.0
) -> Figure:
    """Utility to the right, risk upwards; a line an algorithm, its knee ringed, the risk limit dashed."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(width, 0.62 * width))
        axes = figure.subplots()
        for s, name in enumerate(dict.fromkeys(point.series for point in points)):
            curve = sorted((p for p in points if p.series == name), key=lambda p: p.utility)
            colour = SERIES[s % len(SERIES)]
            axes.plot(
                [p.utility for p in curve],
                [p.risk for p in curve],
                color=colour,
                marker=MARKERS[s % len(MARKERS)],
                markersize=5,
                linewidth=1.2,
                label=name,
            )
            turn = knee(curve)
            if turn is not None:
                axes.plot(
                    turn.utility,
                    turn.risk,
                    marker="o",
                    markersize=13,
                    markerfacecolor="none",
                    markeredgecolor=colour,
                    markeredgewidth=1.6,
                )
        _draw_limit(axes, points, limit)
        axes.set_xlabel("utility: 1 / average relative error" if points else "utility")
        axes.set_ylabel("risk: chance to be found, worst case")
        axes.set_title(title, loc="left", fontsize=10)
        axes.grid(color="#e5e5e5")
        if points and max(p.utility for p in points) > 50 * min(p.utility for p in points):
            axes.set_xscale("log")
        if points:
            axes.legend(frameon=False, fontsize=8, title="ring: knee", title_fontsize=8)
    return figure


def _draw_limit(axes: Any, points: Sequence[Point], limit: float | None) -> None:
    if limit is None or not points:
        return
    axes.axhline(limit, color=GREY, linestyle="--", linewidth=1)
    axes.annotate(
        f"risk limit {limit:g}",
        (1, limit),
        xycoords=("axes fraction", "data"),
        ha="right",
        va="bottom",
        fontsize=8,
        color="#555555",
    )
    best = best_under(points, limit)
    if best is not None:
        axes.annotate(
            f"best: {best.label}",
            (best.utility, best.risk),
            xytext=(10, -16),
            textcoords="offset points",
            fontsize=8,
            bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
        )


def _short(label: str, most: int = 30) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"
