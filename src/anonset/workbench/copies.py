"""Pages of the copy that was made of an upload."""

from pathlib import Path
from typing import Any

import polars as pl


def rows_of_copy(copy: Path, start: int, count: int) -> list[dict[str, Any]]:
    """The rows from `start` on, at most so many: fields are c0, c1, ..., sets are lists."""
    return pl.scan_parquet(copy).slice(start, count).collect().to_dicts()
