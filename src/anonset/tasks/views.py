"""A release, a dataset and a hierarchy as tables of other libraries, pages, drawings and notebook cards."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Literal

import polars as pl

from anonset.errors import InputError
from anonset.measure.usefulness import usefulness
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Accepted, Release
from anonset.model.verdict import Verdict
from anonset.releases.frames import dataset_frame, release_frame
from anonset.releases.gates import admit, refusal
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
    """Return the function that writes the pages of a release folder; None if the `report` extra is not installed.

    `more`: the `cover`, the points of a study as `map`, and a `workload` of queries.
    """
    if not can_draw():
        return None
    from anonset.report.pages import release_pages as write_pages

    return write_pages(original, command=command, **more)


def of_release(original: Dataset, release: Release) -> Drawing:
    """Draw the loss of each attribute, and the commonest values and items before and after. Private: it shows the original."""
    words = words_of("en")
    generalized = release.quasi or isinstance(release.items, GeneralizedItems)
    charts = [points.column_loss_bars(original, release, words)] if generalized else []
    charts += [points.column_bars(original, release, column.name, words, most=8) for column in release.quasi[:3]]
    charts += [points.item_frequency_bars(original, release, words, most=12)] if release.items is not None else []
    return drawings.draw_charts([chart for chart in charts if chart.bars], words("chart.beside"), words)


def of_points(map_points: Sequence[MapPoint], *, limit: float | None, loss: str, title: str) -> Drawing:
    """The map of risk and utility."""
    return draw_ru_map(map_points, limit=limit, loss=loss, title=title)


def of_hierarchy(tree: Hierarchy, title: str = "") -> Drawing:
    """The tree from its leaves up, groups filled."""
    words = words_of("en")
    said = title or words("chart.tree", leaves=words.number(tree.n_leaves), groups=words.number(len(tree) - tree.n_leaves))
    return drawings.draw_cut(points.tree_blocks(tree), said, words)


AT_ONCE = 20_000  # records up to which a card shows the usefulness


def card_of_release(original: Dataset, release: Release, verdict: Verdict | None, *, aligned: bool) -> str:
    """Return the HTML of a release's card, without what takes long on many records."""
    useful = usefulness(original, release) if aligned and len(original) <= AT_ONCE else None
    refused = refusal(original, release) if aligned else ""
    return release_card(original, release, verdict=verdict, useful=useful, refused=refused, aligned=aligned)


Library = Literal["polars", "pandas", "arrow"]


def release_table(
    original: Dataset, release: Release, verify: Callable[[], Verdict], *, accepted: Accepted, structured: bool = False
) -> pl.DataFrame:
    """Return the published records; raise if the gates or the verifier refuse them. `verify` returns the verdict."""
    admit(original, release, accepted)
    verify().require()
    return release_frame(release, original, structured=structured)


def dataset_stream(data: Dataset, requested_schema: object | None = None) -> object:
    """The records of a dataset through the Arrow interface."""
    return stream(dataset_frame(data), requested_schema)


def dataset_table(data: Dataset, library: Library) -> Any:
    """The records of a dataset as a table of a library."""
    return to_library(dataset_frame(data), library)


def collected(source: Any) -> Any:
    """The table of a polars LazyFrame; anything else as it is."""
    return source.collect() if isinstance(source, pl.LazyFrame) else source


def stream(frame: pl.DataFrame, requested_schema: object | None = None) -> object:
    """Return a table through the Arrow interface, with the most compatible type of texts if pyarrow is installed."""
    try:
        table: Any = _arrow(frame)
    except ImportError:
        return frame.__arrow_c_stream__(requested_schema)
    return table.__arrow_c_stream__(requested_schema)


def library_of(frame: Any) -> Library:
    """Return the library of a table; "arrow" for any other."""
    names = {kind.__module__.partition(".")[0] for kind in type(frame).__mro__}
    return "pandas" if "pandas" in names else "polars" if "polars" in names else "arrow"


def to_library(frame: pl.DataFrame, library: Library) -> Any:
    """The table as one of another library."""
    try:
        if library == "polars":
            return frame
        return _pandas(frame) if library == "pandas" else _arrow(frame)
    except ImportError as error:
        raise InputError(f"this needs the package {error.name or 'pyarrow'}, which is not installed") from None


def _arrow(frame: pl.DataFrame) -> Any:
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest())


def _pandas(frame: pl.DataFrame) -> Any:
    """A pandas DataFrame; sets are lists and ranges dicts of Python, not arrays."""
    import pandas as pd

    columns = {}
    for name, column in zip(frame.columns, frame, strict=True):
        if column.dtype.is_nested():
            columns[name] = pd.Series(column.to_list(), dtype="object")
        elif column.dtype.is_numeric() and not column.null_count():
            columns[name] = pd.Series(column.to_numpy())
        elif column.dtype.is_integer():
            columns[name] = pd.Series(column.to_list(), dtype="Int64")
        else:
            columns[name] = pd.Series(column.to_list(), dtype=None if column.dtype.is_numeric() else "str")
    return pd.DataFrame(columns)
