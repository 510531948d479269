"""Drawings of a release, a study and a hierarchy."""

from collections.abc import Sequence

from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.report import drawings, points
from anonset.report.map_drawing import draw_ru_map
from anonset.report.svg import Drawing
from anonset.report.words import words_of
from anonset.study.ru_map import MapPoint


def of_release(original: Dataset, release: Release) -> Drawing:
    """What each attribute lost, and the commonest values and items before and after. For the owner: it shows the original."""
    words = words_of("en")
    generalized = release.quasi or isinstance(release.items, GeneralizedItems)
    charts = [points.column_loss_bars(original, release, words)] if generalized else []
    charts += [points.column_bars(original, release, column.name, words, most=8) for column in release.quasi[:3]]
    charts += [points.item_frequency_bars(original, release, words, most=12)] if release.items is not None else []
    return drawings.draw_charts([chart for chart in charts if chart.bars], words("chart.beside"), words)


def of_points(shown: Sequence[MapPoint], *, limit: float | None, loss: str, title: str) -> Drawing:
    """The map of risk and utility."""
    return draw_ru_map(shown, limit=limit, loss=loss, title=title)


def of_hierarchy(tree: Hierarchy, title: str = "") -> Drawing:
    """The tree from its leaves up, groups filled."""
    words = words_of("en")
    said = title or words("chart.tree", leaves=words.number(tree.n_leaves), groups=words.number(len(tree) - tree.n_leaves))
    return drawings.draw_cut(points.tree_blocks(tree), said, words)
