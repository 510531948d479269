"""The order of records by content, for algorithms that would otherwise break ties by the order of the input."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.sets import set_ranks


def order_independent(anonymize: Callable[..., Release]) -> Callable[..., Release]:
    """Run the decorated `anonymize` on records sorted by content: the same records in any order give the same release."""

    @wraps(anonymize)
    def run(self: Any, data: Dataset, *, progress: Progress = silent) -> Release:
        order = record_order(data)
        release = anonymize(self, data.take(order), progress=progress)
        release = replace(release, rows=order[release.rows])
        return release.take(np.argsort(release.rows))

    return run


def record_order(data: Dataset) -> Rows:
    """The rows sorted by all their values and items; equal rows keep their order."""
    keys: list[NDArray[np.int32] | Rows] = [column.codes for column in data.columns]
    if data.transactions is not None:
        keys.append(set_ranks(data.transactions.offsets, data.transactions.items, len(data.transactions.domain)))
    return np.lexsort(keys[::-1]).astype(np.int64)
