"""The pages of a release, where the extra for them is installed."""

from importlib.util import find_spec
from typing import Any

from anonset.model.dataset import Dataset
from anonset.releases.publish import Pages

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
