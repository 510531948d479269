"""The page of a study: an R-U map of each dataset, what is best under a limit, and every trial."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anonset.report.map_drawing import draw_ru_map
from anonset.report.template import render
from anonset.study.ru_map import RISK_LIMITS, MapPoint, best_under, by_data, knee, promises, ru_points
from anonset.study.trial import Trial


def study_page(trials: Sequence[Trial], *, loss: str = "are", limit: float = 0.2) -> str:
    """The HTML of a study's comparison page."""
    own = by_data(trials)
    maps = {name: ru_points(some, loss) for name, some in own.items()}
    return render(
        "study.html",
        trials=trials,
        measures=sorted({id for trial in trials for id in trial.measures}),
        loss=loss,
        limit=f"{limit:.3g}",
        maps=[_map(name, points, loss, limit) | {"promises": promises(own[name])} for name, points in maps.items() if points],
        several=len(maps) > 1,
    )


def write_study(trials: Sequence[Trial], folder: Path, *, loss: str = "are", limit: float = 0.2) -> tuple[Path, ...]:
    """Write report.html, and the map of each dataset as SVG; return their paths."""
    page = folder / "report.html"
    page.write_text(study_page(trials, loss=loss, limit=limit), encoding="utf-8", newline="\n")
    maps = {name: points for name, own in by_data(trials).items() if (points := ru_points(own, loss))}
    written = [page]
    for n, (name, points) in enumerate(maps.items(), 1):
        stem = "ru_map" if len(maps) == 1 else f"ru_map_{n}_{re.sub(r'[^A-Za-z0-9_-]+', '_', name)}"
        written.append(folder / f"{stem}.svg")
        draw_ru_map(points, limit=limit, loss=loss, title=_title(name)).save(written[-1])
    return tuple(written)


def _map(name: str, points: Sequence[MapPoint], loss: str, limit: float) -> dict[str, Any]:
    """What the page shows of one dataset."""
    curves = {series: [p for p in points if p.series == series] for series in dict.fromkeys(p.series for p in points)}
    return {
        "name": name,
        "drawing": str(draw_ru_map(points, limit=limit, loss=loss, title=_title(name))),
        "best": best_under(points, limit),
        "presets": [(preset, bound, source, best_under(points, bound)) for preset, (bound, source) in RISK_LIMITS.items()],
        "knees": [(series, knee(curve)) for series, curve in curves.items()],
        "frontier": sorted((p for p in points if p.on_frontier), key=lambda p: p.risk),
    }


def _title(name: str) -> str:
    return f"Risk and utility of releases of {name}"
