"""A release as a table in memory: verified and through the same gates as what is written, or not at all."""

from collections.abc import Callable
from typing import Any, Literal

import polars as pl

from anonset.errors import InputError
from anonset.model.dataset import Dataset
from anonset.model.release import Accepted, Release
from anonset.model.verdict import Verdict
from anonset.releases.frames import dataset_frame, release_frame
from anonset.releases.gates import admit

Library = Literal["polars", "pandas", "arrow"]


def of_release(
    original: Dataset, release: Release, verify: Callable[[], Verdict], *, accepted: Accepted, structured: bool = False
) -> pl.DataFrame:
    """The published records; what is not admitted or not proven is raised. `verify` gives the verdict on this release."""
    admit(original, release, accepted)
    verify().require()
    return release_frame(release, original, structured=structured)


def dataset_stream(data: Dataset, requested_schema: object | None = None) -> object:
    """The records of a dataset through the Arrow interface."""
    return stream(dataset_frame(data), requested_schema)


def stream(frame: pl.DataFrame, requested_schema: object | None = None) -> object:
    """A table through the Arrow interface, with texts of the kind that every reader knows where pyarrow can make them."""
    try:
        table: Any = _arrow(frame)
    except ImportError:
        return frame.__arrow_c_stream__(requested_schema)
    return table.__arrow_c_stream__(requested_schema)


def library_of(frame: Any) -> Library:
    """Which library a table comes from; what none of them made goes by Arrow."""
    names = {kind.__module__.partition(".")[0] for kind in type(frame).__mro__}
    return "pandas" if "pandas" in names else "polars" if "polars" in names else "arrow"


def handed_out(frame: pl.DataFrame, library: Library) -> Any:
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
