"""The page of a study: the R-U map, what is best under a limit, and every trial."""

from collections.abc import Sequence
from pathlib import Path

from anonset.report.drawing import MARKERS, SERIES, draw_ru_map, save, svg
from anonset.report.template import render
from anonset.study.ru_map import RISK_LIMITS, Point, best_under, knee, knee_by_kneed, ru_points
from anonset.study.trial import Trial

PLOTLY_MARKERS = dict(
    zip(MARKERS, ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "star", "x"), strict=True)
)


def study_page(trials: Sequence[Trial], *, loss: str = "are", limit: float = 0.2) -> str:
    """The HTML of a study's comparison page."""
    points = ru_points(trials, loss)
    names = sorted({id for trial in trials for id in trial.measures})
    series = list(dict.fromkeys(point.series for point in points))
    return render(
        "study.html",
        trials=trials,
        measures=names,
        loss=loss,
        limit=limit,
        map=svg(draw_ru_map(points, limit=limit, width=9.5)) if points else "",
        best=best_under(points, limit),
        presets=[(name, bound, source, best_under(points, bound)) for name, (bound, source) in RISK_LIMITS.items()],
        knees=[(name, knee(_of(points, name)), knee_by_kneed(_of(points, name))) for name in series],
        frontier=sorted((p for p in points if p.on_frontier), key=lambda p: p.risk),
    )


def write_study(trials: Sequence[Trial], folder: Path, *, loss: str = "are", limit: float = 0.2) -> tuple[Path, ...]:
    """Write report.html, the map as PNG, SVG, PDF, and an interactive one; return their paths."""
    points = ru_points(trials, loss)
    page = folder / "report.html"
    page.write_text(study_page(trials, loss=loss, limit=limit), encoding="utf-8")
    if not points:
        return (page,)
    drawing = draw_ru_map(points, limit=limit)
    files = [folder / f"ru_map.{ending}" for ending in ("png", "svg", "pdf")]
    for path in files:
        save(drawing, path)
    interactive = folder / "ru_map.html"
    interactive.write_text(interactive_map(points, limit=limit), encoding="utf-8")
    return (page, interactive, *files)


def interactive_map(points: Sequence[Point], *, limit: float | None = 0.2) -> str:
    """The map as a page to hover over, zoom into and switch algorithms off in; works offline."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for s, name in enumerate(dict.fromkeys(point.series for point in points)):
        curve = sorted(_of(points, name), key=lambda p: p.utility)
        colour, marker = SERIES[s % len(SERIES)], PLOTLY_MARKERS[MARKERS[s % len(MARKERS)]]
        turn = knee(curve)
        figure.add_scatter(
            x=[p.utility for p in curve],
            y=[p.risk for p in curve],
            text=[p.label + (" (knee)" if p == turn else "") + (" (frontier)" if p.on_frontier else "") for p in curve],
            hovertemplate="%{text}<br>utility %{x:.4g}<br>risk %{y:.4g}<extra></extra>",
            mode="lines+markers",
            name=name,
            line={"color": colour, "width": 1.5},
            marker={"symbol": marker, "size": [15 if p == turn else 8 for p in curve], "color": colour},
        )
    if limit is not None:
        figure.add_hline(y=limit, line_dash="dash", line_color="#777777", annotation_text=f"risk limit {limit:g}")
    figure.update_layout(
        template="plotly_white",
        title="Risk and utility (large marks: knees)",
        xaxis_title="utility: 1 / loss",
        yaxis_title="risk: chance to be found, worst case",
    )
    return str(figure.to_html(include_plotlyjs=True, full_html=True))


def _of(points: Sequence[Point], series: str) -> list[Point]:
    return [point for point in points if point.series == series]
