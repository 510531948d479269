"""The R-U map as a page to hover over, zoom into and switch series off in."""

from collections.abc import Sequence
from typing import Any

from anonset.report.drawing import FRONTIER, GREY, LINES, MARKERS, RISK_AXIS, is_wide, look, utility_axis
from anonset.study.ru_map import RISK_LIMITS, Point, best_under, knee

PLOTLY_MARKERS = dict(
    zip(MARKERS, ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "star", "x"), strict=True)
)
PLOTLY_LINES = dict(zip(LINES, ("solid", "dash", "dot", "dashdot"), strict=True))


def interactive_map(points: Sequence[Point], *, limit: float | None = 0.2, loss: str = "are") -> str:
    """The map as a page to hover over, zoom into and switch algorithms off in; works offline."""
    import plotly.graph_objects as go

    figure = go.Figure()
    frontier = sorted((p for p in points if p.on_frontier), key=lambda p: p.risk)
    hover = "%{text}<br>utility %{x:.4g}<br>risk %{y:.4g}<extra></extra>"
    figure.add_scatter(
        x=[p.utility for p in frontier],
        y=[p.risk for p in frontier],
        mode="lines",
        name="frontier",
        line={"color": FRONTIER, "width": 8},
        hoverinfo="skip",
    )
    for s, name in enumerate(dict.fromkeys(point.series for point in points)):
        curve = sorted((p for p in points if p.series == name), key=lambda p: (p.risk, p.utility))
        colour, marker, line = look(s)
        turn = knee(curve)
        figure.add_scatter(
            x=[p.utility for p in curve],
            y=[p.risk for p in curve],
            text=[p.label + (" (knee)" if p == turn else "") + (" (frontier)" if p.on_frontier else "") for p in curve],
            hovertemplate=hover,
            mode="lines+markers",
            name=name,
            line={"color": colour, "width": 1.5, "dash": PLOTLY_LINES[line]},
            marker={"symbol": PLOTLY_MARKERS[marker], "size": [15 if p == turn else 8 for p in curve], "color": colour},
        )
    _add_limits(figure, points, limit)
    figure.update_layout(
        template="plotly_white",
        title="Risk and utility (large marks: knees; click a name to switch it off or on)",
        xaxis_title=utility_axis(loss),
        yaxis_title=RISK_AXIS,
        xaxis_type="log" if points and is_wide(points) else "linear",
    )
    return str(figure.to_html(include_plotlyjs=True, full_html=True))


def _add_limits(figure: Any, points: Sequence[Point], limit: float | None) -> None:
    """The chosen limit with the best point under it, and the usual limits to switch on."""
    best = best_under(points, limit) if limit is not None else None
    if best is not None:
        figure.add_scatter(
            x=[best.utility],
            y=[best.risk],
            text=[f"best: {best.label}"],
            mode="markers",
            name=f"best: {best.label}",
            hovertemplate="%{text}<extra></extra>",
            marker={"symbol": "circle-open", "size": 22, "color": "black", "line": {"width": 2}},
        )
    chosen = {} if limit is None else {f"limit {limit:.3g}": limit}
    ends = [min(p.utility for p in points), max(p.utility for p in points)] if points else []
    for name, bound in {**chosen, **{f"limit {name}": bound for name, (bound, _) in RISK_LIMITS.items()}}.items():
        figure.add_scatter(
            x=ends,
            y=[bound] * len(ends),
            mode="lines",
            name=name,
            line={"color": GREY, "dash": "dash", "width": 1.5},
            hovertemplate=f"{name}<extra></extra>",
            visible=True if name in chosen else "legendonly",
        )
