"""Pages, drawings and notebook views of a release, a study and a hierarchy, where the extra for them is installed."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from anonset.measure.usefulness import usefulness
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.model.verdict import Verdict
from anonset.releases.gates import refusal
from anonset.releases.publish import Pages
from anonset.report import drawings, points
from anonset.report.certificate import release_card
from anonset.report.drawings import draw_ru_map
from anonset.report.svg import Drawing
from anonset.report.words import words_of
from anonset.study.ru_map import MapPoint

NO_PAGES = "no report.html and no certificate: they need the extra, pip install 'anonset[report]'; the release is made without"


def can_draw() -> bool:
    """Whether the `report` extra is installed."""
    return find_spec("jinja2") is not None


def release_pages(original: Dataset, *, command: str = "", **more: Any) -> Pages | None:
    """What writes the pages of a release folder; None where the `report` extra is not installed.

    `more`: the `cover`, the points of a study as `map`, and the `workload` of the queries that matter.
    """
    if not can_draw():
        return None
    from anonset.report.pages import release_pages as write_pages

    return write_pages(original, command=command, **more)


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


AT_ONCE = 20_000  # records of which usefulness is told without being asked for


def card_of_release(original: Dataset, release: Release, verdict: Verdict | None, *, aligned: bool) -> str:
    """The HTML of a release's card; what takes long on many records is left out."""
    useful = usefulness(original, release) if aligned and len(original) <= AT_ONCE else None
    refused = refusal(original, release) if aligned else ""
    return release_card(original, release, verdict=verdict, useful=useful, refused=refused, aligned=aligned)
