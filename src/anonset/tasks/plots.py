"""Figures of a release, a study and a hierarchy; they need the `report` extra."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from anonset.errors import InputError
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.study.ru_map import Point

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NO_FIGURES = "figures need the extra: pip install 'anonset[report]'"


def of_release(original: Dataset, release: Release) -> "Figure":
    """What each attribute lost, and the commonest values and items before and after. For the owner: it shows the original."""
    _require_extra()
    from anonset.report import drawing, points

    charts = [points.column_loss_bars(original, release)] if release.quasi or _generalized(release) else []
    charts += [points.column_bars(original, release, column.name, most=8) for column in release.quasi[:3]]
    charts += [points.item_frequency_bars(original, release, most=12)] if release.items is not None else []
    return drawing.draw_charts([chart for chart in charts if chart.bars], width=7.0)


def of_points(points: Sequence[Point], *, limit: float | None, loss: str, title: str) -> "Figure":
    """The map of risk and utility."""
    _require_extra()
    from anonset.report import drawing

    return drawing.draw_ru_map(points, limit=limit, loss=loss, title=title)


def svg_of_points(points: Sequence[Point], *, limit: float | None, loss: str, title: str) -> str:
    """The same as SVG; empty where the extra is not installed."""
    try:
        figure = of_points(points, limit=limit, loss=loss, title=title)
    except InputError:
        return ""
    from anonset.report.drawing import svg

    return svg(figure)


def of_hierarchy(tree: Hierarchy, title: str = "") -> "Figure":
    """The tree from its leaves up, groups filled."""
    _require_extra()
    from anonset.report import drawing, points

    return drawing.draw_cut(
        points.tree_blocks(tree), title or f"{tree.n_leaves:,} values in {len(tree) - tree.n_leaves:,} groups"
    )


def _generalized(release: Release) -> bool:
    return isinstance(release.items, GeneralizedItems)


def _require_extra() -> None:
    if find_spec("matplotlib") is None:
        raise InputError(NO_FIGURES)
