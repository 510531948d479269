"""The pages of a release, where the extra for them is installed."""

from importlib.util import find_spec
from typing import Any

from anonset.model.dataset import Dataset
from anonset.releases.publish import Pages


def release_pages(original: Dataset, *, command: str = "", **more: Any) -> Pages | None:
    """What writes the pages of a release folder; None where the `report` extra is not installed.

    `more`: the points of a study as `map`, and the `workload` of the queries that matter.
    """
    if any(find_spec(name) is None for name in ("matplotlib", "jinja2")):
        return None
    from anonset.report.writing import release_pages as write_pages

    return write_pages(original, command=command, **more)
